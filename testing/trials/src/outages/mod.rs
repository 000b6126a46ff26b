//! Checks several servers on one cluster, under load, while processes fail and messages wait.
//!
//! Transfers between accounts, counters, unique names and a graph are written through all servers.
//! At any moment a reader must find a state that transactions permit. At the end, everything
//! acknowledged must exist. The program also measures how long nothing was acknowledged after each
//! fault.

mod arguments;
mod disturb;
mod load;
mod run;

use std::process::ExitCode;

use crate::options::Trial;
use arguments::{Arguments, USAGE};

/// See the module.
pub(crate) const TRIAL: Trial = Trial {
    name: "outages",
    about: "writes through several servers while processes of their cluster fail",
    usage: || USAGE.to_owned(),
    run: |words| Arguments::read(words).map(|arguments| run_and_report(&arguments)),
};

fn run_and_report(arguments: &Arguments) -> ExitCode {
    println!("seed {}, {} servers, {} stores", arguments.common.seed, arguments.servers, arguments.stores);
    match run::run(arguments) {
        Ok(()) => {
            println!("nothing acknowledged was lost, and no reader saw a forbidden state");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
