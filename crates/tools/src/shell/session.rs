//! A shell's isolate, and the calls into it.

use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use javascript::{Failure as ScriptFailure, Isolate, Limits};
use velocypack::{Builder, Slice};

use super::host::{Connection, ShellHost};
use super::network::OutsideNetwork;
use super::options::Settings;
use super::output::Output;
use crate::{Console, Failure};

/// The module of the functions that the shell calls.
const MODULE: &str = "persea/repl";

/// The depth of the stack of scripts in bytes. The main thread of a process has 8 MiB.
const STACK_BYTES: usize = 4 << 20;

/// An isolate with the state of a shell around it.
pub(super) struct Session {
    isolate: Isolate,
    pub(super) output: Rc<Output>,
    pub(super) interrupt: Arc<AtomicBool>,
    deadline: Option<std::time::Duration>,
}

impl Session {
    /// Makes the isolate and tells it the arguments and the folders of modules.
    pub(super) fn new(
        settings: &Settings,
        connection: &Rc<Connection>,
        console: &Console,
        interrupt: Arc<AtomicBool>,
    ) -> Result<Self, Failure> {
        let output = Output::new(settings.audit_file.as_deref(), &settings.pager_command);
        let output = Rc::new(output.map_err(|error: io::Error| {
            Failure::option(format!("the file of --console.audit-file cannot be opened: {error}"))
        })?);
        let host = ShellHost {
            connection: Rc::clone(connection),
            output: Rc::clone(&output),
            network: OutsideNetwork { interrupt: Arc::clone(&interrupt) },
            console: console.clone(),
            arguments: settings.arguments.clone(),
            colors: settings.colors,
            is_pretty: settings.is_pretty,
        };
        let limits = Limits { memory_bytes: settings.memory_bytes, stack_bytes: STACK_BYTES, deadline: None };
        let isolate = Isolate::new(Box::new(host), &limits, Arc::clone(&interrupt));
        let isolate = isolate.map_err(|failure| Failure::new(failure.to_string()))?;
        let session = Session { isolate, output, interrupt, deadline: settings.deadline };
        let folders: Vec<&str> = settings.module_folders.iter().map(String::as_str).collect();
        session.call("begin", &[list(&folders)?]).map_err(|failure| Failure::new(failure.to_string()))?;
        Ok(session)
    }

    /// Runs a file in the global scope.
    pub(super) fn run_file(&self, path: &str) -> Result<(), ScriptFailure> {
        self.start();
        self.isolate.call(MODULE, "runFile", &[Slice::new(&text(path))]).map(|_| ())
    }

    /// Runs a text in the global scope.
    pub(super) fn run(&self, name: &str, source: &str) -> Result<(), ScriptFailure> {
        self.start();
        self.isolate.run(name, source)
    }

    /// Runs a statement and prints its value.
    pub(super) fn evaluate(&self, name: &str, source: &str) -> Result<(), ScriptFailure> {
        self.start();
        self.isolate
            .call(MODULE, "evaluate", &[Slice::new(&text(source)), Slice::new(&text(name))])
            .map(|_| ())
    }

    /// Calls a function of the shell's module, which no earlier interrupt ends.
    pub(super) fn call(&self, function: &str, arguments: &[Vec<u8>]) -> Result<Vec<u8>, ScriptFailure> {
        self.interrupt.store(false, Ordering::Relaxed);
        let arguments: Vec<Slice<'_>> = arguments.iter().map(|argument| Slice::new(argument)).collect();
        self.isolate.call(MODULE, function, &arguments)
    }

    /// Returns the name of the current database.
    pub(super) fn database(&self) -> String {
        let name = self.call("database", &[]).unwrap_or_default();
        Slice::new(&name).as_str().unwrap_or_default().to_owned()
    }

    /// Begins a script: it has its own time, and is not interrupted yet.
    fn start(&self) {
        self.interrupt.store(false, Ordering::Relaxed);
        self.isolate.set_deadline(self.deadline.and_then(|time| Instant::now().checked_add(time)));
    }
}

/// Returns a text as VelocyPack.
pub(super) fn text(text: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    // A text alone is always accepted.
    let _ = builder.add_str(text);
    builder.into_vec()
}

fn list(texts: &[&str]) -> Result<Vec<u8>, Failure> {
    let mut builder = Builder::new();
    builder.open_array()?;
    for text in texts {
        builder.add_str(text)?;
    }
    builder.close()?;
    Ok(builder.into_vec())
}
