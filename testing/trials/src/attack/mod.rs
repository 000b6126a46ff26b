//! Attacks a server with a memory limit, and judges how it and its other clients fare.
//!
//! Each attack has a server and a bystander of its own. Afterwards, the server must be alive, below
//! its limit and idle. The bystander must not have noticed, and its documents must exist, even
//! after a kill.

mod arguments;
mod compressed;
mod http2;
mod mounts;
mod mutate;
mod routes;
mod bystander;
mod watch;
mod target;
mod case;
mod attacks;
mod run;

use std::process::ExitCode;

use crate::options::Trial;
use arguments::{Arguments, USAGE};
use run::Row;

/// See the module.
pub(crate) const TRIAL: Trial =
    Trial { name: "attack", about: "attacks a server with a memory limit", usage, run: run_trial };

fn usage() -> String {
    let attacks =
        attacks::ATTACKS.iter().map(|attack| format!("  {:<12}{}\n", attack.name(), attack.summary()));
    format!("{USAGE}\nattacks:\n{}", attacks.collect::<String>())
}

fn run_trial(words: &[String]) -> Result<ExitCode, String> {
    Arguments::read(words).map(|arguments| run_all(&arguments))
}

fn run_all(arguments: &Arguments) -> ExitCode {
    println!("seed {}, limit {} MB", arguments.common.seed, arguments.memory_limit / 1_000_000);
    let is_chosen = |attack: &&&dyn attacks::Attack| attack.name().contains(&arguments.only);
    let attacks: Vec<_> = attacks::ATTACKS.iter().filter(is_chosen).collect();
    if attacks.is_empty() {
        eprintln!("there is no attack {:?}; --help lists them", arguments.only);
        return ExitCode::from(2);
    }
    let time = arguments.time.map(|time| time / attacks.len() as u32);
    let run = |attack: &&dyn attacks::Attack| {
        println!("  {}: {}", attack.name(), attack.summary());
        run::run(arguments, *attack, time)
    };
    let rows: Vec<Row> = attacks.into_iter().map(run).collect();
    print_table(&rows);
    if rows.iter().all(|row| row.failures.is_empty()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print_table(rows: &[Row]) {
    println!("\nattack          requests  peak MB  p50 ms  p99 ms  at rest  result");
    for row in rows {
        let [p50, p99, rest] = [row.p50, row.p99, row.p99_at_rest].map(|time| time.as_secs_f64() * 1e3);
        let result = match row.failures.len() {
            0 => row.skipped.as_ref().map_or("ok".to_owned(), |reason| format!("skipped: {reason}")),
            count => format!("{count} failures"),
        };
        let (attack, requests, peak) = (row.attack, row.requests, row.peak / 1_000_000);
        println!("{attack:<14}{requests:>10}{peak:>9}{p50:>8.1}{p99:>8.1}{rest:>9.1}  {result}");
    }
    for row in rows.iter().filter(|row| !row.failures.is_empty()) {
        println!("\n{} failed:", row.attack);
        for failure in &row.failures {
            println!("  {failure}");
        }
    }
}
