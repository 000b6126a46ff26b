//! The options of `persea doctor`.

use std::path::PathBuf;

use options::{Maybe, Opt, Options, Program, Text, text};

use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};

pub(super) static PROGRAM: Program = Program {
    name: "persea doctor",
    usage: "[DIRECTORY] [--OPTION VALUE ...]",
    about: "Looks at the limits, the memory, the clock, the disk and the certificate of this machine, and at the figures, clock and \
            certificate of a server, and says what to change. The exit code is 1 if something is bad. --server.endpoint none leaves out the server.",
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
        text("database.directory", "", "Folder of the data, whose disk is looked at. Default: none.").optional();
    static KEYFILE: Opt<Maybe<Text>> =
        text("ssl.keyfile", "", "PEM file with the server's certificate and key, which are looked at. Default: none.").optional();
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
