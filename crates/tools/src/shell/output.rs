//! The output of scripts: the standard output, a pager, and a file of everything that happens.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, Write, stdout};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The output of a shell.
#[derive(Debug, Default)]
pub(super) struct Output {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    audit: Option<File>,
    /// The command of a pager.
    pager_command: String,
    pager: Option<Child>,
}

impl Output {
    /// Opens the file that statements and results are appended to.
    pub(super) fn new(audit_file: Option<&Path>, pager_command: &str) -> io::Result<Self> {
        let open = |path: &Path| OpenOptions::new().create(true).append(true).open(path);
        let audit = audit_file.map(open).transpose()?;
        let state = State { audit, pager_command: pager_command.to_owned(), pager: None };
        Ok(Output { state: RefCell::new(state) })
    }

    /// Prints a text as it is. Errors: the output is closed, or its disk full.
    pub(super) fn print(&self, text: &str) -> io::Result<()> {
        let state = &mut *self.state.borrow_mut();
        if let Some(file) = &mut state.audit {
            file.write_all(text.as_bytes())?;
        }
        match state.pager.as_mut().and_then(|pager| pager.stdin.as_mut()) {
            // A pager that was closed wants no more.
            Some(pager) => match pager.write_all(text.as_bytes()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                written => written,
            },
            None => {
                let mut output = stdout().lock();
                output.write_all(text.as_bytes())?;
                output.flush()
            }
        }
    }

    /// Notes a statement in the file of everything that happens.
    pub(super) fn note(&self, prompt: &str, statement: &str) {
        if let Some(file) = &mut self.state.borrow_mut().audit {
            // A full disk does not stop the shell.
            let _ = writeln!(file, "{prompt}{statement}");
        }
    }

    /// Sends everything that is printed from now on through the pager.
    pub(super) fn begin_pager(&self) -> io::Result<()> {
        let mut state = self.state.borrow_mut();
        if state.pager.is_none() {
            let command =
                Command::new("sh").arg("-c").arg(&state.pager_command).stdin(Stdio::piped()).spawn();
            state.pager = Some(command?);
        }
        Ok(())
    }

    /// Waits until the person has left the pager.
    pub(super) fn end_pager(&self) {
        if let Some(mut pager) = self.state.borrow_mut().pager.take() {
            drop(pager.stdin.take());
            let _ = pager.wait();
        }
    }
}
