//! The options of `persea group`.

use std::path::PathBuf;

use ::encryption::Secret;
use options::{Choice, Flag, Maybe, Number, Opt, Options, Program, Text, choice, flag, number, text};

use crate::Failure;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, encryption, general, log, server};

pub(super) static PROGRAM: Program = Program {
    name: "persea group",
    usage: "[OPERATION] [--OPTION VALUE ...]",
    about: "Show a group of servers that was started with --group.member, make a member the leader, add and remove members. \
            Operations: status, appoint, add, remove. Any member can be asked. The exit code is 1 if nobody leads. \
            The operation set-aside prints a file with the writes of a former leader, and asks no server.",
    sections: &[ROWS, encryption::ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED],
    refused: &[],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some(OPERATION.row()),
};

/// The names of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Add,
    Appoint,
    Remove,
    SetAside,
    Status,
}

const OPERATIONS: &[(&str, Name); 5] = &[
    ("add", Name::Add),
    ("appoint", Name::Appoint),
    ("remove", Name::Remove),
    ("set-aside", Name::SetAside),
    ("status", Name::Status),
];

options::section! {
    static ENDPOINT: Opt<Maybe<Text>> =
        text("endpoint", "", "Address of the member to add, as the other members and the clients reach it.").optional();
    static FILE: Opt<Maybe<Text>> =
        text("file", "", "File with the writes of a former leader to print, one of those that `status` lists.").optional();
    static ID: Opt<Number> =
        number("id", "0", "Id of the member to appoint, to add or to remove.");
    static JSON: Opt<Flag> =
        flag("json", false, "Print the server's reply as JSON.");
    static OPERATION: Opt<Choice<Name>> =
        choice("operation", OPERATIONS, "status", "Operation to run. The option's name may be left out.");
    static TIMEOUT: Opt<Number> =
        number("timeout", "30", "Longest wait in seconds for a change, at most 600.");
}

/// The work of the tool.
#[derive(Debug)]
pub(super) enum Operation {
    Status,
    Appoint(u64),
    Add(u64, String),
    Remove(u64),
    /// A file, and the secret of an encrypted one.
    SetAside(PathBuf, Option<Secret>),
}

/// The settings of the tool.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) operation: Operation,
    pub(super) is_json: bool,
    pub(super) timeout_seconds: u64,
}

impl Settings {
    /// Reads the settings. Errors: a member is not named, or has no address.
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let id = || match options.get(&ID) {
            0 => Err(Failure::new(format!("--{} must be the id of a member", ID.name))),
            id => Ok(id),
        };
        let endpoint = || {
            let endpoint = options.non_empty(&ENDPOINT).map(str::to_owned);
            endpoint.ok_or_else(|| Failure::new(format!("--{} must be the member's address", ENDPOINT.name)))
        };
        let operation = match options.get(&OPERATION) {
            Name::Status => Operation::Status,
            Name::Appoint => Operation::Appoint(id()?),
            Name::Add => Operation::Add(id()?, endpoint()?),
            Name::Remove => Operation::Remove(id()?),
            Name::SetAside => {
                let file = options.non_empty(&FILE).map(PathBuf::from);
                let file = file.ok_or_else(|| Failure::new(format!("--{} must be the file", FILE.name)))?;
                Operation::SetAside(file, encryption::secret(options)?)
            }
        };
        Ok(Settings { operation, is_json: options.get(&JSON), timeout_seconds: options.get(&TIMEOUT) })
    }
}
