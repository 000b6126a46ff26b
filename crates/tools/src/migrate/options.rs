//! The options of `persea migrate`.

use options::{Choice, Flag, List, Maybe, Number, Opt, Options, Program, Text, choice, flag, number, text};

use crate::failure::Failure;
use crate::options::{ENVIRONMENT_PREFIX, IGNORED, REFUSED, general, log, server};

pub(super) static PROGRAM: Program = Program {
    name: "persea migrate",
    usage: "OPERATION [--OPTION VALUE ...]",
    about: "Take the data of a running ArangoDB server over to Persea: examine the server, copy its databases, follow its log, \
            and cut over. Operations: probe, start, status, pause, resume, cut-over, abort, compare. --source.* names \
            the ArangoDB server, --server.* names Persea. The exit code is 1 after a failure and 2 if `compare` finds differences.",
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
    Abort,
    Compare,
    CutOver,
    Pause,
    Probe,
    Resume,
    Start,
    Status,
}

const OPERATIONS: &[(&str, Operation); 8] = &[
    ("abort", Operation::Abort),
    ("compare", Operation::Compare),
    ("cut-over", Operation::CutOver),
    ("pause", Operation::Pause),
    ("probe", Operation::Probe),
    ("resume", Operation::Resume),
    ("start", Operation::Start),
    ("status", Operation::Status),
];

/// The comparisons before a cut-over.
const COMPARISONS: &[(&str, &str); 3] = &[("revisions", "revisions"), ("counts", "counts"), ("none", "none")];

/// The maximum number of differences that can be asked for.
const DIFFERENCES_MAX: u64 = 100_000;

options::section! {
    static COMPARISON: Opt<Choice<&'static str>> =
        choice("compare", COMPARISONS, "revisions", "Comparison before `cut-over`: keys and revisions of all documents, only their numbers, or none.");
    static DIFFERENCES: Opt<Number> =
        number("differences", "20", "Maximum number of differing documents of a collection that `compare` prints.");
    static FORCE: Opt<Flag> =
        flag("force", false, "Cut over even if the comparison finds differences.");
    static JSON: Opt<Flag> =
        flag("json", false, "Print the server's reply as JSON.");
    static OPERATION: Opt<Choice<Operation>> =
        choice("operation", OPERATIONS, "status", "Operation to run. The option's name may be left out.");
    static PROGRESS: Opt<Flag> =
        flag("progress", true, "Show progress while the tool waits or compares.");
    static CAFILE: Opt<Maybe<Text>> =
        text("source.cafile", "", "PEM file of certificates, one of which must be the ArangoDB server's or have signed it. Persea reads it on its own machine. Default: none; any certificate is accepted.").optional();
    static DATABASE: Opt<List<Text>> =
        text("source.database", "", "Database to take over. May be repeated. Default: all.").list();
    pub(super) static ENDPOINT: Opt<Maybe<Text>> =
        text("source.endpoint", "", "Address of the ArangoDB server, as Persea reaches it: http+tcp://HOST:PORT or http+ssl://HOST:PORT.").optional();
    static JWT_TOKEN: Opt<Maybe<Text>> =
        text("source.jwt-token", "", "Send this token to the ArangoDB server instead of a user and a password.").optional().secret();
    static PASSWORD: Opt<Maybe<Text>> =
        text("source.password", "", "Password of the user of the ArangoDB server. Default: empty; prompts on a terminal.").optional().secret();
    static USERNAME: Opt<Text> =
        text("source.username", "root", "Name of a user of the ArangoDB server who may administer _system.");
    static THREADS: Opt<Number> =
        number("threads", "0", "Number of collections that the server copies concurrently; 0 lets the server choose.");
    static WAIT: Opt<Flag> =
        flag("wait", false, "Wait: after `start` and `resume` until the log is applied to its end, after `cut-over` until Persea has taken over.");
}

/// The settings of the tool.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) operation: Operation,
    pub(super) comparison: &'static str,
    pub(super) differences: usize,
    pub(super) force: bool,
    pub(super) is_json: bool,
    pub(super) progress: bool,
    pub(super) threads: u64,
    pub(super) waits: bool,
    pub(super) source: SourceSettings,
}

/// The ArangoDB server.
#[derive(Debug)]
pub(super) struct SourceSettings {
    pub(super) endpoint: Option<String>,
    pub(super) user: String,
    pub(super) password: Option<String>,
    pub(super) token: Option<String>,
    pub(super) ca_file: Option<String>,
    pub(super) databases: Vec<String>,
}

impl Settings {
    pub(super) fn read(options: &Options) -> Result<Self, Failure> {
        let text = |option: &Opt<Maybe<Text>>| options.non_empty(option).map(str::to_owned);
        let source = SourceSettings {
            endpoint: text(&ENDPOINT),
            user: options.get(&USERNAME).to_owned(),
            password: options.get(&PASSWORD).map(str::to_owned),
            token: text(&JWT_TOKEN),
            ca_file: text(&CAFILE),
            databases: options.get(&DATABASE).into_iter().map(str::to_owned).collect(),
        };
        let settings = Settings {
            operation: options.get(&OPERATION),
            comparison: options.get(&COMPARISON),
            differences: options.get(&DIFFERENCES).min(DIFFERENCES_MAX) as usize,
            force: options.get(&FORCE),
            is_json: options.get(&JSON),
            progress: options.get(&PROGRESS),
            threads: options.get(&THREADS),
            waits: options.get(&WAIT),
            source,
        };
        let needs_source =
            matches!(settings.operation, Operation::Probe | Operation::Start | Operation::Compare);
        if needs_source && settings.source.endpoint.is_none() {
            return Err(Failure::option("--source.endpoint is missing: the address of the ArangoDB server"));
        }
        if settings.source.token.is_some() && options.is_given(&PASSWORD) {
            return Err(Failure::option(
                "--source.jwt-token and --source.password are different credentials; use only one",
            ));
        }
        Ok(settings)
    }
}
