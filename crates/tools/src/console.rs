//! What a tool says: messages by level, results, and a line that shows how far it is.

use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write, stderr, stdout};
use std::sync::{Arc, Mutex, PoisonError};

use options::Options;

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
    fn from_name(name: &str) -> Self {
        match name {
            "debug" | "trace" => Level::Debug,
            "warning" | "warn" => Level::Warning,
            "error" | "err" | "fatal" => Level::Error,
            _ => Level::Info,
        }
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
    has_color: bool,
    state: Mutex<State>,
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
        Self::new(Level::Info, true, vec![Output::Stderr])
    }

    /// As the options say.
    pub fn open(options: &Options) -> Result<Self, Failure> {
        let level = options.text("log.level").map_or(Level::Info, Level::from_name);
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
        Ok(Self::new(level, options.flag("log.color"), outputs))
    }

    fn new(level: Level, has_color: bool, outputs: Vec<Output>) -> Self {
        let state = Mutex::new(State { outputs, status: String::new() });
        Console { shared: Arc::new(Shared { level, has_color, state }) }
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
        let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { outputs, status } = &mut *state;
        erase(status);
        for output in outputs {
            let color = self.shared.has_color && output.is_terminal();
            let (begin, end) = if color { (level.color(), "\x1b[0m") } else { ("", "") };
            output.write(&format!("{time} {begin}{}{end} {text}\n", level.name()));
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
