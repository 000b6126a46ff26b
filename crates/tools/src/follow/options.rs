//! The options of `persea follow`.

use options::{Choice, Flag, Opt, Options, Program, choice, flag};

use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};

pub(super) static PROGRAM: Program = Program {
    name: "persea follow",
    usage: "[OPERATION] [--OPTION VALUE ...]",
    about: "Show, pause, resume and promote a server that was started with --follow. Operations: status, pause, resume, promote. \
            A promoted server follows no longer and accepts writes. The exit code is 1 if the server has stopped following.",
    sections: &[ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED],
    refused: &[REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some(OPERATION.row()),
};

/// The work of the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Pause,
    Promote,
    Resume,
    Status,
}

const OPERATIONS: &[(&str, Operation); 4] = &[
    ("pause", Operation::Pause),
    ("promote", Operation::Promote),
    ("resume", Operation::Resume),
    ("status", Operation::Status),
];

options::section! {
    static JSON: Opt<Flag> =
        flag("json", false, "Print the state as JSON.");
    static OPERATION: Opt<Choice<Operation>> =
        choice("operation", OPERATIONS, "status", "Operation to run. The option's name may be left out.");
    static PROGRESS: Opt<Flag> =
        flag("progress", true, "Show progress while the tool waits.");
    static WAIT: Opt<Flag> =
        flag("wait", false, "After `resume`, wait until the log is applied to its end.");
}

/// The settings of the tool.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) operation: Operation,
    pub(super) is_json: bool,
    pub(super) progress: bool,
    pub(super) waits: bool,
}

impl Settings {
    pub(super) fn read(options: &Options) -> Self {
        Settings {
            operation: options.get(&OPERATION),
            is_json: options.get(&JSON),
            progress: options.get(&PROGRESS),
            waits: options.get(&WAIT),
        }
    }
}
