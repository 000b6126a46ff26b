//! What a tool says: messages by level, results, and a line that shows how far it is.

use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write, stderr, stdout};
use std::sync::{Arc, Mutex, PoisonError};

use options::Options;
use velocypack::json::write_str;

use crate::Failure;

/// How important a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For those who look for a mistake.
    Debug,
    /// What the tool does.
    Info,
    /// Something that may be wrong.
    Warning,
    /// Something that went wrong.
    Error,
}

impl Level {
    /// The level of a name in any case.
    fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "debug" | "trace" => Some(Level::Debug),
            "info" | "default" => Some(Level::Info),
            "warning" | "warn" => Some(Level::Warning),
            "error" | "err" | "fatal" => Some(Level::Error),
            _ => None,
        }
    }

    /// As `--log.level` says: a level, or levels of topics. Ours are `all`, `general` and the tool's name, the last
    /// counts; others are of parts that ArangoDB's tools have.
    fn from_options(options: &Options) -> Result<Self, Failure> {
        let own = options.program().name.rsplit(' ').next().unwrap_or_default();
        let mut chosen = Level::Info;
        for setting in options.all("log.level").into_iter().flat_map(|settings| settings.split(',')) {
            let (topic, name) = setting.split_once('=').unwrap_or(("all", setting));
            let level = Level::from_name(name.trim()).ok_or_else(|| {
                Failure::option(format!(
                    "--log.level must be fatal, error, warning, info, debug or trace, or one of them behind TOPIC=, not {setting:?}"
                ))
            })?;
            if ["all", "general", own].contains(&topic.trim()) {
                chosen = level;
            }
        }
        Ok(chosen)
    }

    fn name(self) -> &'static str {
        match self {
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Warning => "WARNING",
            Level::Error => "ERROR",
        }
    }

    /// The terminal's colour.
    fn color(self) -> &'static str {
        match self {
            Level::Debug => "\x1b[36m",
            Level::Info => "\x1b[32m",
            Level::Warning => "\x1b[33m",
            Level::Error => "\x1b[31m",
        }
    }
}

/// Where messages go. Cheap to clone, shared by threads.
#[derive(Clone, Debug)]
pub struct Console {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    level: Level,
    form: Form,
    state: Mutex<State>,
}

/// What a message looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    /// Text, with colours on a terminal.
    Colors,
    /// A JSON object.
    Json,
}

#[derive(Debug)]
struct State {
    outputs: Vec<Output>,
    /// The line that shows how far the tool is, as it stands on the terminal.
    status: String,
}

#[derive(Debug)]
enum Output {
    Stdout,
    Stderr,
    File(File),
}

impl Console {
    /// Messages from level info to the standard error output.
    pub fn plain() -> Self {
        Self::new(Level::Info, Form::Colors, vec![Output::Stderr])
    }

    /// As the options say.
    pub fn open(options: &Options) -> Result<Self, Failure> {
        let level = Level::from_options(options)?;
        let form = match options.flag("log.use-json-format") {
            true => Form::Json,
            false if options.flag("log.color") => Form::Colors,
            false => Form::Text,
        };
        let mut outputs = Vec::new();
        for name in options.all("log.output") {
            outputs.push(match name {
                "-" => Output::Stdout,
                "+" => Output::Stderr,
                other => match other.strip_prefix("file://") {
                    Some(path) => open_file("log.output", path)?,
                    None => {
                        let text = format!("--log.output must be -, + or file://PATH, not {other:?}");
                        return Err(Failure::option(text));
                    }
                },
            });
        }
        if let Some(path) = options.text("log.file") {
            outputs.push(open_file("log.file", path)?);
        }
        Ok(Self::new(level, form, outputs))
    }

    fn new(level: Level, form: Form, outputs: Vec<Output>) -> Self {
        let state = Mutex::new(State { outputs, status: String::new() });
        Console { shared: Arc::new(Shared { level, form, state }) }
    }

    /// Something that went wrong.
    pub fn error(&self, text: &str) {
        self.message(Level::Error, text);
    }

    /// Something that may be wrong.
    pub fn warning(&self, text: &str) {
        self.message(Level::Warning, text);
    }

    /// What the tool does.
    pub fn info(&self, text: &str) {
        self.message(Level::Info, text);
    }

    /// For those who look for a mistake.
    pub fn debug(&self, text: &str) {
        self.message(Level::Debug, text);
    }

    /// Whether messages of a level are seen by anybody.
    pub fn shows(&self, level: Level) -> bool {
        level >= self.shared.level
    }

    fn message(&self, level: Level, text: &str) {
        if !self.shows(level) {
            return;
        }
        let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let form = self.shared.form;
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { outputs, status } = &mut *state;
        erase(status);
        for output in outputs {
            let line = match form {
                Form::Json => json_line(&time, level, text),
                Form::Colors if output.is_terminal() => {
                    format!("{time} {}{}\x1b[0m {text}\n", level.color(), level.name())
                }
                Form::Colors | Form::Text => format!("{time} {} {text}\n", level.name()),
            };
            output.write(&line);
        }
        draw(status);
    }

    /// Prints a result of the tool to the standard output.
    pub fn print(&self, text: &str) {
        let state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        erase(&state.status);
        Output::Stdout.write(&format!("{text}\n"));
        draw(&state.status);
    }

    /// Replaces the line that shows how far the tool is; nothing removes it. Only where the standard error output is
    /// a terminal.
    pub(crate) fn set_status(&self, text: &str) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        erase(&state.status);
        text.clone_into(&mut state.status);
        draw(&state.status);
    }
}

fn json_line(time: &str, level: Level, text: &str) -> String {
    let mut line = Vec::with_capacity(64 + text.len());
    for (name, value) in [("{\"time\":", time), (",\"level\":", level.name()), (",\"message\":", text)] {
        line.extend_from_slice(name.as_bytes());
        write_str(value, &mut line);
    }
    line.extend_from_slice(b"}\n");
    String::from_utf8(line).unwrap_or_default()
}

fn open_file(option: &str, path: &str) -> Result<Output, Failure> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    let opened =
        opened.map_err(|error| Failure::option(format!("--{option}: {path} cannot be opened: {error}")));
    opened.map(Output::File)
}

impl Output {
    fn is_terminal(&self) -> bool {
        match self {
            Output::Stdout => stdout().is_terminal(),
            Output::Stderr => stderr().is_terminal(),
            Output::File(_) => false,
        }
    }

    /// Who does not hear messages (a full disk, a closed pipe) does not stop the work.
    fn write(&mut self, text: &str) {
        let _ = match self {
            Output::Stdout => stdout().lock().write_all(text.as_bytes()),
            Output::Stderr => stderr().lock().write_all(text.as_bytes()),
            Output::File(file) => file.write_all(text.as_bytes()),
        };
    }
}

fn erase(status: &str) {
    if !status.is_empty() {
        Output::Stderr.write("\r\x1b[K");
    }
}

fn draw(status: &str) {
    if !status.is_empty() {
        Output::Stderr.write(status);
    }
}
