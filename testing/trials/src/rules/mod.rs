//! Tries to get around the rules of collections in every way that a user has.
//!
//! Two databases have the same definitions. In one of them, random rules restrict a user. The other
//! one holds only what the user may see, and has no rules. The same requests must get the same
//! replies. No reply may have the text of a hidden document, and no write may change one.

mod arguments;
mod condition;
mod world;
mod reads;
mod compare;
mod writes;
mod run;

use std::process::ExitCode;

use crate::options::Trial;
use crate::verdict;
use arguments::{Arguments, USAGE};

/// See the module.
pub(crate) const TRIAL: Trial = Trial {
    name: "rules",
    about: "tries to see and change what rules for documents hide",
    usage: || USAGE.to_owned(),
    run: |words| Arguments::read(words).map(|arguments| run_and_judge(&arguments)),
};

fn run_and_judge(arguments: &Arguments) -> ExitCode {
    println!("seed {}", arguments.common.seed);
    match verdict::in_folder(|folder| run::run(arguments, folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
