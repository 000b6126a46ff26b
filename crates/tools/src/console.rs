//! The outputs of a tool: messages by level, results, and a progress line.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write, stderr, stdout};
use std::sync::{Arc, Mutex, PoisonError};

use velocypack::json::write_str;

/// The importance of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Details for debugging.
    Debug,
    /// A step of the tool.
    Info,
    /// A possible problem.
    Warning,
    /// A failure.
    Error,
}

impl Level {
    /// Returns the level with a name, in any case.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "debug" | "trace" => Some(Level::Debug),
            "info" | "default" => Some(Level::Info),
            "warning" | "warn" => Some(Level::Warning),
            "error" | "err" | "fatal" => Some(Level::Error),
            _ => None,
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

    /// Returns the terminal's colour.
    fn color(self) -> &'static str {
        match self {
            Level::Debug => "\x1b[36m",
            Level::Info => "\x1b[32m",
            Level::Warning => "\x1b[33m",
            Level::Error => "\x1b[31m",
        }
    }
}

/// The outputs of messages. A console is cheap to clone, and threads share it.
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

/// The form of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    /// Text, with colours on a terminal.
    Colors,
    /// A JSON object.
    Json,
}

#[derive(Debug)]
struct State {
    outputs: Vec<Output>,
    /// The progress line as it stands on the terminal.
    status: String,
}

/// An output of messages.
#[derive(Debug)]
pub(crate) enum Output {
    Stdout,
    Stderr,
    File(File),
}

impl Console {
    /// Returns a console that writes messages from level info to the standard error output.
    pub fn plain() -> Self {
        Self::new(Level::Info, Form::Colors, vec![Output::Stderr])
    }

    pub(crate) fn new(level: Level, form: Form, outputs: Vec<Output>) -> Self {
        let state = Mutex::new(State { outputs, status: String::new() });
        Console { shared: Arc::new(Shared { level, form, state }) }
    }

    /// Writes a message about a failure.
    pub fn error(&self, text: &str) {
        self.message(Level::Error, text);
    }

    /// Writes a message about a possible problem.
    pub fn warning(&self, text: &str) {
        self.message(Level::Warning, text);
    }

    /// Writes a message about a step of the tool.
    pub fn info(&self, text: &str) {
        self.message(Level::Info, text);
    }

    /// Writes a message for debugging.
    pub fn debug(&self, text: &str) {
        self.message(Level::Debug, text);
    }

    /// Returns true if any output shows messages of a level.
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

    /// Replaces the progress line, which stays on the terminal.
    ///
    /// It is shown only if the standard error output is a terminal.
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

impl Output {
    /// Opens a file that messages are appended to.
    pub(crate) fn file(path: &str) -> io::Result<Self> {
        OpenOptions::new().create(true).append(true).open(path).map(Output::File)
    }

    fn is_terminal(&self) -> bool {
        match self {
            Output::Stdout => stdout().is_terminal(),
            Output::Stderr => stderr().is_terminal(),
            Output::File(_) => false,
        }
    }

    /// Writes a message; a failure (a full disk, a closed pipe) does not stop the work.
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
