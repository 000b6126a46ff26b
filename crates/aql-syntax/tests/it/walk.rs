//! Walks through a tree, and the bind parameters found on them.

use aql_syntax::ast::{ExpressionKind, Query, StatementKind};
use aql_syntax::{BindParameterKind, collect_bind_parameters, walk};

use crate::common::{self, parsed};

/// Returns the names of all references, in the order of the walk.
fn references(query: &Query) -> Vec<&str> {
    walk::query_expressions(query)
        .filter_map(|expression| match &expression.kind {
            ExpressionKind::Reference(name) => Some(name.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn every_expression_is_met_once_and_in_the_order_of_the_text() {
    for text in [
        "RETURN [a1, {x: a2, [a3]: a4}, -a5, a6 + a7, a8 AND a9 AND a10]",
        "RETURN [a1..a2, a3 ? a4 : a5, a6 ? : a7, a8 ANY == a9, a10 AT LEAST (a11) == a12]",
        "RETURN [f(a1, a2), a3.x.@y, a4[a5], a6[* FILTER a7 LIMIT a8, a9 RETURN a10].x[a11], a12[? a13 FILTER a14]]",
        "RETURN a1[? AT LEAST (a2) FILTER a3]",
        "FOR x IN a1 SEARCH a2 OPTIONS {o: a3} LET y = a4 FILTER a5 SORT a6 @d, a7 LIMIT a8, a9 RETURN a10",
        "FOR v IN a1 ANY a2 GRAPH 'g' PRUNE a3 OPTIONS {o: a4} RETURN a5",
        "FOR v IN a1 ANY K_PATHS a2 TO a3 e OPTIONS {o: a4} RETURN a5",
        "COLLECT g = a1 AGGREGATE s = SUM(a2), t = MAX(a3) INTO h = a4 OPTIONS {o: a5} RETURN a6",
        "WINDOW a1 WITH {p: a2} AGGREGATE s = SUM(a3) RETURN a4",
        "INSERT a1 INTO c OPTIONS {o: a2} UPDATE a3 WITH a4 IN c OPTIONS {o: a5} REMOVE a6 IN c OPTIONS {o: a7}",
        "REPLACE a1 IN c UPSERT {k: a2} INSERT a3 UPDATE a4 IN c OPTIONS {o: a5} UPSERT FILTER a6 INSERT a7 REPLACE a8 IN c",
        "RETURN [a1, (FOR x IN a2 FILTER (FOR y IN a3 RETURN a4) RETURN a5), f(RETURN a6), a7]",
    ] {
        let query = parsed(text);
        let found = references(&query);
        let expected: Vec<String> = (1..=found.len()).map(|number| format!("a{number}")).collect();
        assert_eq!(found, expected, "{text}");
        assert!(
            text.contains(&format!("a{}", found.len())) && !text.contains(&format!("a{}", found.len() + 1))
        );
    }
}

#[test]
fn statements_of_subqueries_are_met_after_their_own() {
    let query = parsed("LET a = (FILTER b RETURN (SORT c RETURN 1)) FOR x IN f(LIMIT 1 RETURN 2) RETURN x");
    let kinds: Vec<&str> = walk::statements(&query.body)
        .map(|statement| match &statement.kind {
            StatementKind::Let(_) => "LET",
            StatementKind::For(_) => "FOR",
            StatementKind::Filter(_) => "FILTER",
            StatementKind::Sort(_) => "SORT",
            StatementKind::Limit(_) => "LIMIT",
            StatementKind::Return(_) => "RETURN",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["LET", "FOR", "RETURN", "FILTER", "RETURN", "SORT", "RETURN", "LIMIT", "RETURN"]);
}

#[test]
fn bind_parameters_are_found_wherever_they_may_stand() {
    let query = parsed(
        "WITH @@w FOR x IN @@c FILTER x.@a == @v AND {@k: 1, [@e]: 2} LET y = (FOR v IN 1..@m OUTBOUND @s ANY @@d \
         RETURN (FOR p IN ANY SHORTEST_PATH @f TO @t GRAPH @g RETURN p)) \
         LET z = (FOR q IN ANY @h GRAPH @@i SORT q @o RETURN q) \
         UPDATE x WITH {v: @v} IN @@u OPTIONS {o: @v} RETURN COLLECTION_COUNT(@@n)",
    );
    let found = collect_bind_parameters(&query);
    let keys = |kind| {
        let found = found.iter().filter(|parameter| parameter.kind == kind);
        found.map(|parameter| parameter.key.as_str()).collect::<Vec<&str>>()
    };
    assert_eq!(keys(BindParameterKind::DataSource), ["@c", "@d", "@i", "@n", "@u", "@w"]);
    assert_eq!(keys(BindParameterKind::Value), ["a", "e", "f", "g", "h", "k", "m", "o", "s", "t", "v"]);
}

#[test]
fn a_value_and_a_data_source_of_one_name_are_two_parameters() {
    let text = "FOR x IN @@a FILTER x == @a FILTER @a RETURN x";
    let found = collect_bind_parameters(&parsed(text));
    let keys: Vec<&str> = found.iter().map(|parameter| parameter.key.as_str()).collect();
    assert_eq!(keys, ["@a", "a"]);
    let span = found[1].span;
    assert_eq!((span.start as usize, span.end as usize), (text.find("== @a").unwrap() + 3, 27));
}

#[test]
fn a_string_that_looks_like_a_bind_parameter_is_none() {
    assert!(
        collect_bind_parameters(&parsed("FOR u IN `@@c` FILTER u.name == '@name' /* @x */ RETURN u"))
            .is_empty()
    );
}

#[test]
fn heights_count_the_levels_of_a_tree() {
    let height = |text: &str| common::expression(text).height();
    assert_eq!(height("1"), 1);
    assert_eq!(height("((1))"), 1);
    assert_eq!(height("1 + 2 + 3 + 4"), 4);
    assert_eq!(height("a OR b OR c OR d"), 2);
    assert_eq!(height("f([{a: 1}])"), 4);
    assert_eq!(height("(RETURN [1])"), 3);
    assert_eq!(height("a[*].b"), 3);
}
