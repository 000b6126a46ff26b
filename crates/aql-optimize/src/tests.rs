//! Properties that hold for all rules.

#[path = "../tests/it/common/small.rs"]
mod small;

use std::collections::HashSet;
use std::sync::Arc;

use aql_plan::{BindInput, BindParameters, bind, build, for_each_node, print};
use aql_value::{Interrupt, MemoryAccount};

use super::{OptimizerOptions, optimize, rules::RULES};
use small::{CATALOG, optimized};

#[test]
fn rules_have_unique_names_and_descriptions() {
    let names: HashSet<_> = RULES.iter().map(|rule| rule.name()).collect();
    assert_eq!(names.len(), RULES.len());
    assert!(RULES.iter().all(|rule| rule.description().ends_with('.')));
}

/// Queries that together make every rule fire.
const QUERIES: &[&str] = &[
    "FOR u IN users FILTER u.age == 1 || u.age == 2 || u.age == 3 SORT u.age LIMIT 5 RETURN u.name",
    "FOR u IN users FILTER u.age > 1 || u.age > 5 RETURN u",
    "FOR u IN users FILTER u.city == 'x' FOR v IN users FILTER v.age == u.age FILTER v.x == u.city RETURN [u, v]",
    "FOR u IN users LET n = LENGTH(FOR k IN knows FILTER k._from == u._id RETURN k) FILTER n > 3 RETURN n",
    "FOR u IN users LET f = FIRST(FOR k IN knows FILTER k._from == u._id RETURN k) RETURN f",
    "FOR u IN users COLLECT c = u.city INTO g RETURN [c, g[*].u.name]",
    "FOR u IN users COLLECT c = u.city AGGREGATE a = MAX(u.age), b = MIN(u.age) SORT c DESC RETURN [c, a]",
    "FOR u IN users SORT u.city SORT u.age RETURN u",
    "FOR u IN users FILTER u.a == 1 FILTER u.b == 2 FILTER u.c == 3 RETURN u._key",
    "FOR x IN (FOR u IN users FILTER u.age > 3 RETURN u) FILTER x.name == 'a' RETURN x",
    "FOR u IN users FILTER {a: u.age}.a == 1 && !(u.x == 1) RETURN 1",
    "FOR u IN users FILTER u.tags ANY == 'x' RETURN u",
    "FOR u IN users UPDATE u WITH {a: 1} IN users",
    "FOR u IN users COLLECT WITH COUNT INTO n RETURN n",
    "FOR i IN 1..10 LET a = i * 2 LET b = i * 2 FILTER a > 3 && true LIMIT 2 RETURN [a, b, CONCAT(i)]",
    "LET x = 1 FOR u IN users FILTER x == 2 RETURN u",
    "FOR u IN users SORT u.name LIMIT 3 RETURN u.name",
    "FOR u IN users SORT RAND() LIMIT 1 RETURN u",
    "FOR u IN users FILTER u.city == 'x' RETURN u.city",
    "FOR u IN users FOR p IN products FILTER u.age == p.id RETURN [u, p]",
    "FOR u IN users UPSERT {email: u.email} INSERT {} UPDATE {n: OLD.n + 1} IN plain RETURN NEW",
    "FOR u IN users FOR v, e, p IN 1..2 ANY u knows FILTER p.edges[0].a == u.b AND v.c == 1 RETURN p.vertices[-1].d",
    "FOR v, e, p IN 1..2 ANY 'users/1' knows PRUNE x = p.edges[-1].a == 1 FILTER p.edges[*].b ALL == 1 RETURN x",
    "FOR p IN 1..2 ANY K_PATHS 'users/1' TO 'users/2' knows FILTER p.edges[*].b ALL == 1 RETURN p.edges",
    "FOR u IN users FOR v, e IN ANY SHORTEST_PATH u TO 'users/2' knows SORT v.x RETURN e.y",
    "FOR u IN users FILTER u.age > 3 SORT -u.age LIMIT 3 RETURN u",
    "FOR u IN users COLLECT c = u.city AGGREGATE a = MAX(u.age) RETURN [c, a]",
    "FOR u IN users COLLECT AGGREGATE a = MAX(u.age) RETURN a",
    "FOR u IN users FILTER u.city LIKE 'ab%' RETURN u",
    "FOR u IN users FOR [k, v] IN ENTRIES(u.attributes) FILTER v > 1 RETURN [k, v]",
    "FOR p IN FULLTEXT(places, 'text', 'some') RETURN p",
    "FOR u IN users FILTER {a: 1, b: u.age}.a == 1 RETURN u",
    "FOR p IN places SORT GEO_DISTANCE([1, 2], p.location) LIMIT 3 RETURN p",
    "FOR t IN test FOR u IN users FILTER t.value == u.age RETURN [t.value, u.age, u]",
    "FOR t IN test FILTER t.value > 1 SORT t._key RETURN t.other",
    "FOR u IN people SEARCH u.a == 1 LET s = BM25(u) SORT s DESC LIMIT 3 RETURN [u.name, s]",
    "FOR u IN people SEARCH u.a == 1 SORT u._key LIMIT 3 RETURN u",
    "FOR i IN 1..3 FOR u IN people SEARCH u.a == 1 RETURN [i, u]",
    "FOR u IN users FOR p IN people SEARCH p.a == u.b SORT BM25(p) LIMIT 3 RETURN (FOR x IN [1] RETURN TFIDF(p))",
    "FOR u IN users WINDOW u.age WITH {preceding: 1} AGGREGATE n = SUM(u.x) FILTER n > 1 RETURN [u.name, n]",
];

