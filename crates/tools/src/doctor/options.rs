//! The options of `persea doctor`.

use std::path::PathBuf;

use options::{Maybe, Opt, Options, Program, Text, text};

use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};

pub(super) static PROGRAM: Program = Program {
    name: "persea doctor",
    usage: "[DIRECTORY] [--OPTION VALUE ...]",
    about: "Looks at the limits, the memory, the clock and the disk of this machine, and at the figures of a server, and says \
            what to change. The exit code is 1 if something is bad. --server.endpoint none leaves out the server.",
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
}

/// The settings of the tool.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) folder: Option<PathBuf>,
}

impl Settings {
    pub(super) fn read(options: &Options) -> Self {
        Settings { folder: options.non_empty(&DIRECTORY).map(PathBuf::from) }
    }
}
