//! `persea shell`, also called through a link named `arangosh`: JavaScript with ArangoDB's API.
//!
//! [`options`] reads the options. [`session`] holds the isolate of crate `javascript`, for which
//! [`host`] sends requests, prints ([`output`]), and reaches files ([`files`]) and other hosts
//! ([`network`]). Without a terminal
//! [`script`] runs files, texts and the standard input, whose statements [`statement`] finds.
//! [`report`] words the errors of scripts.

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

use std::io::{IsTerminal, stdin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ::options::Options;

use self::options::{Settings, Work};
use crate::options::server::client_options;
use crate::{Console, Failure, Server, Tool, find_server, interrupt};
use host::Connection;
use session::Session;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "shell",
    links: &["arangosh"],
    summary: "run JavaScript with ArangoDB's API, at a prompt or from files",
    when_stopped: "the script ended in the middle of its work",
    handles_signals: true,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options)?;
    let flag = Arc::new(AtomicBool::new(false));
    let mut endpoints = client_options(options)?;
    endpoints.iter_mut().for_each(|endpoint| endpoint.interrupt = Some(Arc::clone(&flag)));
    let has_prompt = settings.work == Work::Statements && stdin().is_terminal();
    let watched = match has_prompt {
        true => interrupt::watch_flag(Arc::clone(&flag)),
        false => interrupt::watch(&TOOL, console),
    };
    if let Err(error) = watched {
        console.warning(&format!("signals will end the shell without a word: {error}"));
    }
    let server = find_server(endpoints, console, false)?;
    let connection = Rc::new(Connection::new(server.client.clone(), Arc::clone(&flag)));
    let session = Session::new(&settings, &connection, console, flag)?;
    match &settings.work {
        Work::Check(files) => script::check(&session, files, console),
        Work::Scripts { files, texts } => script::run(&session, files, texts),
        Work::Statements if has_prompt => {
            if !settings.is_quiet {
                welcome(&session, &server)?;
            }
            prompt::run(&Rc::new(session), &settings, &connection, console)
        }
        Work::Statements => script::run_statements(&session),
    }
}

fn welcome(session: &Session, server: &Server) -> Result<(), Failure> {
    let text = format!(
        "Persea shell, connected to {}.\nType help for help, the tabulator key for names, exit or Ctrl-D to leave.\n\n",
        server.description()
    );
    session
        .output
        .print(&text)
        .map_err(|error| Failure::new(format!("the output cannot be written: {error}")))
}

#[cfg(test)]
mod tests;