/// A query that runs with its index only, so no rule of it may be off.
const SEARCH_OF_VECTORS: &str = "FOR p IN places SORT APPROX_NEAR_L2(p.vector, [1, 2]) LIMIT 3 RETURN p";

/// Every variable that a node reads is set before, in its pipeline or around it. This and the other
/// invariants hold for every plan with every set of rules.
#[test]
fn plans_read_only_what_was_set_before() {
    let mut sets: Vec<Vec<String>> = vec![vec![], vec!["-all".into()]];
    sets.extend(RULES.iter().map(|rule| vec![format!("-{}", rule.name())]));
    sets.extend(RULES.iter().map(|rule| vec!["-all".into(), format!("+{}", rule.name())]));
    for query in QUERIES {
        for rules in &sets {
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            for plan in optimized(query, &rules).unwrap().plans {
                assert_eq!(plan.broken_invariant(), None, "{query} {rules:?} in\n{}", print(&plan));
            }
        }
    }
}

#[test]
fn node_numbers_are_unique() {
    for query in QUERIES {
        for plan in optimized(query, &[]).unwrap().plans {
            let mut seen = HashSet::new();
            for_each_node(&plan.nodes, &mut |node| assert!(seen.insert(node.id), "{query}"));
        }
    }
}

#[test]
fn every_rule_changes_one_of_the_queries() {
    let fired: HashSet<&str> = QUERIES
        .iter()
        .chain([&SEARCH_OF_VECTORS])
        .flat_map(|query| optimized(query, &["+replace-equal-attribute-accesses"]).unwrap().plans)
        .flat_map(|plan| plan.rules_applied)
        .collect();
    // After a first pass, a second one (-2) need not find anything.
    let is_first = |name: &&str| {
        *name == "remove-sort-rand-limit-1" || !name.ends_with(|last: char| last.is_ascii_digit())
    };
    let shown = RULES.iter().filter(|rule| !rule.is_hidden());
    let missing: Vec<_> =
        shown.map(|rule| rule.name()).filter(is_first).filter(|name| !fired.contains(name)).collect();
    assert!(missing.is_empty(), "no query makes these rules fire: {missing:?}");
}

