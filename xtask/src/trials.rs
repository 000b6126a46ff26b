//! Trials of a running server: builds it and the program `trials`, which does the rest.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, cargo, run};

/// A trial, and the options of its check, if it has one.
pub(crate) struct Trial {
    pub(crate) name: &'static str,
    check: &'static [&'static str],
}

/// The trials. Their checks have seeds, so that random choices repeat themselves.
pub(crate) const TRIALS: &[Trial] = &[
    // Generous bounds of time for a slow machine. The bounds of memory stay.
    Trial { name: "attack", check: &["--seconds", "25", "--seed", "1", "--floor", "3000"] },
    Trial { name: "crash", check: &["--kills", "40", "--seed", "1", "--seconds", "10"] },
    Trial { name: "histories", check: &["--seconds", "8", "--seed", "1", "--kills", "2"] },
    Trial { name: "rules", check: &["--seconds", "8", "--seed", "1"] },
    // It needs the programs of a cluster.
    Trial { name: "outages", check: &[] },
    // It takes minutes to meet all kinds of faults.
    Trial { name: "failover", check: &[] },
];

/// Runs a trial with the options of its check.
pub(crate) fn check(name: &str) -> Result<(), Failure> {
    let trial = TRIALS.iter().find(|trial| trial.name == name);
    let trial = trial.ok_or_else(|| format!("there is no trial {name}"))?;
    check_with(name, trial.check)
}

/// Runs a trial with these options on the server of the tests.
pub(crate) fn check_with(name: &str, options: &[&str]) -> Result<(), Failure> {
    let programs = build_for_tests(&["persea", "trials"])?;
    let mut command = Command::new(programs.join("trials"));
    run(command.arg(name).args(options).arg("--server").arg(programs.join("persea")))
}

/// Builds the server as the tests have it, and returns its path.
pub(crate) fn server_of_tests() -> Result<PathBuf, Failure> {
    Ok(build_for_tests(&["persea"])?.join("persea"))
}

/// Builds programs as the tests have them, and returns their folder.
///
/// Building a program alone would use other features, and would compile most crates again. A build
/// that names a test, however small, has the features of tests.
fn build_for_tests(programs: &[&str]) -> Result<PathBuf, Failure> {
    let mut arguments = vec!["build", "--quiet", "--workspace", "--test", "replay"];
    arguments.extend(programs.iter().flat_map(|program| ["--bin", program]));
    cargo(&arguments)?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    own.parent().map(Path::to_owned).ok_or_else(|| format!("{} is in no folder", own.display()))
}

/// Runs `cargo xtask NAME [--OPTION VALUE ...]`; the trial says which options there are.
///
/// The server has the profile that this program was built with, unless `--server` names another.
pub(crate) fn run_trial(name: &str, arguments: &[String]) -> Result<(), Failure> {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    if !arguments.iter().any(|argument| argument == "--server") {
        cargo(&[&["build", "--quiet", "--package", "persea"], profile].concat())?;
    }
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", "trials"]).args(profile);
    command.args(["--", name]).args(arguments);
    run(&mut command)
}
