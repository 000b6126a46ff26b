//! Golden plans: each file of `tests/plans` holds queries and their plans.
//!
//! A case is a query, then optionally a line `rules: +a, -b`, then `----` and the plan as text, up
//! to a line `====`. Files named `steps*` have the plan as it was built instead. For each rule that
//! changed it, the rule's name and the removed (`-`) and added (`+`) lines follow. With
//! `PERSEA_UPDATE_GOLDEN=1` the files are written anew.

use std::path::Path;
use std::sync::Arc;

use aql_optimize::{OptimizerOptions, optimize_observed};
use aql_plan::{Plan, print};
use aql_value::{Interrupt, MemoryAccount};
use errors::Result;

use crate::common::{self, TestCatalog, plan};
use crate::line_diff::line_diff;

struct Case {
    query: String,
    rules: Vec<String>,
    expected: String,
}

#[test]
fn plans_are_as_recorded() {
    let folder = Path::new("tests/plans");
    let mut failures = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let shows_steps = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("steps"));
        let actual = if shows_steps { steps } else { best };
        let mut rewritten = String::new();
        for case in cases(&text) {
            let actual = actual(&case);
            if actual != case.expected {
                failures.push(format!(
                    "{}\n{}\nexpected:\n{}\nactual:\n{actual}",
                    file.display(),
                    case.query,
                    case.expected
                ));
            }
            rewritten += &render(&case, &actual);
        }
        if std::env::var_os("PERSEA_UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, rewritten).unwrap();
        }
    }
    assert!(
        failures.is_empty() || std::env::var_os("PERSEA_UPDATE_GOLDEN").is_some(),
        "{}",
        failures.join("\n\n")
    );
}

fn cases(text: &str) -> Vec<Case> {
    text.split("====\n")
        .filter(|case| !case.trim().is_empty())
        .map(|case| {
            let (head, expected) = case.split_once("----\n").unwrap_or((case, ""));
            let (rules, query): (Vec<&str>, Vec<&str>) =
                head.lines().partition(|line| line.starts_with("rules: "));
            let rules = rules
                .iter()
                .flat_map(|line| line["rules: ".len()..].split(", "))
                .map(str::to_owned)
                .collect();
            Case { query: query.join("\n").trim().to_owned(), rules, expected: expected.to_owned() }
        })
        .collect()
}

fn best(case: &Case) -> String {
    let rules: Vec<&str> = case.rules.iter().map(String::as_str).collect();
    match common::optimized(&case.query, &[], &rules) {
        Ok(optimized) => {
            let plan = optimized.into_best().unwrap();
            // The rule marks nearly every plan; tests of explain check its marks.
            let told = |rule: &&str| *rule != "async-prefetch";
            let rules: Vec<&str> = plan.rules_applied.iter().copied().filter(told).collect();
            format!("{}rules: {}\n", print(&plan), rules.join(", "))
        }
        Err(error) => format!("error {}: {}\n", error.number(), error.message()),
    }
}

fn steps(case: &Case) -> String {
    let rules: Vec<&str> = case.rules.iter().map(String::as_str).collect();
    let steps = match observed(&case.query, &rules) {
        Ok(steps) => steps,
        Err(error) => return format!("error {}: {}\n", error.number(), error.message()),
    };
    let built = steps.first().map(|(_, plan)| plan.clone()).unwrap_or_default();
    steps.windows(2).fold(built, |text, pair| match pair {
        [(_, before), (rule, after)] => text + &format!("{rule}:\n{}", line_diff(before, after)),
        _ => text,
    })
}

/// Returns the printed plan as it was built, with an empty name, then after each rule that changed
/// it, with the rule's name.
///
/// Rules make no additional plans.
fn observed(text: &str, rules: &[&str]) -> Result<Vec<(&'static str, String)>> {
    let (memory, interrupt) = (Arc::new(MemoryAccount::unlimited()), Interrupt::new());
    let mut options = OptimizerOptions::new(rules.iter().copied());
    options.max_number_of_plans = 1;
    let plan = plan(text, &[])?;
    let mut steps = vec![("", print(&plan))];
    let mut observe = |rule, plan: &Plan| {
        let after = print(plan);
        if steps.last().is_none_or(|(_, before)| *before != after) {
            steps.push((rule, after));
        }
    };
    optimize_observed(plan, &TestCatalog, &options, &memory, &interrupt, &mut observe)?;
    Ok(steps)
}

fn render(case: &Case, actual: &str) -> String {
    let rules =
        if case.rules.is_empty() { String::new() } else { format!("rules: {}\n", case.rules.join(", ")) };
    format!("{}\n{rules}----\n{actual}====\n", case.query)
}
