//! Fuzzing with cargo-fuzz.
//!
//! The replay of known and random inputs, which needs no nightly compiler, is a test of the crate
//! `fuzz-targets`.

use std::path::Path;
use std::process::Command;

use crate::{Failure, run};

/// Default number of seconds that each target runs.
const SECONDS: &str = "60";

/// Runs `cargo xtask fuzz [--seconds N] [TARGET ...]`: these targets in sequence, or all.
pub(crate) fn run_targets(arguments: &[String]) -> Result<(), Failure> {
    let (mut seconds, mut wanted) = (SECONDS.to_owned(), Vec::new());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => {
                let number = arguments.next().filter(|number| number.parse::<u32>().is_ok());
                seconds = number.ok_or("--seconds needs a number")?.clone();
            }
            name => wanted.push(name.to_owned()),
        }
    }
    let known = targets()?;
    if let Some(unknown) = wanted.iter().find(|name| !known.contains(name)) {
        return Err(format!("unknown target {unknown:?}; the targets are {}", known.join(", ")));
    }
    check_tools()?;
    for target in if wanted.is_empty() { &known } else { &wanted } {
        let time = format!("-max_total_time={seconds}");
        // New inputs go into a temporary folder; those in the corpus are chosen by hand.
        let (found, corpus) = (format!("target/fuzz/{target}"), format!("fuzz/corpus/{target}"));
        std::fs::create_dir_all(&found).map_err(|error| format!("{found}: {error}"))?;
        run(Command::new("cargo").args(["+nightly", "fuzz", "run", target, &found, &corpus, "--", &time]))?;
    }
    Ok(())
}

/// Returns the targets, which are the names of the folders of their inputs.
fn targets() -> Result<Vec<String>, Failure> {
    let folder = Path::new("fuzz/corpus");
    let failed = |error| format!("{}: {error}; run this in the project's folder", folder.display());
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

fn check_tools() -> Result<(), Failure> {
    let works = |arguments: &[&str]| {
        Command::new("cargo").args(arguments).output().is_ok_and(|output| output.status.success())
    };
    if !works(&["+nightly", "--version"]) {
        return Err("fuzzing needs a nightly compiler: rustup toolchain install nightly".to_owned());
    }
    if !works(&["+nightly", "fuzz", "--version"]) {
        return Err("fuzzing needs cargo-fuzz: cargo install cargo-fuzz".to_owned());
    }
    Ok(())
}
