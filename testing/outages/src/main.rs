//! Checks several servers on one cluster, under load, while processes fail and messages wait.
//!
//! Transfers between accounts, counters, unique names and a graph are written through all servers.
//! At any moment a reader must find a state that transactions permit. At the end all that was
//! acknowledged must be there. The program also measures how long nothing was acknowledged after
//! each fault.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod arguments;
mod journal;
mod disturb;
mod load;
mod report;
mod run;

use std::process::ExitCode;

use arguments::{Arguments, USAGE};
use server_process::command_line::run_program;

fn main() -> ExitCode {
    run_program(USAGE, Arguments::read, |arguments| {
        println!("seed {}, {} servers, {} stores", arguments.seed, arguments.servers, arguments.stores);
        match run::run(&arguments) {
            Ok(()) => {
                println!("nothing acknowledged was lost, and no reader saw a forbidden state");
                ExitCode::SUCCESS
            }
            Err(failure) => {
                eprintln!("{failure}");
                ExitCode::FAILURE
            }
        }
    })
}
