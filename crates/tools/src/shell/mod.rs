//! `persea shell`, also called through a link named `arangosh`: JavaScript with ArangoDB's API.
//!
//! [`options`] reads the options. [`session`] holds the isolate of crate `javascript`, for which
//! [`host`] sends requests, prints ([`output`]), and reaches files ([`files`], [`zip_archive`]) and
//! other hosts ([`network`]). Without a terminal [`script`] runs files, texts and the standard
//! input, whose statements [`statement`] finds.
//! [`report`] formats the errors of scripts.

mod file_errors;
mod files;
mod host;
mod network;
mod options;
mod output;
mod prompt;
mod report;
mod script;
mod session;
mod statement;
mod zip_archive;

use std::io::{IsTerminal, stdin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::options::{Settings, Work};
use crate::connect::{find_server, password_prompt};
use crate::options::server::{client_options, wants_no_server};
use crate::{Console, Failure, Server, Tool, interrupt};
use ::options::Options;
use host::Connection;
use session::Session;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "shell",
    links: &["arangosh"],
    summary: "run JavaScript with ArangoDB's API, at a prompt or from files",
    when_stopped: "the script was interrupted",
    handles_signals: true,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options)?;
    let flag = Arc::new(AtomicBool::new(false));
    let has_prompt = settings.work == Work::Statements && stdin().is_terminal();
    let watched = match has_prompt {
        true => interrupt::watch_flag(Arc::clone(&flag)),
        false => interrupt::watch(&TOOL, console),
    };
    if let Err(error) = watched {
        console
            .warning(&format!("cannot handle signals, which will stop the shell without a message: {error}"));
    }
    let server = server(options, console, &flag, has_prompt)?;
    let client = server.as_ref().map(|server| server.client.clone());
    let connection = Rc::new(Connection::new(client, Arc::clone(&flag)));
    let session = Session::new(&settings, &connection, console, flag)?;
    match &settings.work {
        Work::Check(files) => script::check(&session, files, console),
        Work::Scripts { files, texts } => script::run(&session, files, texts),
        Work::Statements if has_prompt => {
            if !settings.is_quiet {
                welcome(&session, server.as_ref())?;
            }
            prompt::run(&Rc::new(session), &settings, &connection, console)
        }
        Work::Statements => script::run_statements(&session),
    }
}

/// Connects to the server; none if the options want none.
///
/// A person at a prompt may connect later, so that a server that does not answer is not an error
/// there.
fn server(
    options: &Options,
    console: &Console,
    flag: &Arc<AtomicBool>,
    has_prompt: bool,
) -> Result<Option<Server>, Failure> {
    if wants_no_server(options) {
        return Ok(None);
    }
    let mut endpoints = client_options(options)?;
    endpoints.iter_mut().for_each(|endpoint| endpoint.interrupt = Some(Arc::clone(flag)));
    match find_server(endpoints, password_prompt(options), console, false) {
        Err(failure) if has_prompt => {
            console.error(failure.text());
            Ok(None)
        }
        found => found.map(Some),
    }
}

fn welcome(session: &Session, server: Option<&Server>) -> Result<(), Failure> {
    let state = match server {
        Some(server) => format!("connected to {}", server.description()),
        None => "not connected; arango.reconnect(endpoint, database, user, password) connects".to_owned(),
    };
    let text = format!(
        "Persea shell, {state}.\nType help for help, Tab to complete names, exit or Ctrl-D to leave.\n\n"
    );
    session
        .output
        .print(&text)
        .map_err(|error| Failure::new(format!("the output cannot be written: {error}")))
}

#[cfg(test)]
mod tests;
