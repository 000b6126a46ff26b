//! `--log`: the messages of a tool.

use options::{Flag, List, Maybe, Opt, Options, Text, flag, text};

use crate::console::{Console, Form, Level, Output};
use crate::failure::Failure;

options::section! {
    static COLOR: Opt<Flag> =
        flag("log.color", true, "Colour the levels on a terminal.").uncommon();
    static FILE: Opt<Maybe<Text>> =
        text("log.file", "", "Append messages to this file, in addition to --log.output.").optional().uncommon();
    static LEVEL: Opt<List<Text>> =
        text("log.level", "info", "Minimum level of messages: fatal, error, warning, info, debug or trace; or TOPIC=LEVEL for the topics all, general and the tool's own.").list();
    static OUTPUT: Opt<List<Text>> =
        text("log.output", "+", "Write messages to `-` (standard output), `+` (standard error) or file://PATH.").list().uncommon();
    static USE_JSON_FORMAT: Opt<Flag> =
        flag("log.use-json-format", false, "Write each message as a JSON object with time, level and message.").uncommon();
}

/// Opens the outputs of messages.
pub(crate) fn open(options: &Options) -> Result<Console, Failure> {
    let level = level(options)?;
    let form = match options.get(&USE_JSON_FORMAT) {
        true => Form::Json,
        false if options.get(&COLOR) => Form::Colors,
        false => Form::Text,
    };
    let mut outputs = Vec::new();
    for name in options.get(&OUTPUT) {
        outputs.push(match name {
            "-" => Output::Stdout,
            "+" => Output::Stderr,
            other => match other.strip_prefix("file://") {
                Some(path) => open_file(OUTPUT.name, path)?,
                None => {
                    let text = format!("--{} must be -, + or file://PATH, not {other:?}", OUTPUT.name);
                    return Err(Failure::option(text));
                }
            },
        });
    }
    if let Some(path) = options.get(&FILE) {
        outputs.push(open_file(FILE.name, path)?);
    }
    Ok(Console::new(level, form, outputs))
}

/// Reads the level of messages.
///
/// The topics `all`, `general` and the tool's name count, the last one most. Other topics belong to
/// parts that only ArangoDB's tools have.
fn level(options: &Options) -> Result<Level, Failure> {
    let own = options.program().name.rsplit(' ').next().unwrap_or_default();
    let mut chosen = Level::Info;
    for setting in options.get(&LEVEL).into_iter().flat_map(|settings| settings.split(',')) {
        let (topic, name) = setting.split_once('=').unwrap_or(("all", setting));
        let level = Level::from_name(name.trim()).ok_or_else(|| {
            Failure::option(format!(
                "--{} must be fatal, error, warning, info, debug or trace, or TOPIC= followed by one of them, not {setting:?}",
                LEVEL.name
            ))
        })?;
        if ["all", "general", own].contains(&topic.trim()) {
            chosen = level;
        }
    }
    Ok(chosen)
}

fn open_file(option: &str, path: &str) -> Result<Output, Failure> {
    Output::file(path)
        .map_err(|error| Failure::option(format!("--{option}: {path} cannot be opened: {error}")))
}
