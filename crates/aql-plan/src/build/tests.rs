//! Plans as the builder makes them, before any rule.

use aql_value::{Interrupt, MemoryAccount};
use errors::Result;

use super::build;
use crate::small_catalog::CATALOG;
use crate::{BindInput, BindParameters, Limit, NodeKind, Plan, bind};

fn built(text: &str, full_count: bool) -> Result<Plan> {
    let query = aql_syntax::parse(text, &aql_syntax::Limits::default()).unwrap();
    let (parameters, memory, interrupt) =
        (BindParameters::new(), MemoryAccount::unlimited(), Interrupt::new());
    build(bind(&query, &BindInput::new(&parameters, &CATALOG, &memory, &interrupt))?, full_count)
}

fn limits(plan: &Plan) -> Vec<Limit> {
    let of = |node: &crate::Node| match &node.kind {
        NodeKind::Limit(limit) => Some(*limit),
        _ => None,
    };
    plan.nodes.iter().filter_map(of).collect()
}

#[test]
fn full_count_is_for_the_last_limit_of_the_outermost_query() {
    let query = "FOR i IN 1..9 LIMIT 5 LET s = (FOR j IN 1..9 LIMIT 2 RETURN j) LIMIT 3 RETURN s";
    assert_eq!(
        limits(&built(query, true).unwrap()).iter().map(|limit| limit.full_count).collect::<Vec<_>>(),
        [false, true]
    );
    assert!(limits(&built(query, false).unwrap()).iter().all(|limit| !limit.full_count));
}

#[test]
fn a_filter_is_one_node_without_its_constants() {
    let count = |query: &str| {
        let plan = built(query, false).unwrap();
        let count_of =
            |wanted: fn(&NodeKind) -> bool| plan.nodes.iter().filter(|node| wanted(&node.kind)).count();
        let filters = count_of(|kind| matches!(kind, NodeKind::Filter(_)));
        (filters, count_of(|kind| matches!(kind, NodeKind::NoResults)))
    };
    assert_eq!(count("FOR p IN plain FILTER p.a && p.b && p.c RETURN p"), (1, 0));
    assert_eq!(count("FOR p IN plain FILTER p.a || p.b RETURN p"), (1, 0));
    assert_eq!(count("FOR p IN plain FILTER true && p.b RETURN p"), (1, 0));
    assert_eq!(count("FOR p IN plain FILTER p.a && (p.b && false) RETURN p"), (1, 1));
    assert_eq!(count("FOR p IN plain FILTER true && 1 RETURN p"), (0, 0));
}

#[test]
fn only_repeatable_queries_without_effects_and_warnings_are_cacheable() {
    for (query, cacheable) in [
        ("FOR p IN plain RETURN p", true),
        ("RETURN UPPER('a')", true),
        ("RETURN RAND()", false),
        ("FOR p IN plain FILTER p.a < DATE_NOW() RETURN p", false),
        ("FOR p IN plain LET r = (RETURN UUID()) RETURN r", false),
        ("INSERT {} INTO plain", false),
        ("RETURN 1 / 0", false),
    ] {
        assert_eq!(built(query, false).unwrap().is_cacheable, cacheable, "{query}");
    }
}

#[test]
fn scans_of_an_upsert_see_what_it_wrote() {
    let plan = built("FOR i IN 1..2 UPSERT {a: i} INSERT {a: i} UPDATE {} IN plain", false).unwrap();
    let reads_own_writes = plan.nodes.iter().any(|node| match &node.kind {
        NodeKind::Subquery(subquery) => {
            subquery.nodes.iter().any(|node| node.kind.source().is_some_and(|source| source.read_own_writes))
        }
        _ => false,
    });
    assert!(reads_own_writes);
}
