//! The options of `persea doctor`.

use std::path::PathBuf;

use options::{Maybe, Opt, Options, Program, Text, text};

use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};

pub(super) static PROGRAM: Program = Program {
    name: "persea doctor",
    usage: "[DIRECTORY] [--OPTION VALUE ...]",
    about: "Check the limits, memory, clock, disk and certificate of this machine, and the statistics, clock and certificate of a \
            server, and suggest changes. The exit code is 1 if a check fails. --server.endpoint none checks no server.",
    sections: &[ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some(DIRECTORY.row()),
};

options::section! {
    static DIRECTORY: Opt<Maybe<Text>> =
        text("database.directory", "", "Check the disk of this data folder. Default: none.").optional();
    static KEYFILE: Opt<Maybe<Text>> =
        text("ssl.keyfile", "", "Check the server certificate and key in this PEM file. Default: none.").optional();
}

/// The settings of the tool.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) folder: Option<PathBuf>,
    pub(super) keyfile: Option<PathBuf>,
}

impl Settings {
    pub(super) fn read(options: &Options) -> Self {
        let path = |option| options.non_empty(option).map(PathBuf::from);
        Settings { folder: path(&DIRECTORY), keyfile: path(&KEYFILE) }
    }
}
