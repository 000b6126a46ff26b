//! Programs that test a running server: builds it and the program, which does the rest.

use std::path::PathBuf;
use std::process::Command;

use crate::{Failure, cargo, run};

/// A program, which is a crate, and the options of its check, if it has one.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    check: &'static [&'static str],
}

/// The programs. Their checks have seeds, so that random choices repeat themselves.
pub(crate) const PROGRAMS: &[Program] = &[
    // Generous bounds of time for a slow machine. The bounds of memory stay.
    Program { name: "attack", check: &["--seconds", "25", "--seed", "1", "--floor", "3000"] },
    Program { name: "crash", check: &["--kills", "40", "--seed", "1", "--seconds", "10"] },
    Program { name: "histories", check: &["--seconds", "8", "--seed", "1", "--kills", "2"] },
    // It needs the programs of a cluster.
    Program { name: "outages", check: &[] },
];

/// Runs a program with the options of its check.
pub(crate) fn check(name: &str) -> Result<(), Failure> {
    let program = PROGRAMS.iter().find(|program| program.name == name);
    let program = program.ok_or_else(|| format!("there is no program {name}"))?;
    check_with(name, program.check)
}

/// Runs a program with these options on the server of the tests.
pub(crate) fn check_with(name: &str, options: &[&str]) -> Result<(), Failure> {
    let server = server_of_tests()?;
    let server = ["--server", server.to_str().ok_or("the path of the server is no UTF-8")?];
    let arguments: Vec<String> = options.iter().chain(&server).map(|word| (*word).to_owned()).collect();
    run_program(name, &arguments)
}

/// Builds the server as the tests have it, and returns its path.
///
/// A build of its own would have other features, and would compile most crates once more.
pub(crate) fn server_of_tests() -> Result<PathBuf, Failure> {
    cargo(&["test", "--quiet", "--workspace", "--no-run", "--test", "http"])?;
    Ok(std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("persea"))
}

/// Runs `cargo xtask NAME [--OPTION VALUE ...]`; the program says which options there are.
///
/// The server has the profile that this program was built with, unless `--server` names another.
pub(crate) fn run_program(name: &str, arguments: &[String]) -> Result<(), Failure> {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    if !arguments.iter().any(|argument| argument == "--server") {
        cargo(&[&["build", "--quiet", "--package", "persea"], profile].concat())?;
    }
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", name]).args(profile).arg("--").args(arguments);
    run(&mut command)
}
