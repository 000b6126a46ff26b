//! Persea: one binary. `persea server` starts the server. Through a link named `arangod` it accepts
//! that program's options.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod endpoint;
mod engine;
mod failure;
mod crashes;
mod freed_memory;
mod process;
mod service_manager;
mod data_folder;
mod encryption;
mod options;
mod documents;
mod points;
mod process_roles;
mod serve;

use std::path::Path;
use std::process::ExitCode;

use allocation_meter::CountingAllocator;
use server::version;

use ::options::Version;

/// Counts what each thread allocates, so that no query exceeds its limit. The memory comes from
/// `malloc`: see [`freed_memory`].
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The exit code of a command line without a known command.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut arguments = std::env::args();
    let program = arguments.next().unwrap_or_default();
    let name = Path::new(&program).file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let mut arguments: Vec<String> = arguments.collect();
    // A link with the name of one of ArangoDB's programs acts as that program.
    let command = if name == "arangod" || tools::find(&name).is_some() {
        name
    } else if arguments.is_empty() {
        String::new()
    } else {
        arguments.remove(0)
    };
    match command.as_str() {
        "server" | "arangod" => serve::run(&arguments),
        "version" | "--version" | "-V" => {
            process::print(&version());
            ExitCode::SUCCESS
        }
        // For packages; not in the help text.
        "documents" => documents::run(&arguments),
        "help" | "--help" | "-h" => {
            process::print(&format!("{}\n", usage()));
            ExitCode::SUCCESS
        }
        "" => {
            eprintln!("{}", usage());
            ExitCode::from(EXIT_USAGE)
        }
        other => match tools::find(other) {
            Some(tool) => {
                tools::run(tool, options::VERSION, &arguments, |options, console| match tool.command {
                    "backup" => points::run(tool, options, console),
                    _ => (tool.run)(options, console),
                })
            }
            None => {
                eprintln!("persea: there is no command {other:?}\n\n{}", usage());
                ExitCode::from(EXIT_USAGE)
            }
        },
    }
}

/// Returns the version, and what is known of the build.
fn version() -> String {
    let Version { compatible, own, .. } = options::VERSION;
    let mut text = format!("persea {own} (compatible with ArangoDB {compatible})\n");
    let built = version::build_date();
    for (name, value) in [("commit", version::COMMIT), ("built", &built), ("compiler", version::COMPILER)] {
        if !value.is_empty() {
            text.push_str(&format!("{name}: {value}\n"));
        }
    }
    text
}

fn usage() -> String {
    let mut text = String::from("usage: persea COMMAND [--OPTION VALUE ...]\n\n");
    let mut commands = vec![("server", "start the server")];
    commands.extend(tools::TOOLS.iter().map(|tool| (tool.command, tool.summary)));
    commands.push(("version", "print the version"));
    for (command, summary) in commands {
        text.push_str(&format!("  {command:<10}{summary}\n"));
    }
    text.push_str(
        "\npersea COMMAND --help lists the options of a command. Called through a link with the name of one of ArangoDB's\n\
         programs (arangod, arangoimport, ...), it takes the options of that program.",
    );
    text
}
