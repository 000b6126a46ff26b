//! Large and deep queries: planning takes about as long as parsing them, and does not overflow the
//! stack.

use std::time::Instant;

use aql_value::Value;

use crate::common;

/// The time limit in seconds. It is enough for the slowest test machine, and far below the time of
/// any quadratic algorithm.
const LONG_SECONDS: u64 = 30;

fn plan_quickly(query: &str, parameters: &[(&str, Value)]) -> aql_plan::Plan {
    let start = Instant::now();
    let plan = common::optimized(query, parameters, &[]).unwrap().into_best().unwrap();
    assert!(start.elapsed().as_secs() < LONG_SECONDS, "took {:?}", start.elapsed());
    plan
}

#[test]
fn a_hundred_thousand_alternatives_become_one_lookup() {
    let terms: Vec<String> = (0..100_000).map(|number| format!("d.age == {number}")).collect();
    let plan = plan_quickly(&format!("FOR d IN users FILTER {} RETURN d", terms.join(" || ")), &[]);
    let text = aql_plan::print(&plan);
    assert!(text.contains("USING byAge(age IN [0,1,2"), "{}", &text[..text.len().min(500)]);
}

#[test]
fn a_hundred_thousand_different_alternatives_are_a_filter() {
    let terms: Vec<String> =
        (0..100_000).map(|number| format!("(d.a{number} == 1 && d.b == {number})")).collect();
    let plan = plan_quickly(&format!("FOR d IN users FILTER {} RETURN 1", terms.join(" || ")), &[]);
    assert!(aql_plan::print(&plan).contains("EnumerateCollection"));
}

#[test]
fn a_hundred_thousand_conditions_are_a_filter() {
    let terms: Vec<String> = (0..100_000).map(|number| format!("d.a{number} != {number}")).collect();
    plan_quickly(&format!("FOR d IN users FILTER {} RETURN 1", terms.join(" && ")), &[]);
}

#[test]
fn a_list_of_a_million_values_is_a_lookup() {
    let values: Vec<Value> = (0..1_000_000).map(Value::Int).collect();
    let plan =
        plan_quickly("FOR d IN users FILTER d.age IN @list RETURN d", &[("list", Value::array(&values))]);
    assert!(aql_plan::print(&plan).contains("byAge(age IN "));
}

#[test]
fn many_statements_are_planned_until_there_are_too_many() {
    let lets: Vec<String> = (0..900).map(|number| format!("LET v{} = v{number} + 1", number + 1)).collect();
    plan_quickly(&format!("LET v0 = RAND() {} RETURN v900", lets.join(" ")), &[]);
    let lets: Vec<String> = (0..4000).map(|number| format!("LET v{number} = RAND()")).collect();
    let error = common::plan(&format!("{} RETURN 1", lets.join(" ")), &[]).unwrap_err();
    assert_eq!(error.number(), 1524);
}

#[test]
fn many_subqueries_are_planned() {
    let lets: Vec<String> = (0..550)
        .map(|number| format!("LET v{number} = (FOR d IN users FILTER d.age == {number} RETURN d.name)"))
        .collect();
    plan_quickly(&format!("{} RETURN LENGTH(v1)", lets.join(" ")), &[]);
}

/// Runs `work` on a stack as small as those of the server's workers.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap();
    thread.join().unwrap();
}

fn deep(depth: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn deep_expressions_are_planned_and_explained() {
    on_a_small_stack(|| {
        for query in [
            format!("FOR d IN users RETURN {}", deep(450, "[", "d.a", "]")),
            format!("FOR d IN users RETURN {}", deep(450, "{a: ", "d.a", "}")),
            format!("FOR d IN users FILTER {} RETURN d", deep(450, "!", "d.a", "")),
            format!("FOR d IN users FILTER {} RETURN d", deep(200, "(d.a || (d.b && ", "d.c", "))")),
            format!("FOR d IN users RETURN {}", deep(450, "NOT_NULL(", "d.a", ")")),
            format!("FOR d IN users RETURN d{}", ".a".repeat(400)),
            format!(
                "RETURN {}",
                deep(200, "(FOR x IN [] FILTER RAND() RETURN ", "1", ")")
                    .replace("x IN", "@ IN")
                    .split('@')
                    .enumerate()
                    .map(|(n, part)| if n == 0 { part.to_owned() } else { format!("x{n}{part}") })
                    .collect::<String>()
            ),
            format!("RETURN {}", deep(200, "(RAND() ? ", "(RETURN 1)", " : 2)")),
        ] {
            let parsed = common::optimized(&query, &[], &[]);
            match parsed {
                Ok(optimized) => {
                    let memory = std::sync::Arc::new(aql_value::MemoryAccount::unlimited());
                    let interrupt = aql_value::Interrupt::new();
                    let limits = aql_explain::WriteLimits { memory: &memory, interrupt: &interrupt };
                    aql_explain::explain_result(&optimized, true, Default::default(), limits).unwrap();
                }
                // The parser may refuse the query as too deep.
                Err(error) => assert_eq!(error.number(), 1524, "{error}: {}", &query[..60]),
            }
        }
    });
}
