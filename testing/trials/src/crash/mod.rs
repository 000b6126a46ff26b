//! Kills a server by SIGKILL at random moments of all kinds of writes, and checks after each
//! restart that nothing acknowledged is lost and nothing is half done.

mod arguments;
mod state;
mod torn;
mod failing;
mod observe;
mod index;
mod view;
mod action;
mod writer;
mod follower;
mod copy;
mod run;

use std::process::ExitCode;

use crate::options::Trial;
use arguments::{Arguments, USAGE};

/// See the module.
pub(crate) const TRIAL: Trial = Trial {
    name: "crash",
    about: "kills a server at random moments of writes",
    usage: || USAGE.to_owned(),
    run: |words| Arguments::read(words).map(|arguments| run_in_folder(&arguments)),
};

/// Runs in a temporary folder, which stays after a failure.
fn run_in_folder(arguments: &Arguments) -> ExitCode {
    println!("seed {}, {} writers", arguments.common.seed, arguments.writers);
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("a temporary folder: {error}");
            return ExitCode::FAILURE;
        }
    };
    match run::run(arguments, folder.path()) {
        Ok(run::Summary { kills, failing, torn, acknowledged, changes, longest_start, copy_kills }) => {
            println!(
                "{kills} kills, {failing} of them after failed writes and {torn} with a torn log; {acknowledged} writes acknowledged and found, {changes} changes in the log; the longest start took {longest_start:.1?}"
            );
            if let Some(kills) = copy_kills {
                println!("a copy, which was killed {kills} times, always came to the same");
            }
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}\nthe data are in {}", folder.keep().display());
            ExitCode::FAILURE
        }
    }
}
