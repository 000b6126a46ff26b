//! Programs stay within the memory of their query, and end soon after it was ended.
//!
//! The allocator tells how much the thread had at most.

use std::sync::Arc;
use std::time::{Duration, Instant};

use allocation_meter::{restart_thread_peak, thread_bytes, thread_peak};
use aql_value::program::{
    ArrayOperator, ArrayQuestion, CompareOperator, Expansion, MemberName, Quantifier, Slot,
};
use aql_value::{
    Batch, Column, EvaluationContext, EvaluationState, Interrupt, MemoryAccount, NoEnvironment, Program,
    ProgramBuilder, ThreadMeter, Value, Warnings,
};
use errors::Result;

const MIB: usize = 1 << 20;
const LIMIT_BYTES: usize = 8 * MIB;
/// The bytes of values that are too small to count, and of allocations between two checks.
const SLACK_BYTES: usize = 2 * MIB;
/// The time that a program may take after its query ended. Unoptimized code needs more.
const PATIENCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 100 });

/// The register of the large value, and those of elements.
const LARGE: usize = 0;
const ELEMENT: usize = 1;

fn numbers(count: i64) -> Value {
    Value::array(&(0..count).map(Value::Int).collect::<Vec<_>>())
}

/// Returns a program of one instruction over the large value.
fn program(build: impl FnOnce(&mut ProgramBuilder, Slot) -> Slot) -> Program {
    let mut builder = ProgramBuilder::new();
    let large = builder.load(LARGE);
    let result = build(&mut builder, large);
    builder.finish(result)
}

fn expansion(input: Slot, levels: u32, element: usize, projection: Option<Program>) -> Expansion {
    Expansion { input, levels, element, filter: None, offset: None, limit: None, projection }
}

/// Returns `a[* RETURN a[* RETURN ... a]]`, this many levels deep.
fn nested_expansion(depth: usize) -> Program {
    program(|builder, large| {
        let projection = if depth == 0 { Program::load(LARGE) } else { nested_expansion(depth - 1) };
        builder.expansion(expansion(large, 1, ELEMENT + depth, Some(projection)))
    })
}

/// Returns programs by name.
fn programs() -> Vec<(&'static str, Program)> {
    let mut forty = ProgramBuilder::new();
    let mut doubled = forty.load(LARGE);
    for _ in 0..40 {
        doubled = forty.array(vec![doubled, doubled]);
    }
    vec![
        ("[a, a]", program(|builder, large| builder.array(vec![large; 2]))),
        ("[a, ...]", program(|builder, large| builder.array(vec![large; 1000]))),
        ("[[[a, a], [a, a]], ...]", forty.finish(doubled)),
        (
            "{a: a, b: a}",
            program(|builder, large| {
                let name = |name: &str| MemberName::Fixed(name.into());
                builder.object(vec![(name("a"), large), (name("b"), large)])
            }),
        ),
        ("{[a]: a}", program(|builder, large| builder.object(vec![(MemberName::Computed(large), large)]))),
        (
            "1..10000000",
            program(|builder, _| {
                let (low, high) = (builder.constant(Value::Int(1)), builder.constant(Value::Int(10_000_000)));
                builder.range(low, high)
            }),
        ),
        ("a[* RETURN a]", nested_expansion(0)),
        ("a[* RETURN a[* RETURN a]]", nested_expansion(1)),
        ("a[* RETURN a[* RETURN a[* RETURN a]]]", nested_expansion(2)),
        ("a[**]", program(|builder, large| builder.expansion(expansion(large, 2, ELEMENT, None)))),
        (
            "a[? FILTER a IN a]",
            program(|builder, large| {
                let filter = program(|inner, large| inner.contained_in(large, large, false));
                builder.array_question(ArrayQuestion {
                    input: large,
                    levels: 1,
                    quantifier: Quantifier::All,
                    element: ELEMENT,
                    filter: Some(filter),
                })
            }),
        ),
        (
            "a ALL IN a",
            program(|builder, large| builder.array_compare(Quantifier::All, ArrayOperator::In, large, large)),
        ),
        (
            "a NONE == a",
            program(|builder, large| {
                let equal = ArrayOperator::Compare(CompareOperator::Equal);
                builder.array_compare(Quantifier::None, equal, large, large)
            }),
        ),
        ("a LIKE a", program(|builder, large| builder.like(large, large, true, false))),
        ("a =~ a", program(|builder, large| builder.regex_match(large, large, false))),
    ]
}

fn large_values() -> Vec<(&'static str, Value)> {
    vec![
        ("numbers", numbers(500_000)),
        ("few numbers", numbers(3000)),
        ("text", Value::from_str(&"ab".repeat(3 * MIB))),
        ("arrays", Value::array(&vec![numbers(10_000); 100])),
        ("strings", Value::array(&vec![Value::from_str(&"text ".repeat(10)); 50_000])),
    ]
}

/// One row of the value, or many.
fn batch(value: &Value, rows: usize) -> Batch {
    let mut batch = Batch::new(rows);
    let values = (0..rows as i64).map(|_| value.clone()).collect();
    batch.set_column(LARGE, Column::from_values(values));
    batch
}

fn run(
    program: &Program,
    batch: &Batch,
    memory: &Arc<MemoryAccount>,
    interrupt: &Interrupt,
) -> Result<Column> {
    let (mut warnings, mut state) = (Warnings::default(), EvaluationState::fixed(0, 1));
    let mut context = EvaluationContext {
        warnings: &mut warnings,
        state: &mut state,
        memory,
        interrupt,
        environment: &NoEnvironment,
    };
    program.evaluate(batch, &mut context)
}

#[test]
fn programs_stay_within_the_memory_of_their_query() {
    let mut wrong = Vec::new();
    for (name, program) in programs() {
        for (large, value) in large_values() {
            for rows in [1, 100] {
                let batch = batch(&value, rows);
                let memory = Arc::new(MemoryAccount::new(Some(LIMIT_BYTES as u64), None));
                // Some of it would take hours.
                let interrupt = Interrupt::with_max_runtime(Duration::from_millis(50));
                let step = ThreadMeter::enter(&memory);
                let before = thread_bytes();
                restart_thread_peak();
                let result = run(&program, &batch, &memory, &interrupt);
                let peak_bytes = (thread_peak() - before) as usize;
                let error = result.err().map(|error| error.number());
                drop(step);
                if peak_bytes > LIMIT_BYTES + SLACK_BYTES {
                    wrong.push(format!("{name} of {rows} {large}: {} MiB", peak_bytes / MIB));
                }
                if memory.used_bytes() != 0 || error.is_some_and(|error| error != 32 && error != 1500) {
                    wrong.push(format!("{name} of {rows} {large}: {error:?}, {} bytes", memory.used_bytes()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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

#[test]
fn programs_end_soon_after_their_query() {
    const RUNTIME: Duration = Duration::from_millis(20);
    let mut wrong = Vec::new();
    for (name, program) in programs() {
        for (large, value) in large_values() {
            for rows in [1, 1000] {
                let batch = batch(&value, rows);
                let memory = Arc::new(MemoryAccount::new(Some(64 * MIB as u64), None));
                let interrupt = Interrupt::with_max_runtime(RUNTIME);
                let (_, took) = timed(|| run(&program, &batch, &memory, &interrupt));
                if took > RUNTIME + PATIENCE {
                    wrong.push(format!("{name} of {rows} {large} took {took:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
