//! A program of its own, because it measures the memory of the process.
//!
//! Planning stays near the memory limit of its query, whatever the query looks like.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "it/common.rs"]
#[allow(dead_code, reason = "shared with the tests of sessions")]
mod common;
#[path = "it/limits/generators.rs"]
mod generators;

use std::time::Duration;

use generators::{generators, request, with_indexes};

/// The memory limit of each query.
const LIMIT_BYTES: u64 = 32 << 20;
/// The most that the process may grow by: the limit, the texts and what the allocator keeps.
const GROWTH_BYTES: u64 = 4 * LIMIT_BYTES;

/// Returns a number from the process's memory statistics.
fn process_bytes(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

#[test]
fn planning_stays_near_the_limit() {
    let session = with_indexes();
    let before = process_bytes("VmRSS:");
    let mut refused = 0;
    for generator in generators() {
        let mut request = request(&generator);
        request.memory_limit_bytes = LIMIT_BYTES;
        request.options.max_runtime = Some(Duration::from_secs(3));
        let outcome = session.explain(&request).map(drop).map_err(|error| error.number());
        assert!(matches!(outcome, Ok(()) | Err(32 | 1500)), "{}: {outcome:?}", generator.name);
        refused += usize::from(outcome == Err(32));
        let grown = process_bytes("VmHWM:").saturating_sub(before);
        eprintln!("{}: {outcome:?}, {} MB", generator.name, grown >> 20);
        assert!(grown < GROWTH_BYTES, "{}: the process grew by {} MB", generator.name, grown >> 20);
    }
    assert!(refused > 0, "no query takes more than the limit");
}
