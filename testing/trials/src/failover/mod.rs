//! Writes to a group of servers that elect their leader, while its members fail.
//!
//! Members are killed, paused and stopped in an orderly way at random moments. Each client writes
//! to whoever leads. At the end all members must have the same documents. In synchronous mode every
//! acknowledged write is there. Otherwise those that are lost are in the files that former leaders
//! have set aside.

mod arguments;
mod members;
mod disturb;
mod writer;
mod verify;
mod run;

use std::process::ExitCode;

use crate::options::Trial;
use arguments::{Arguments, USAGE};

/// See the module.
pub(crate) const TRIAL: Trial = Trial {
    name: "failover",
    about: "writes to a group of servers while its members fail",
    usage: || USAGE.to_owned(),
    run: |words| Arguments::read(words).map(|arguments| run_and_report(&arguments)),
};

fn run_and_report(arguments: &Arguments) -> ExitCode {
    let mode = if arguments.is_synchronous { "synchronous" } else { "asynchronous" };
    println!("seed {}, {} members, {mode}", arguments.common.seed, arguments.members);
    match run::run(arguments) {
        Ok(()) => {
            println!("all members are equal, and nothing acknowledged was lost in silence");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
