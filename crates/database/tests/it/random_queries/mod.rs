//! Random queries over random documents: every mode gives the answer of a naive evaluator.
//!
//! The same queries run on every machine, for ten seconds. `PERSEA_RANDOM_SECONDS=N` runs them for
//! N seconds, and then other queries for N seconds; their seed is chosen at random and printed.
//! `PERSEA_RANDOM_SEED=N` starts with this seed instead.
#![allow(clippy::print_stderr, reason = "the test reports its seed")]

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
/// Writing queries on each store. Every mode takes a store of its own.
const MODIFICATIONS: usize = 2;
/// Stores of a normal run.
const ROUNDS: u64 = 100;
/// Longest run in seconds.
const SECONDS: u64 = 10;
/// Maximum number of failures that are printed.
const FAILURES_MAX: usize = 20;

/// Creates stores of documents and runs many queries on each, until time is up.
fn run(first_seed: u64, rounds: u64, seconds: u64) {
    let start = Instant::now();
    let (mut count, mut with_results, mut failures) = (0, 0, Vec::new());
    for seed in (first_seed..).take(usize::try_from(rounds).unwrap_or(usize::MAX)) {
        let outcome = compare::round(&mut choices::Choices::from_seed(seed), QUERIES, MODIFICATIONS);
        count += outcome.queries;
        with_results += outcome.with_results;
        let named = |failure| format!("PERSEA_RANDOM_SEED={seed}\n{failure}");
        failures.extend(outcome.failures.into_iter().map(named));
        if failures.len() >= FAILURES_MAX || start.elapsed() > Duration::from_secs(seconds) {
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

#[test]
fn the_same_random_queries_each_time() {
    let first_seed = setting("PERSEA_RANDOM_SEED").unwrap_or(1);
    match setting("PERSEA_RANDOM_SECONDS") {
        Some(seconds) => run(first_seed, u64::MAX, seconds),
        None => run(first_seed, ROUNDS, SECONDS),
    }
}

#[test]
fn other_random_queries_each_time() {
    if let (Some(seconds), None) = (setting("PERSEA_RANDOM_SECONDS"), setting("PERSEA_RANDOM_SEED")) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        run(now.as_secs() << 20, u64::MAX, seconds);
    }
}
