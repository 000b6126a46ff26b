//! Trials of running servers: attacks, kills, random transactions, failing clusters, and rules.
//!
//! A trial starts its servers itself, disturbs them, and checks from outside that they keep their
//! promises. `cargo xtask attack`, `crash`, `histories`, `outages`, `failover` and `rules` build
//! the server and run one.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod options;
mod journal;
mod gaps;
mod verdict;
mod attack;
mod crash;
mod histories;
mod outages;
mod failover;
mod rules;

use std::process::ExitCode;

use options::{Common, Trial};

/// All trials.
const TRIALS: &[Trial] =
    &[attack::TRIAL, crash::TRIAL, histories::TRIAL, outages::TRIAL, failover::TRIAL, rules::TRIAL];

/// The exit code of an error in the command line.
const MISTAKE: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let named = words.split_first().and_then(|(name, options)| {
        let trial = TRIALS.iter().find(|trial| trial.name == name)?;
        Some((trial, options))
    });
    let Some((trial, options)) = named else {
        eprintln!("usage: trials TRIAL [--help] [--OPTION VALUE ...]\n\ntrials:");
        TRIALS.iter().for_each(|trial| eprintln!("  {:<12}{}", trial.name, trial.about));
        return ExitCode::from(MISTAKE);
    };
    let usage = || {
        let own = (trial.usage)();
        format!("usage: trials {} [--OPTION VALUE ...]\n{own}{}", trial.name, Common::USAGE)
    };
    if options.iter().any(|word| word == "--help") {
        println!("{}", usage());
        return ExitCode::SUCCESS;
    }
    (trial.run)(options).unwrap_or_else(|mistake| {
        eprintln!("{mistake}\n{}", usage());
        ExitCode::from(MISTAKE)
    })
}