#[test]
fn the_number_of_plans_is_bounded() {
    let (query, interrupt, memory) = (
        "FOR a IN users FOR b IN users FOR c IN users FOR d IN users FILTER a.x == b.x && b.y == c.y && c.z == d.z RETURN 1",
        Interrupt::new(),
        Arc::new(MemoryAccount::unlimited()),
    );
    assert_eq!(optimized(query, &[]).unwrap().plans.len(), 24);
    let parsed = aql_syntax::parse(query, &aql_syntax::Limits::default()).unwrap();
    let parameters = BindParameters::new();
    let plan =
        build(bind(&parsed, &BindInput::new(&parameters, &CATALOG, &memory, &interrupt)).unwrap(), false)
            .unwrap();
    let mut options = OptimizerOptions::default();
    options.max_number_of_plans = 3;
    assert_eq!(optimize(plan, &CATALOG, &options, &memory, &interrupt).unwrap().plans.len(), 3);
}

/// Returns the number of plans, with or without those that are not worth executing.
fn count_plans(query: &str, all_plans: bool) -> usize {
    let (interrupt, memory) = (Interrupt::new(), Arc::new(MemoryAccount::unlimited()));
    let parsed = aql_syntax::parse(query, &aql_syntax::Limits::default()).unwrap();
    let parameters = BindParameters::new();
    let input = BindInput::new(&parameters, &CATALOG, &memory, &interrupt);
    let plan = build(bind(&parsed, &input).unwrap(), false).unwrap();
    let mut options = OptimizerOptions::default();
    options.all_plans = all_plans;
    optimize(plan, &CATALOG, &options, &memory, &interrupt).unwrap().plans.len()
}

#[test]
fn all_plans_have_loops_in_each_order() {
    for (query, plans) in [
        ("FOR a IN users FOR b IN users RETURN 1", 2),
        ("FOR a IN 1..2 FOR b IN 1..3 FOR c IN users FILTER a == b RETURN c", 6),
        ("FOR a IN users LET t = a.tags FOR b IN t FOR c IN users RETURN c", 2),
        ("FOR a IN [[1], [2]] FOR b IN a RETURN b", 1),
        ("FOR a IN 1..2 FOR b IN users LIMIT 1 RETURN b", 1),
        ("FOR a IN users INSERT {} INTO users FOR b IN 1..3 RETURN b", 1),
    ] {
        assert_eq!((count_plans(query, false), count_plans(query, true)), (1, plans), "{query}");
    }
}

#[test]
fn all_plans_have_both_methods_of_collect() {
    let query = "FOR u IN users COLLECT a = u.nothing WITH COUNT INTO n RETURN [a, n]";
    assert_eq!((count_plans(query, false), count_plans(query, true)), (1, 2));
    for one in [
        "FOR u IN users SORT u.nothing COLLECT a = u.nothing RETURN a",
        "FOR u IN users COLLECT a = u.nothing OPTIONS {method: 'hash'} RETURN a",
        "FOR u IN users RETURN DISTINCT u.nothing",
    ] {
        assert_eq!(count_plans(one, true), 1, "{one}");
    }
}

#[test]
fn rules_are_timed_on_request() {
    let text = "FOR u IN users FILTER u.age == 1 RETURN u";
    let query = aql_syntax::parse(text, &aql_syntax::Limits::default()).unwrap();
    let (parameters, memory, interrupt) =
        (BindParameters::new(), Arc::new(MemoryAccount::unlimited()), Interrupt::new());
    for time_rules in [false, true] {
        let input = BindInput::new(&parameters, &CATALOG, &memory, &interrupt);
        let plan = build(bind(&query, &input).unwrap(), false).unwrap();
        let mut options = OptimizerOptions::new(["-use-indexes"]);
        options.time_rules = time_rules;
        let optimized = optimize(plan, &CATALOG, &options, &memory, &interrupt).unwrap();
        let names: Vec<&str> = optimized.rule_times.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.contains(&"fuse-filters"), time_rules);
        assert!(!names.contains(&"use-indexes"));
    }
}
