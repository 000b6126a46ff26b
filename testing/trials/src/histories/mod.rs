//! Checks the isolation of random transactions over HTTP, also across faults.

mod arguments;
mod history;
mod check;
mod database;
mod worker;
mod reader;
mod run;

use std::process::ExitCode;

use crate::options::Trial;
use arguments::{Arguments, USAGE};
use check::Report;
use history::{Outcome, Transaction};
use run::Run;

/// Anomalies and failures that are printed.
const SHOWN_MAX: usize = 20;

/// See the module.
pub(crate) const TRIAL: Trial = Trial {
    name: "histories",
    about: "checks the isolation of random transactions",
    usage: || USAGE.to_owned(),
    run: |words| Arguments::read(words).map(|arguments| run_and_judge(&arguments)),
};

fn run_and_judge(arguments: &Arguments) -> ExitCode {
    println!("seed {}, {} clients", arguments.common.seed, arguments.clients);
    run::run(arguments).map_or_else(|failure| fail(&failure), |run| judge(&run))
}

fn fail(failure: &str) -> ExitCode {
    eprintln!("{failure}");
    ExitCode::FAILURE
}

/// Checks the history and prints the verdict.
fn judge(run: &Run) -> ExitCode {
    let count = |outcome| run.history.iter().filter(|transaction| transaction.outcome == outcome).count();
    let operations: usize = run.history.iter().map(|transaction| transaction.operations.len()).sum();
    let [committed, aborted, unknown] = [Outcome::Committed, Outcome::Aborted, Outcome::Unknown].map(count);
    println!(
        "{committed} transactions committed, {aborted} aborted, {unknown} unknown; {operations} operations"
    );
    let copies = run.history.iter().filter(|transaction| transaction.follower.is_some()).count();
    if copies > 0 {
        println!("{copies} of them read at followers");
    }
    let anomalies = check::check(&run.history);
    for anomaly in anomalies.iter().take(SHOWN_MAX) {
        eprintln!("{}", Report { anomaly, history: &run.history });
    }
    for failure in run.failures.iter().take(SHOWN_MAX) {
        eprintln!("{failure}");
    }
    if !has_material(&run.history) {
        return fail("the history proves nothing: no transaction wrote and committed");
    }
    if anomalies.is_empty() && run.failures.is_empty() {
        println!("no anomaly but write skew, which snapshot isolation permits");
        return ExitCode::SUCCESS;
    }
    fail(&format!("{} anomalies, {} failures", anomalies.len(), run.failures.len()))
}

fn has_material(history: &[Transaction]) -> bool {
    let is_useful = |transaction: &&Transaction| {
        transaction.outcome == Outcome::Committed && transaction.writes().next().is_some()
    };
    history.iter().any(|transaction| is_useful(&transaction))
}
