//! Every function ends soon after its query was ended, however large its arguments are.
#![allow(clippy::print_stderr, reason = "the test reports what it measured")]

use std::time::{Duration, Instant};

use aql_value::{EvaluationContext, EvaluationState, Interrupt, MemoryAccount, Value, Warnings};

use crate::common::TestServer;

/// The time after which the query ends.
const RUNTIME: Duration = Duration::from_millis(20);
/// The time that a function may take from then on.
///
/// The goal is a tenth of a second; unoptimized code and busy machines need more.
const PATIENCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 100 });

/// Returns large arguments by name.
fn arguments() -> Vec<(&'static str, Value)> {
    let list = |count: i64, value: fn(i64) -> Value| Value::array(&(0..count).map(value).collect::<Vec<_>>());
    let text = |length: usize, piece: &str| Value::from_str(&piece.repeat(length / piece.len()));
    let members: Vec<(String, Value)> = (0..200_000).map(|n| (format!("a{n}"), Value::Int(n))).collect();
    let members: Vec<(&str, Value)> =
        members.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let nested = Value::array(&vec![list(2_000, Value::Int); 1_000]);
    vec![
        ("numbers", list(2_000_000, |n| Value::Int(n * 7919 % 2_000_003))),
        (
            "texts",
            list(300_000, |n| Value::from_str(&format!("some text that is long {}", n * 7919 % 300_007))),
        ),
        ("arrays", nested),
        ("text", text(10_000_000, "ab")),
        ("words", text(5_000_000, "ab, é ")),
        ("digits", text(5_000_000, "[1,2],")),
        ("object", Value::object(&members)),
        ("number", Value::Int(1_000_000_000)),
        ("pattern", Value::from_str(&format!("%{}a%b%", "_".repeat(20_000)))),
        ("short", Value::from_str("a")),
    ]
}

/// One in this many calls of a function is made; each function begins with a different one.
///
/// `PERSEA_ALL_CALLS` makes all of them, which takes many minutes.
const CALLS_SKIPPED: usize = 12;

#[test]
fn functions_end_soon_after_their_query() {
    let arguments = arguments();
    let step = if std::env::var_os("PERSEA_ALL_CALLS").is_some() { 1 } else { CALLS_SKIPPED };
    let mut slow = Vec::new();
    let mut longest = (Duration::ZERO, String::new());
    for (first, function) in aql_functions::all().enumerate() {
        let most = function.max_args.unwrap_or(3).clamp(function.min_args, function.min_args.max(4));
        for count in function.min_args..=most {
            // All arguments alike, and each argument large next to a short text and next to a
            // number.
            let alike =
                arguments.iter().map(|(name, value)| (vec![*name; count], vec![value.clone(); count]));
            let mut calls: Vec<(Vec<&str>, Vec<Value>)> = alike.collect();
            for (name, value) in arguments.iter().filter(|_| count > 1) {
                for (beside, other) in &arguments[7..] {
                    let mut call = (vec![*beside; count], vec![other.clone(); count]);
                    (call.0[0], call.1[0]) = (name, value.clone());
                    calls.push(call);
                }
            }
            for (names, values) in calls.into_iter().skip(first % step).step_by(step) {
                let took = time(function, &values);
                let call = format!("{}({})", function.name, names.join(", "));
                if took > PATIENCE {
                    slow.push(format!("{call} took {took:?}"));
                }
                longest = longest.max((took, call));
            }
        }
    }
    eprintln!("longest: {} took {:?} of {RUNTIME:?}", longest.1, longest.0);
    assert!(slow.is_empty(), "{} calls run for too long:\n{}", slow.len(), slow.join("\n"));
}

fn time(function: &aql_value::Function, arguments: &[Value]) -> Duration {
    let (mut warnings, mut state) = (Warnings::new(10, false), EvaluationState::fixed(0, 1));
    let memory = MemoryAccount::new(Some(256 << 20), None);
    let interrupt = Interrupt::with_max_runtime(RUNTIME);
    let mut context = EvaluationContext {
        warnings: &mut warnings,
        state: &mut state,
        memory: &memory,
        interrupt: &interrupt,
        environment: &TestServer,
    };
    timed(|| (function.call)(arguments, &mut context)).1
}

/// Returns the CPU time of this thread, on which other programs have no influence. `None` if the
/// system does not tell it.
fn cpu_time() -> Option<Duration> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(statistics.split_whitespace().next()?.parse().ok()?))
}

/// Runs `work`, and returns the CPU time that it took, or the time if it waited for long.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    /// Longer than other programs hold up a thread.
    const LONG: Duration = Duration::from_secs(20);
    let (start, cpu_before) = (Instant::now(), cpu_time());
    let outcome = work();
    let took = start.elapsed();
    let cpu_time = cpu_before.zip(cpu_time()).map(|(before, after)| after.saturating_sub(before));
    (outcome, cpu_time.filter(|_| took < LONG).unwrap_or(took))
}
