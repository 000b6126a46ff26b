//! A program of its own, because it replaces the allocator.
//!
//! No function takes more memory than its query may, whatever its arguments are.
//!
//! Every function of the catalogue is called with large arguments and a small account, as a query
//! calls it. The allocator tells how much the thread had at most.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::panic, reason = "this is a test")]

#[path = "it/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use allocation_meter::{PeakAllocator, restart_thread_peak, thread_bytes, thread_peak};
use aql_value::{
    EvaluationContext, EvaluationState, Function, Interrupt, MemoryAccount, ThreadMeter, Value, Warnings,
};

use common::TestServer;

#[global_allocator]
static ALLOCATOR: PeakAllocator = PeakAllocator;

const MIB: usize = 1 << 20;

/// The limit of the query. Most arguments are larger, so no function can copy them.
const LIMIT_BYTES: usize = 4 * MIB;

/// The memory beyond the limit that a call may have: what is small enough not to be counted, and
/// what it allocates between two checks.
const SLACK_BYTES: usize = 2 * MIB;

/// The errors of functions: too much memory, too many elements, and those that end a query by the
/// function's documentation (wrong arguments, too deep recursion, `FAIL`, `ASSERT`).
const ERRORS: [u32; 13] = [9, 32, 1203, 1504, 1524, 1540, 1541, 1542, 1543, 1554, 1569, 1572, 1593];

/// One in this many calls is made; each function begins with a different one.
///
/// `PERSEA_ALL_CALLS` makes all of them, which takes some minutes.
const CALLS_SKIPPED: usize = 23;

