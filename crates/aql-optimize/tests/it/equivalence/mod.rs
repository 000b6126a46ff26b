//! Every rule keeps the result of every query.
//!
//! A plain interpreter of plans, row by row over documents in memory, runs each query with all
//! rules, with none, with each rule alone, and with each rule omitted. The queries are those of
//! the golden plans and random ones.

mod data;
mod generator;
mod graph_generator;
mod interpreter;

use aql_optimize::rules;
use aql_plan::Plan;
use aql_value::Value;

use crate::common;
use interpreter::{Outcome, run};

/// Returns the parts of an outcome that must be the same: results and modifications.
///
/// Results have no order, not even within arrays, because the order of groups' members and of
/// unsorted results is open.
fn canonical(outcome: &Outcome) -> (Vec<String>, Vec<String>) {
    let mut results: Vec<String> = outcome.results.iter().map(canonical_text).collect();
    results.sort();
    let mut effects: Vec<String> = outcome.effects.clone();
    effects.sort();
    (results, effects)
}

fn canonical_text(value: &Value) -> String {
    if value.is_array() {
        let mut members: Vec<String> = value.elements().map(|member| canonical_text(&member)).collect();
        members.sort();
        return format!("[{}]", members.join(","));
    }
    if value.is_object() {
        let members: Vec<String> =
            value.entries().map(|(name, value)| format!("{name}:{}", canonical_text(&value))).collect();
        return format!("{{{}}}", members.join(","));
    }
    value.to_json()
}

fn plans_of(query: &str, rules: &[&str]) -> Option<Vec<Plan>> {
    match common::optimized(query, &[], rules) {
        Ok(optimized) => Some(optimized.plans),
        // Forced hints depend on rules.
        Err(error) if error.number() == 1577 => None,
        Err(error) => panic!("{query}: {error}"),
    }
}

fn check(query: &str, rule_sets: &[Vec<String>]) {
    let Some(unoptimized) = plans_of(query, &["-all"]) else { return };
    let Ok(expected) = run(&unoptimized[0]) else { return };
    let expected = canonical(&expected);
    for rules in rule_sets {
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        for plan in plans_of(query, &rules).into_iter().flatten() {
            let outcome = run(&plan)
                .unwrap_or_else(|error| panic!("{query}\n{rules:?}: {error}\n{}", aql_plan::print(&plan)));
            assert_eq!(
                canonical(&outcome),
                expected,
                "{query}\n{rules:?}\n{}\nunoptimized:\n{}",
                aql_plan::print(&plan),
                aql_plan::print(&unoptimized[0])
            );
        }
    }
}

fn all_rule_sets() -> Vec<Vec<String>> {
    let mut sets = vec![vec![]];
    sets.extend(rules().map(|rule| vec![format!("-{}", rule.name)]));
    sets.extend(rules().map(|rule| vec!["-all".to_owned(), format!("+{}", rule.name)]));
    sets
}

/// Returns true unless the query's result changes with each run, or leaves open which rows it
/// contains.
fn is_repeatable(query: &str) -> bool {
    // The collection `places` is absent here.
    let is_open = query.contains(" places") || query.contains("LIMIT") && !query.contains("_key LIMIT");
    !["RAND(", "SLEEP(", "DATE_NOW("].iter().any(|function| query.contains(function)) && !is_open
}

#[test]
fn golden_queries_have_the_same_result_whatever_the_rules() {
    let folder = std::path::Path::new("tests/plans");
    let sets = all_rule_sets();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for case in text.split("====\n").filter(|case| !case.trim().is_empty()) {
            let head = case.split("----\n").next().unwrap_or_default();
            let query: Vec<&str> = head.lines().filter(|line| !line.starts_with("rules: ")).collect();
            let query = query.join("\n");
            if is_repeatable(&query) {
                check(&query, &sets);
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn random_queries_have_the_same_result_with_and_without_rules() {
    let count =
        std::env::var("PERSEA_RANDOM_QUERIES").ok().and_then(|text| text.parse().ok()).unwrap_or(3000);
    let start = std::env::var("PERSEA_RANDOM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut empty = 0;
    for seed in start..start + count {
        let query = generator::query(seed);
        check(&query, &[vec![]]);
        let plan = &plans_of(&query, &[]).unwrap()[0];
        empty += u64::from(run(plan).is_ok_and(|outcome| outcome.results.is_empty()));
    }
    assert!(empty < count * 3 / 4, "{empty} of {count} random queries return nothing");
}

#[test]
fn random_graph_queries_have_the_same_result_with_and_without_rules() {
    let count =
        std::env::var("PERSEA_RANDOM_QUERIES").ok().and_then(|text| text.parse().ok()).unwrap_or(1500);
    let start = std::env::var("PERSEA_RANDOM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut empty = 0;
    for seed in start..start + count {
        let query = graph_generator::query(seed);
        check(&query, &[vec![], vec!["-remove-filter-covered-by-traversal".to_owned()]]);
        let plan = &plans_of(&query, &[]).unwrap()[0];
        empty += u64::from(run(plan).is_ok_and(|outcome| outcome.results.is_empty()));
    }
    assert!(empty < count * 3 / 4, "{empty} of {count} random queries return nothing");
}

#[test]
fn sorted_results_come_in_order() {
    for query in [
        "FOR u IN users SORT u.city, u.age, u._key RETURN [u.city, u.age, u._key]",
        "FOR u IN users SORT u.age DESC, u._key RETURN [u.age, u._key]",
        "FOR u IN users FILTER u.city == 'b' SORT u.age, u._key RETURN [u.age, u._key]",
        "FOR u IN users FILTER u.city IN ['b', 'a', 'c'] SORT u.city, u.age RETURN [u.city, u.age]",
        "FOR u IN users SORT u.age LIMIT 3 RETURN u.age",
        "FOR u IN users SORT u.age DESC LIMIT 2, 3 RETURN u.age",
        "FOR u IN users COLLECT c = u.city RETURN c",
        "FOR u IN users COLLECT c = u.city, a = u.age RETURN [c, a]",
        "FOR u IN users COLLECT c = u.city WITH COUNT INTO n RETURN [c, n]",
        "FOR x IN (FOR u IN users SORT u.age RETURN u.age) RETURN x",
        "FOR u IN users SORT u.name SORT u.age, u.city RETURN [u.age, u.city]",
        "FOR u IN users SORT u.age, u.name SORT u.age RETURN u.age",
    ] {
        let texts = |rules: &[&str]| -> Vec<String> {
            run(&plans_of(query, rules).unwrap()[0]).unwrap().results.iter().map(Value::to_json).collect()
        };
        assert_eq!(texts(&[]), texts(&["-all"]), "{query}");
    }
}
