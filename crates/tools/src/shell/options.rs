//! The options of `persea shell`. Names that arangosh has mean the same.

use std::path::PathBuf;
use std::time::Duration;

use options::{Flag, List, Maybe, Number, Opt, Options, Program, Text, Unsupported, flag, number, text};

use crate::failure::Failure;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};

/// The program.
pub(super) static PROGRAM: Program = Program {
    name: "persea shell",
    usage: "[--OPTION VALUE ...] [FILE [ARGUMENT ...]] [-- ARGUMENT ...]",
    about: "Run JavaScript with ArangoDB's API against a server: files, texts, standard input, or statements at a \
            prompt. FILE is run like a value of --javascript.execute. Scripts find the arguments in ARGUMENTS.",
    sections: &[ROWS, general::ROWS, server::ROWS, log::ROWS],
    configuration: &general::CONFIGURATION,
    define: &general::DEFINE,
    ignored: &[IGNORED, OWN_IGNORED],
    refused: &[REFUSED, OWN_REFUSED],
    environment_prefix: ENVIRONMENT_PREFIX,
    unnamed: Some(ARGUMENT.row()),
};

options::section! {
    static ARGUMENT: Opt<List<Text>> =
        text("argument", "", "Argument of the script; the first one is a file if no script is given.").list().uncommon();
    static AUDIT_FILE: Opt<Maybe<Text>> =
        text("console.audit-file", "", "Append statements and results to this file.").optional();
    static AUTO_COMPLETE: Opt<Flag> =
        flag("console.auto-complete", true, "Complete names with the tab key.");
    static COLORS: Opt<Flag> =
        flag("console.colors", true, "Use colours on a terminal.");
    static HISTORY: Opt<Flag> =
        flag("console.history", true, "Keep a history of statements in ~/.persea_history.");
    static PAGER: Opt<Flag> =
        flag("console.pager", false, "Send output through the pager.");
    static PAGER_COMMAND: Opt<Text> =
        text("console.pager-command", "less -X -R -F -L", "Program that displays output page by page.").uncommon();
    static PRETTY_PRINT: Opt<Flag> =
        flag("console.pretty-print", true, "Print objects on several lines.");
    static PROMPT: Opt<Text> =
        text("console.prompt", "%E@%d> ", "Prompt: %d is the database, %e the endpoint (or that there is none), %E the endpoint without the protocol, %u the user, %t the time, %p the seconds of the last statement, %a the seconds since the start.");
    static CHECK_SYNTAX: Opt<List<Text>> =
        text("javascript.check-syntax", "", "Check the syntax of this file without running it.").list();
    static CURRENT_MODULE_DIRECTORY: Opt<Flag> =
        flag("javascript.current-module-directory", true, "Load modules from the working directory.");
    static EXECUTE: Opt<List<Text>> =
        text("javascript.execute", "", "Run this file.").list();
    static EXECUTE_STRING: Opt<List<Text>> =
        text("javascript.execute-string", "", "Run this text, after the files.").list();
    static EXECUTION_DEADLINE: Opt<Number> =
        number("javascript.execution-deadline", "0", "Maximum run time of a script in seconds; 0 means no limit.").uncommon();
    static MODULE_DIRECTORY: Opt<List<Text>> =
        text("javascript.module-directory", "", "Load modules from this folder.").list().uncommon();
    static MAX_HEAP: Opt<Number> =
        number("javascript.v8-max-heap", "3072", "Maximum memory of a script in MiB; 0 means no limit.");
    static QUIET: Opt<Flag> =
        flag("quiet", false, "Print no welcome message.");
}

const OWN_IGNORED: &[Unsupported] = &[
    Unsupported {
        reason: "the modules are built into the program",
        names: &[
            "javascript.client-module",
            "javascript.copy-directory",
            "javascript.copy-installation",
            "javascript.startup-directory",
        ],
    },
    Unsupported {
        reason: "scripts cannot see options",
        names: &["javascript.startup-options-allowlist", "javascript.startup-options-denylist"],
    },
    Unsupported {
        reason: "it configures V8, and this shell runs JavaScript in quickjs-ng",
        names: &["javascript.gc-interval", "javascript.v8-options"],
    },
    Unsupported {
        reason: "the shell does not compare texts by language",
        names: &["default-language", "default-language-check", "icu-language"],
    },
];

