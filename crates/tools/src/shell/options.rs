//! The options of `persea shell`. Names that arangosh has mean the same.

use std::path::PathBuf;
use std::time::Duration;

use options::{Flag, List, Maybe, Number, Opt, Options, Program, Text, Unsupported, flag, number, text};

use crate::failure::Failure;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};

/// The program.
pub(super) static PROGRAM: Program = Program {
    name: "persea shell",
    usage: "[--OPTION VALUE ...] [FILE [ARGUMENT ...]]",
    about: "Runs JavaScript with ArangoDB's API against a server: files, texts, the standard input, or statements \
            at a prompt. FILE is run like a value of --javascript.execute. Scripts see the arguments as ARGUMENTS.",
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
        text("console.audit-file", "", "File that statements and results are appended to.").optional();
    static AUTO_COMPLETE: Opt<Flag> =
        flag("console.auto-complete", true, "Completion of names by the tabulator key.");
    static COLORS: Opt<Flag> =
        flag("console.colors", true, "Colours on a terminal.");
    static HISTORY: Opt<Flag> =
        flag("console.history", true, "Statements kept in the file .persea_history of the home directory.");
    static PAGER: Opt<Flag> =
        flag("console.pager", false, "Output through the pager.");
    static PAGER_COMMAND: Opt<Text> =
        text("console.pager-command", "less -X -R -F -L", "Program that shows output in pages.").uncommon();
    static PRETTY_PRINT: Opt<Flag> =
        flag("console.pretty-print", true, "Objects over several lines.");
    static PROMPT: Opt<Text> =
        text("console.prompt", "%E@%d> ", "Prompt: %d for the database, %e for the endpoint (or that there is none), %E for it without protocol, %u for the user, %t for the time, %p for the seconds of the last statement, %a for those since the start.");
    static CHECK_SYNTAX: Opt<List<Text>> =
        text("javascript.check-syntax", "", "File whose syntax is checked. Nothing is run.").list();
    static CURRENT_MODULE_DIRECTORY: Opt<Flag> =
        flag("javascript.current-module-directory", true, "Modules of the working directory.");
    static EXECUTE: Opt<List<Text>> =
        text("javascript.execute", "", "File to run.").list();
    static EXECUTE_STRING: Opt<List<Text>> =
        text("javascript.execute-string", "", "Text to run, after the files.").list();
    static EXECUTION_DEADLINE: Opt<Number> =
        number("javascript.execution-deadline", "0", "Seconds that a script may take; 0 for no limit.").uncommon();
    static MODULE_DIRECTORY: Opt<List<Text>> =
        text("javascript.module-directory", "", "Folder of modules.").list().uncommon();
    static MAX_HEAP: Opt<Number> =
        number("javascript.v8-max-heap", "3072", "MiB of all values of a script; 0 for no limit.");
    static QUIET: Opt<Flag> =
        flag("quiet", false, "No words of welcome.");
}

const OWN_IGNORED: &[Unsupported] = &[
    Unsupported {
        reason: "the modules are part of the program",
        names: &[
            "javascript.client-module",
            "javascript.copy-directory",
            "javascript.copy-installation",
            "javascript.startup-directory",
        ],
    },
    Unsupported {
        reason: "scripts do not see options",
        names: &["javascript.startup-options-allowlist", "javascript.startup-options-denylist"],
    },
    Unsupported {
        reason: "it is for V8, and JavaScript runs in quickjs-ng here",
        names: &["javascript.gc-interval", "javascript.v8-options"],
    },
    Unsupported {
        reason: "the shell compares no texts by language",
        names: &["default-language", "default-language-check", "icu-language"],
    },
];

const OWN_REFUSED: &[Unsupported] = &[
    Unsupported {
        reason: "ArangoDB's own tests need ArangoDB's own JavaScript",
        names: &["javascript.unit-tests", "javascript.unit-test-filter"],
    },
    Unsupported {
        reason: "scripts of the shell may do what its user may; start it as a user with fewer rights",
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
            false => Err(Failure::option(format!("--{} runs nothing; give it alone", CHECK_SYNTAX.name))),
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
