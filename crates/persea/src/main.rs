//! Persea: one binary. `persea server` starts the server; through a link named `arangod` it takes that program's options.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod endpoint;
mod options;
mod process;
mod serve;
mod settings;

use std::path::Path;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "\
usage: persea server [--OPTION VALUE ...]    start the server (persea server --help lists the options)
       persea version                        print the version

Called through a link named arangod, it takes the options of `persea server`.";

/// Exit code for a command line or a configuration that cannot be used.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut arguments = std::env::args();
    let program = arguments.next().unwrap_or_default();
    let name = Path::new(&program).file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let mut arguments: Vec<String> = arguments.collect();
    let command = if name == "arangod" {
        "server".to_owned()
    } else if arguments.is_empty() {
        String::new()
    } else {
        arguments.remove(0)
    };
    match command.as_str() {
        "server" => serve::run(&arguments),
        "version" | "--version" | "-V" => {
            println!(
                "persea {} (compatible with ArangoDB {})",
                server::server::PERSEA_VERSION,
                server::server::ARANGODB_VERSION
            );
            ExitCode::SUCCESS
        }
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        "" => {
            eprintln!("{USAGE}");
            ExitCode::from(EXIT_USAGE)
        }
        other => {
            eprintln!("persea: there is no command {other:?}\n\n{USAGE}");
            ExitCode::from(EXIT_USAGE)
        }
    }
}
