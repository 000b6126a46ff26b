//! `--log`: the log and its outputs.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use options::{Bytes, Choice, Flag, List, Maybe, Opt, Options, Text, bytes, choice, flag, text};
use server::ApiAccess;
use server::service::log::{Format, Level, Log, LogOptions, Output};

use crate::failure::Failure;

const ACCESS: &[(&str, ApiAccess); 3] =
    &[("true", ApiAccess::Administrator), ("false", ApiAccess::Disabled), ("jwt", ApiAccess::Superuser)];

const LEVELS: &[(&str, Level); 8] = &[
    ("fatal", Level::Fatal),
    ("error", Level::Error),
    ("err", Level::Error),
    ("warning", Level::Warning),
    ("warn", Level::Warning),
    ("info", Level::Info),
    ("debug", Level::Debug),
    ("trace", Level::Trace),
];

options::section! {
    pub(super) static API_ENABLED: Opt<Choice<ApiAccess>> =
        choice("log.api-enabled", ACCESS, "true", "Access to /_admin/log: `true` for administrators, `false` for nobody, `jwt` for superusers.");
    static COLOR: Opt<Flag> =
        flag("log.color", true, "Colour the levels when logging to a terminal.");
    static ESCAPE_CONTROL_CHARS: Opt<Flag> =
        flag("log.escape-control-chars", true, "Escape control characters.");
    static ESCAPE_UNICODE_CHARS: Opt<Flag> =
        flag("log.escape-unicode-chars", false, "Escape non-ASCII characters.");
    static FILE: Opt<Maybe<Text>> =
        text("log.file", "", "Append the log to this file instead of writing it to standard error. SIGHUP reopens the file.").optional();
    static IN_MEMORY: Opt<Flag> =
        flag("log.in-memory", true, "Keep recent entries in memory for /_admin/log.");
    static IN_MEMORY_LEVEL: Opt<Choice<Level>> =
        choice("log.in-memory-level", LEVELS, "info", "Minimum level of the entries that are kept in memory.");
    pub(super) static LEVEL: Opt<List<Text>> =
        text("log.level", "info", "Minimum level of entries: fatal, error, warning, info, debug or trace; or TOPIC=LEVEL.").list();
    static LOG: Opt<List<Text>> =
        text("log", "", "Alias of --log.level.").list();
    static MAX_ENTRY_LENGTH: Opt<Bytes> =
        bytes("log.max-entry-length", "64KiB", "Maximum length of an entry in bytes.");
    static OUTPUT: Opt<List<Text>> =
        text("log.output", "", "Write the log to `-` (standard output), `+` (standard error) or file://PATH.").list();
    static PROCESS: Opt<Flag> =
        flag("log.process", true, "Include the process ID in each entry.");
    static STRUCTURED_PARAM: Opt<List<Text>> =
        text("log.structured-param", "", "Include this property of the request in each entry: database, username or url. NAME=false leaves it out.").list();
    pub(super) static RECORDING_API_ENABLED: Opt<Choice<ApiAccess>> =
        choice("log.recording-api-enabled", ACCESS, "true", "Access to /_admin/server/api-calls and aql-queries: `true` for administrators, `false` for nobody, `jwt` for superusers.");
    pub(super) static USE_JSON_FORMAT: Opt<Flag> =
        flag("log.use-json-format", false, "Write each entry as a JSON object.");
}

/// Returns the names of the log's outputs.
fn outputs(options: &Options) -> Vec<String> {
    let file = options.get(&FILE).map(|path| format!("file://{path}"));
    let named = file.into_iter().chain(options.get(&OUTPUT).into_iter().map(str::to_owned));
    let named: Vec<String> = named.collect();
    if named.is_empty() { vec!["+".to_owned()] } else { named }
}

/// Returns the first file that the log goes to.
pub(crate) fn first_file(options: &Options) -> Option<PathBuf> {
    outputs(options).iter().find_map(|output| output.strip_prefix("file://").map(PathBuf::from))
}

/// Returns true if the log goes to the standard error output.
pub(crate) fn is_on_stderr(options: &Options) -> bool {
    outputs(options).iter().any(|output| output == "+")
}

/// Returns true if the log goes to an output of the process, and not to a file only.
pub(crate) fn is_on_terminal(options: &Options) -> bool {
    outputs(options).iter().any(|output| matches!(output.as_str(), "+" | "-"))
}

/// Opens the log and installs it for the process.
pub(crate) fn open(options: &Options) -> Result<Arc<Log>, Failure> {
    let named = outputs(options);
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let log = Log::new(LogOptions {
        outputs: named.iter().map(|name| open_output(name)).collect::<Result<Vec<_>, _>>()?,
        format: format(options, &named),
        in_memory_level: options.get(&IN_MEMORY_LEVEL),
        without_memory: !options.get(&IN_MEMORY),
        max_entry_bytes: options.size(&MAX_ENTRY_LENGTH),
    });
    let levels = options.get(&LEVEL).into_iter().chain(options.get(&LOG));
    for setting in levels.flat_map(|levels| levels.split(',')) {
        set_level(&log, setting)?;
    }
    log.remember_levels();
    for parameter in options.get(&STRUCTURED_PARAM) {
        let (name, shown) = parameter.split_once('=').unwrap_or((parameter, "true"));
        if !log.show(name, shown != "false") {
            return Err(format!("--{}: there is no parameter {name:?}", STRUCTURED_PARAM.name).into());
        }
    }
    log.install();
    Ok(log)
}

fn format(options: &Options, outputs: &[&str]) -> Format {
    let to_terminal = match outputs {
        ["-"] => std::io::stdout().is_terminal(),
        ["+"] => std::io::stderr().is_terminal(),
        _ => false,
    };
    Format {
        json: options.get(&USE_JSON_FORMAT),
        color: options.get(&COLOR) && to_terminal,
        escape_control_characters: options.get(&ESCAPE_CONTROL_CHARS),
        escape_unicode: options.get(&ESCAPE_UNICODE_CHARS),
        process: options.get(&PROCESS),
    }
}

fn open_output(name: &str) -> Result<Output, Failure> {
    match name {
        "-" => Ok(Output::Stdout),
        "+" => Ok(Output::Stderr),
        other => {
            let path = other
                .strip_prefix("file://")
                .ok_or_else(|| format!("--{} must be -, + or file://PATH, not {other:?}", OUTPUT.name))?;
            let opened = Output::file(path.as_ref());
            Ok(opened.map_err(|error| format!("the log file {path} cannot be opened: {error}"))?)
        }
    }
}

fn set_level(log: &Log, setting: &str) -> Result<(), Failure> {
    let (topic, level) = setting.split_once('=').unwrap_or(("all", setting));
    let known =
        Level::from_name(level).ok_or_else(|| format!("--{}: there is no level {level:?}", LEVEL.name))?;
    if !log.set_level(topic, known) {
        return Err(format!("--{}: there is no topic {topic:?}", LEVEL.name).into());
    }
    Ok(())
}
