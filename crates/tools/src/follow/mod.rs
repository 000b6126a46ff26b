//! `persea follow`: looks at a server that follows another one, pauses it, and makes it a leader.

mod options;

use self::options::{Operation, Settings};
use crate::following::{Goal, command, print_status, status, wait};
use crate::{Console, Failure, Tool, connect};
use ::options::Options;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "follow",
    links: &[],
    summary: "show, pause and promote a server that follows another one",
    when_stopped: "the server continues",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options);
    let client = connect(options, console, false)?.client;
    let name = match settings.operation {
        Operation::Status => return print_status(&status(&client)?, settings.is_json, console),
        Operation::Promote => "promote",
        Operation::Pause => "pause",
        Operation::Resume => "resume",
    };
    command(&client, name, |_| Ok(()))?;
    let status = match settings.operation {
        Operation::Promote => wait(&client, Goal::Ended, settings.progress, console)?,
        Operation::Resume if settings.waits => wait(&client, Goal::CaughtUp, settings.progress, console)?,
        _ => status(&client)?,
    };
    print_status(&status, settings.is_json, console)
}
