//! `persea migrate`: takes the data of a running ArangoDB server over.
//!
//! The server copies and follows; this tool tells it to, shows how far it has come, and waits for
//! it. [`compare`] alone reads from both servers.

mod options;
mod source;
mod probe;
mod compare;
#[cfg(test)]
mod tests;

use client::Client;

use self::options::{Operation, Settings};
use crate::following::{Goal, command, print_status, status, wait};
use crate::{Console, Failure, Tool, connect};
use ::options::Options;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "migrate",
    links: &[],
    summary: "take over the data of a running ArangoDB server",
    when_stopped: "the server continues; `persea migrate status` shows its state",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let mut settings = Settings::read(options)?;
    if settings.source.endpoint.is_some() {
        settings.source.ask_password()?;
    }
    let server = connect(options, console, false)?;
    let client = &server.client;
    if settings.operation != Operation::Compare && server.persea_version.is_none() {
        return Err(Failure::option(
            "--server.endpoint must name the Persea server that takes the data over, not ArangoDB",
        ));
    }
    match settings.operation {
        Operation::Probe => probe::run(client, &settings, console),
        Operation::Compare => compare::run(client, &settings, console),
        Operation::Status => print_status(&status(client)?, settings.is_json, console),
        Operation::Start => {
            command(client, "", |body| {
                settings.source.write(body)?;
                body.key("kind")?;
                body.add_str("migration")?;
                if settings.threads > 0 {
                    body.key("threads")?;
                    body.add_u64(settings.threads)?;
                }
                Ok(())
            })?;
            end(client, Some(Goal::CaughtUp), &settings, console)
        }
        Operation::CutOver => {
            command(client, "cut-over", |body| {
                body.key("compare")?;
                body.add_str(settings.comparison)?;
                body.key("force")?;
                body.add_bool(settings.force)
            })?;
            end(client, Some(Goal::Ended), &settings, console)
        }
        Operation::Pause => simple(client, "pause", None, &settings, console),
        Operation::Resume => simple(client, "resume", Some(Goal::CaughtUp), &settings, console),
        Operation::Abort => simple(client, "abort", None, &settings, console),
    }
}

/// Sends an operation without settings.
fn simple(
    client: &Client,
    operation: &str,
    goal: Option<Goal>,
    settings: &Settings,
    console: &Console,
) -> Result<(), Failure> {
    command(client, operation, |_| Ok(()))?;
    end(client, goal, settings, console)
}

/// Waits for the goal if the options say so, and prints the state.
fn end(client: &Client, goal: Option<Goal>, settings: &Settings, console: &Console) -> Result<(), Failure> {
    let status = match goal.filter(|_| settings.waits) {
        Some(goal) => wait(client, goal, settings.progress, console)?,
        None => status(client)?,
    };
    print_status(&status, settings.is_json, console)
}
