//! The programs that accompany the server: import, export, dump, restore, backup, migrate, follow,
//! group, bench, foxx, doctor, mcp, shell, vpack.
//!
//! A tool is a folder with a [`Tool`] and a line in [`TOOLS`]: the binary finds it by its command
//! or by the name of a link. Tools share their options ([`options`]), the connection ([`connect`]),
//! the outputs ([`Console`], [`Progress`]), and the exit codes ([`Failure`]).

mod console;
mod failure;
mod encrypted;
mod archive;
mod prompt;
mod interrupt;
mod options;
mod progress;
mod connect;
mod input;
mod following;
mod backup;
mod bench;
mod doctor;
mod dump;
mod export;
mod follow;
mod foxx;
mod group;
mod import;
mod mcp;
mod migrate;
mod restore;
mod shell;
mod vpack;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use ::options::{Options, Program, Request, Version};

pub use backup::{RestoreRequest, restore_request};
pub use connect::{Server, connect, create_database};
pub use console::{Console, Level};
pub use failure::Failure;
pub use progress::{Progress, Unit};

/// A program that accompanies the server.
#[derive(Debug)]
pub struct Tool {
    /// The command: `import` in `persea import`.
    pub command: &'static str,
    /// The names of links that select this tool.
    pub links: &'static [&'static str],
    /// The purpose, in a few words.
    pub summary: &'static str,
    /// The state that a signal leaves behind, in a few words.
    pub when_stopped: &'static str,
    /// True if the tool handles SIGINT and SIGTERM itself.
    pub handles_signals: bool,
    /// Its options.
    pub program: &'static Program,
    /// The function that runs the tool.
    pub run: fn(&Options, &Console) -> Result<(), Failure>,
}

/// All tools, in the order of the help text.
pub static TOOLS: &[&Tool] = &[
    &import::TOOL,
    &export::TOOL,
    &dump::TOOL,
    &restore::TOOL,
    &backup::TOOL,
    &migrate::TOOL,
    &follow::TOOL,
    &group::TOOL,
    &bench::TOOL,
    &foxx::TOOL,
    &doctor::TOOL,
    &mcp::TOOL,
    &shell::TOOL,
    &vpack::TOOL,
];

/// Returns the tool of a command, or of the name that the binary was called by.
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().copied().find(|tool| tool.command == name || tool.links.contains(&name))
}

/// Runs a tool with the arguments after its name. `work` gets its options: [`Tool::run`], or a
/// function that does some of the tool's work itself.
pub fn run(
    tool: &'static Tool,
    version: Version,
    arguments: &[String],
    work: impl FnOnce(&Options, &Console) -> Result<(), Failure>,
) -> ExitCode {
    let console = Console::plain();
    let request = Options::read(tool.program, version, arguments, &|name| std::env::var(name).ok());
    let options = match request {
        Ok(Request::Run(options)) => options,
        Ok(Request::Print(text)) => {
            console.print(text.trim_end());
            return ExitCode::SUCCESS;
        }
        Err(mistake) => {
            console.error(&mistake.text);
            return ExitCode::from(mistake.exit_code());
        }
    };
    match run_with(tool, &options, work) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure.exit_code()),
    }
}

fn run_with(
    tool: &'static Tool,
    given: &Options,
    work: impl FnOnce(&Options, &Console) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let console = options::log::open(given).inspect_err(|failure| Console::plain().error(failure.text()))?;
    for name in given.ignored() {
        let reason = tool.program.why_ignored(name).unwrap_or_default();
        console.warning(&format!("--{name} has no effect: {reason}"));
    }
    if given.get(&options::general::CHECK_CONFIGURATION) {
        return Ok(());
    }
    if !tool.handles_signals
        && let Err(error) = interrupt::watch(tool, &console)
    {
        console
            .warning(&format!("cannot handle signals, which will stop the tool without a message: {error}"));
    }
    work(given, &console).inspect_err(|failure| {
        if !failure.text().is_empty() {
            console.error(failure.text());
        }
    })
}
