//! `persea foxx`: services in JavaScript, installed, configured, tested and removed, and bundles
//! made of their folders.
//!
//! The commands have the names, arguments and options of foxx-cli ([`command`]). Those about a
//! server are requests ([`request`]), the others work on files: [`folder`] finds the files of a
//! service, [`ignore`] leaves some out, and [`archive`] packs them.

mod ignore;
mod value;
mod folder;
mod archive;
mod fetch;
mod source;
mod reporter;
mod options;
mod command;
mod request;
mod report;
mod service;
mod settings;
mod scripts;
mod init;
#[cfg(test)]
mod tests;

use self::command::{Call, Command};
use self::request::Service;
use crate::{Console, Failure, Tool, connect};
use ::options::Options;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "foxx",
    links: &[],
    summary: "install, configure, test and remove services in JavaScript",
    when_stopped: "the server may have done the work or not",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let call = Call::read(options)?;
    let folder = call.argument(0).unwrap_or(".");
    match call.command {
        Command::Bundle => return service::bundle(folder, options, console),
        Command::Init => return init::init(folder, options, console),
        Command::Ignore => return init::ignore(&call, options, console),
        Command::Server => return server(&call, options, console),
        _ => {}
    }
    let client = connect(options, console, false)?.client;
    let service = Service { client: &client, mount: call.mount() };
    match call.command {
        Command::List => service::list(&client, options, console),
        Command::Info => service::info(&service, options, console),
        Command::Install | Command::Upgrade | Command::Replace => {
            service::install(&service, &call, options, console)
        }
        Command::Uninstall => service::uninstall(&service, options, console),
        Command::Configuration | Command::Dependencies => settings::run(&service, &call, options, console),
        Command::Scripts => scripts::list(&service, options, console),
        Command::Run => scripts::run(&service, &call, console),
        Command::Test => report::run(&service, &call, options, console),
        Command::SetDevelopment => service::develop(&service, true, console),
        Command::SetProduction => service::develop(&service, false, console),
        Command::Download => service::download(&service, options, console),
        Command::Bundle | Command::Init | Command::Ignore | Command::Server => Ok(()),
    }
}

/// Shows the server of the options. foxx-cli keeps a list of servers, which this tool does not.
fn server(call: &Call, options: &Options, console: &Console) -> Result<(), Failure> {
    match call.argument(0).unwrap_or("list") {
        "list" | "ls" | "show" | "info" => {
            console.print(&connect(options, console, false)?.description());
            Ok(())
        }
        other => Err(Failure::option(format!(
            "there is no `server {other}`: this tool keeps no list of servers; name one with --server.endpoint, or in a \
             file for --configuration"
        ))),
    }
}