const OWN_REFUSED: &[Unsupported] = &[
    Unsupported {
        reason: "ArangoDB's tests require ArangoDB's own JavaScript modules",
        names: &["javascript.unit-tests", "javascript.unit-test-filter"],
    },
    Unsupported {
        reason: "scripts have all rights of the user who starts the shell; start it as a user with fewer rights",
        names: &[
            "javascript.allow-external-process-control",
            "javascript.allow-port-testing",
            "javascript.endpoints-allowlist",
            "javascript.endpoints-denylist",
            "javascript.environment-variables-allowlist",
            "javascript.environment-variables-denylist",
            "javascript.files-allowlist",
            "javascript.files-denylist",
            "javascript.harden",
        ],
    },
];

/// The settings of a shell.
pub(super) struct Settings {
    pub(super) work: Work,
    /// The arguments of the script.
    pub(super) arguments: Vec<String>,
    pub(super) module_folders: Vec<String>,
    pub(super) deadline: Option<Duration>,
    pub(super) memory_bytes: usize,
    pub(super) is_quiet: bool,
    pub(super) colors: Colors,
    pub(super) is_pretty: bool,
    pub(super) has_history: bool,
    pub(super) completes: bool,
    pub(super) prompt: String,
    pub(super) uses_pager: bool,
    pub(super) pager_command: String,
    pub(super) audit_file: Option<PathBuf>,
}

/// The use of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colors {
    Never,
    OnTerminals,
    Always,
}

/// The work of a shell.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Files, then texts.
    Scripts { files: Vec<String>, texts: Vec<String> },
    /// Checks of the syntax of files.
    Check(Vec<String>),
    /// Statements of the standard input, at a prompt if that is a terminal.
    Statements,
}

impl Settings {
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        /// The MiB that stand for no limit.
        const NO_LIMIT: u64 = 1 << 20;
        let (work, arguments) = work(options)?;
        let mebibytes = match options.get(&MAX_HEAP) {
            0 => NO_LIMIT,
            mebibytes => mebibytes.min(NO_LIMIT),
        };
        let deadline = options.get(&EXECUTION_DEADLINE);
        Ok(Settings {
            work,
            arguments,
            module_folders: module_folders(options),
            deadline: Some(Duration::from_secs(deadline)).filter(|deadline| !deadline.is_zero()),
            memory_bytes: usize::try_from(mebibytes << 20).unwrap_or(usize::MAX),
            is_quiet: options.get(&QUIET),
            colors: match (options.get(&COLORS), options.is_given(&COLORS)) {
                (false, _) => Colors::Never,
                (true, true) => Colors::Always,
                (true, false) => Colors::OnTerminals,
            },
            is_pretty: options.get(&PRETTY_PRINT),
            has_history: options.get(&HISTORY),
            completes: options.get(&AUTO_COMPLETE),
            prompt: options.get(&PROMPT).to_owned(),
            uses_pager: options.get(&PAGER),
            pager_command: options.get(&PAGER_COMMAND).to_owned(),
            audit_file: options.non_empty(&AUDIT_FILE).map(PathBuf::from),
        })
    }
}

fn work(options: &Options) -> Result<(Work, Vec<String>), Failure> {
    let list = |option: &Opt<List<Text>>| -> Vec<String> {
        options.get(option).into_iter().map(str::to_owned).collect()
    };
    let mut arguments = list(&ARGUMENT);
    let (mut files, texts, checked) = (list(&EXECUTE), list(&EXECUTE_STRING), list(&CHECK_SYNTAX));
    if !checked.is_empty() {
        return match files.is_empty() && texts.is_empty() {
            true => Ok((Work::Check(checked), arguments)),
            false => {
                Err(Failure::option(format!("--{} cannot be combined with other work", CHECK_SYNTAX.name)))
            }
        };
    }
    if files.is_empty() && texts.is_empty() {
        if arguments.is_empty() {
            return Ok((Work::Statements, arguments));
        }
        files.push(arguments.remove(0));
    }
    Ok((Work::Scripts { files, texts }, arguments))
}

fn module_folders(options: &Options) -> Vec<String> {
    let mut folders: Vec<String> = options.get(&MODULE_DIRECTORY).into_iter().map(str::to_owned).collect();
    if options.get(&CURRENT_MODULE_DIRECTORY)
        && let Ok(folder) = std::env::current_dir()
    {
        folders.push(folder.to_string_lossy().into_owned());
    }
    folders
}
