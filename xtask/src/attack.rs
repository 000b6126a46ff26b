//! Attacks on the server: builds it and the program of the crate `attack`, which does the rest.

use std::process::Command;

use crate::{Failure, cargo, run};

/// The options of the check: a seed that repeats itself, and bounds of time for a slow machine. The
/// bounds of memory stay.
const CHECK: [&str; 6] = ["--seconds", "40", "--seed", "1", "--floor", "3000"];

/// Attacks for about a minute.
pub(crate) fn check() -> Result<(), Failure> {
    run_program(&CHECK.map(str::to_owned))
}

/// Runs `cargo xtask attack [--OPTION VALUE ...]`; the program says which options there are.
///
/// The server has the profile that this program was built with, unless `--server` names another.
pub(crate) fn run_program(arguments: &[String]) -> Result<(), Failure> {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    if !arguments.iter().any(|argument| argument == "--server") {
        cargo(&[&["build", "--quiet", "--package", "persea"], profile].concat())?;
    }
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", "attack"]).args(profile).arg("--").args(arguments);
    run(&mut command)
}