type Argument = (&'static str, Value);

fn list(count: usize, value: impl Fn(usize) -> Value) -> Value {
    Value::array(&(0..count).map(value).collect::<Vec<_>>())
}

fn text(bytes: usize, piece: &str) -> Value {
    Value::from_str(&piece.repeat(bytes / piece.len()))
}

fn object(members: usize) -> Value {
    let members: Vec<(String, Value)> =
        (0..members).map(|n| (format!("a{n}"), Value::Int(n as i64))).collect();
    let members: Vec<(&str, Value)> =
        members.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    Value::object(&members)
}

fn circle(points: usize) -> Value {
    let point = |n: usize| {
        let angle = std::f64::consts::TAU * (n % points) as f64 / points as f64;
        Value::array(&[Value::from_f64(40.0 * angle.cos()), Value::from_f64(40.0 * angle.sin())])
    };
    Value::array(&[list(points + 1, point)])
}

/// Returns arguments that take much memory, or from which functions could make much.
fn large() -> Vec<Argument> {
    let number = |n: usize| Value::Int((n * 7919 % 2_000_003) as i64);
    let pair = |n: usize| Value::array(&[Value::from_str(&format!("k{n}")), Value::Int(n as i64)]);
    let document = |n: usize| Value::object(&[("a", Value::Int(n as i64)), ("b", Value::from_str("text"))]);
    let every_character: String = ('\u{1}'..='\u{2ffff}').collect();
    let polygon = Value::object(&[("type", Value::from_str("Polygon")), ("coordinates", circle(100_000))]);
    vec![
        ("text", text(12 * MIB, "ab")),
        ("words", text(12 * MIB, "ab, é ")),
        ("control", text(4 * MIB, "\u{1}")),
        ("characters", Value::from_str(&every_character)),
        ("digits", text(6 * MIB, "[1,2],")),
        ("json", Value::from_str(&format!("[{}1]", "1,".repeat(3_000_000)))),
        ("numbers", list(2_000_000, number)),
        ("zeros", list(6_000_000, |_| Value::Int(0))),
        (
            "texts",
            list(300_000, |n| Value::from_str(&format!("some text that is long {}", n * 7919 % 300_007))),
        ),
        ("short texts", list(1_000_000, |n| Value::from_str(&format!("t{n}")))),
        ("arrays", Value::array(&vec![list(4_000, number); 800])),
        ("pairs", list(400_000, pair)),
        ("documents", list(300_000, document)),
        ("object", object(300_000)),
        ("polygon", polygon),
        ("circle", circle(200_000)),
        ("pattern", text(100_000, "%yyyy-%f ")),
        ("wildcards", Value::from_str(&format!("%{}a%b%", "_".repeat(20_000)))),
        ("huge", Value::Int(1_000_000_000)),
        ("many", Value::Int(5_000_000)),
    ]
}

/// Returns arguments that accompany a large one.
fn small() -> Vec<Argument> {
    vec![
        ("'a'", Value::from_str("a")),
        ("3", Value::Int(3)),
        ("true", Value::Bool(true)),
        ("['a']", Value::array(&[Value::from_str("a")])),
        ("{a: 1}", Value::object(&[("a", Value::Int(1))])),
        ("5000000", Value::Int(5_000_000)),
        ("date", Value::from_str("2024-02-29T12:34:56.789Z")),
        ("'a|b'", Value::from_str("a|b|(c+)")),
        ("[1, 2]", Value::array(&[Value::Int(1), Value::Int(2)])),
    ]
}

/// Returns the calls of a function: all arguments alike, and one large argument with small ones.
fn calls(function: &Function, large: &[Argument], small: &[Argument]) -> Vec<Vec<Argument>> {
    let most = function.max_args.unwrap_or(3).clamp(function.min_args, function.min_args.max(4));
    let mut calls = Vec::new();
    for count in function.min_args..=most {
        for argument in large {
            calls.push(vec![argument.clone(); count]);
            let places = (0..count).filter(|_| count > 1);
            for (place, beside) in places.flat_map(|place| small.iter().map(move |beside| (place, beside))) {
                let mut call = vec![beside.clone(); count];
                call[place] = argument.clone();
                calls.push(call);
            }
        }
    }
    calls
}

/// The outcome of one call.
struct Outcome {
    /// The most that the thread had, less what it had before.
    peak_bytes: usize,
    error: Option<u32>,
}

fn measure(function: &Function, arguments: &[Value]) -> Outcome {
    let (mut warnings, mut state) = (Warnings::new(10, false), EvaluationState::fixed(0, 1));
    let memory = Arc::new(MemoryAccount::new(Some(LIMIT_BYTES as u64), None));
    let interrupt = Interrupt::new();
    let mut context = EvaluationContext {
        warnings: &mut warnings,
        state: &mut state,
        memory: &memory,
        interrupt: &interrupt,
        environment: &TestServer,
    };
    let step = ThreadMeter::enter(&memory);
    let before = thread_bytes();
    restart_thread_peak();
    let result = (function.call)(arguments, &mut context);
    let peak_bytes = thread_peak() - before;
    let error = result.err().map(|error| error.number());
    drop(step);
    assert_eq!(memory.used_bytes(), 0, "{} keeps memory", function.name);
    Outcome { peak_bytes: peak_bytes as usize, error }
}

#[test]
fn functions_stay_within_the_memory_of_their_query() {
    let (large, small) = (large(), small());
    let step = if std::env::var_os("PERSEA_ALL_CALLS").is_some() { 1 } else { CALLS_SKIPPED };
    let only = std::env::var("PERSEA_FUNCTION").ok();
    let mut worst = BTreeMap::<&str, (usize, String)>::new();
    let mut strange = BTreeMap::new();
    for (first, function) in aql_functions::all().enumerate() {
        // It would sleep.
        if function.name == "SLEEP" || only.as_ref().is_some_and(|only| only != function.name) {
            continue;
        }
        for call in calls(function, &large, &small).into_iter().skip(first % step).step_by(step) {
            let (names, values): (Vec<&str>, Vec<Value>) = call.into_iter().unzip();
            let outcome = measure(function, &values);
            let call = || format!("{}({})", function.name, names.join(", "));
            if outcome.peak_bytes > LIMIT_BYTES + SLACK_BYTES {
                let worst = worst.entry(function.name).or_default();
                if outcome.peak_bytes > worst.0 {
                    *worst = (outcome.peak_bytes, call());
                }
            }
            if let Some(error) = outcome.error.filter(|error| !ERRORS.contains(error)) {
                strange.insert((function.name, error), call());
            }
        }
    }
    let worst: Vec<String> = worst
        .into_values()
        .map(|(bytes, call)| format!("{call} takes {:.1} MiB", bytes as f64 / MIB as f64))
        .collect();
    assert!(strange.is_empty(), "{strange:#?}\n{}", worst.join("\n"));
    assert!(worst.is_empty(), "{} functions take too much:\n{}", worst.len(), worst.join("\n"));
}
