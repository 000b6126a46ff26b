//! Random queries over random documents: each gives the same however it is run, and what a naive evaluator gives.
//!
//! The first seed is fixed, so that the same queries run on every machine; a second one is drawn and printed, so that
//! other queries run each time. `PERSEA_RANDOM_SEED=N` runs the queries of that seed alone, `PERSEA_RANDOM_SECONDS=N` goes
//! on for so long (default 10).
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod choices;
mod compare;
mod data;
mod expressions;
mod generator;
mod graph_generator;
mod modifications;
mod naive;
mod naive_expression;
mod naive_graph;
mod naive_modification;

use std::time::{Duration, Instant};

/// Queries on each store.
const QUERIES: usize = 40;
/// Writing queries on each store: every way to run one takes a store of its own.
const MODIFICATIONS: usize = 2;
/// Failures that are shown at one time.
const FAILURES_MAX: usize = 20;

/// Runs stores of documents, many queries on each, until time is up.
fn run(first_seed: u64, time: Duration) {
    let start = Instant::now();
    let (mut count, mut with_results, mut failures) = (0, 0, Vec::new());
    for seed in first_seed.. {
        let outcome = compare::round(&mut choices::Choices::from_seed(seed), QUERIES, MODIFICATIONS);
        count += outcome.queries;
        with_results += outcome.with_results;
        let named = |failure| format!("PERSEA_RANDOM_SEED={seed}\n{failure}");
        failures.extend(outcome.failures.into_iter().map(named));
        if failures.len() >= FAILURES_MAX || start.elapsed() > time {
            break;
        }
    }
    assert!(failures.is_empty(), "{} failures of {count}:\n\n{}", failures.len(), failures.join("\n\n"));
    eprintln!("{count} random queries from seed {first_seed} on, {with_results} of them with results");
    assert!(with_results * 4 > count, "most random queries return nothing");
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn time() -> Duration {
    Duration::from_secs(setting("PERSEA_RANDOM_SECONDS").unwrap_or(10))
}

#[test]
fn the_same_random_queries_each_time() {
    run(setting("PERSEA_RANDOM_SEED").unwrap_or(1), time());
}

#[test]
fn other_random_queries_each_time() {
    if setting("PERSEA_RANDOM_SEED").is_none() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        run(now.as_secs() << 20, time());
    }
}
