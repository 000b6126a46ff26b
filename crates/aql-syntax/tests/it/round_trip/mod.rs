//! Trees and texts convert into each other without loss.

mod tree;

use aql_syntax::ast::{Expression, ExpressionKind, Query, Span};
use aql_syntax::{Limits, parse, print, print_expression, walk};
use proptest::prelude::*;

use crate::common::{self, expression, parsed};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_printed_tree_parses_into_the_same_tree(query in tree::query()) {
        let text = print(&query);
        let again = parse(&text, &Limits::default()).map_err(|error| TestCaseError::fail(format!("{text}\n{error}")))?;
        prop_assert_eq!(again.without_spans(), query, "{}", text);
    }

    #[test]
    fn a_printed_expression_parses_into_the_same_expression(tree in tree::expression()) {
        let text = print_expression(&tree);
        prop_assert_eq!(expression(&format!("({text})")), tree, "{}", text);
    }

    #[test]
    fn text_made_of_tokens_does_not_panic_and_prints_stably(tokens in prop::collection::vec(token(), 0..40)) {
        check(&tokens.join(" "))?;
    }

    #[test]
    fn damaged_queries_do_not_panic_and_print_stably(
        query in tree::query(), at in any::<prop::sample::Index>(), length in 0_usize..6, new in token(),
    ) {
        let mut text = print(&query);
        let start = text.floor_char_boundary(at.index(text.len()));
        let end = text.ceil_char_boundary((start + length).min(text.len()));
        text.replace_range(start..end, new);
        check(&text)?;
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in any::<String>()) {
        check(&text)?;
        check(&format!("RETURN {text}"))?;
    }
}

/// Checks that a text that parses can be printed and parsed again.
fn check(text: &str) -> Result<(), TestCaseError> {
    match parse(text, &Limits::default()) {
        Ok(query) => {
            check_spans(text, &query)?;
            let printed = print(&query);
            let mut again = parse(&printed, &Limits::default())
                .map_err(|error| TestCaseError::fail(format!("{text}\n{printed}\n{error}")))?;
            prop_assert_eq!(print(&again), printed.as_str());
            // A number that is out of range is printed as null.
            again.warnings = query.warnings.clone();
            prop_assert_eq!(again.without_spans(), query.without_spans(), "{}", text);
        }
        Err(error) => {
            let offset = error.position.offset as usize;
            prop_assert!(offset <= text.len() && text.is_char_boundary(offset), "{}", error);
        }
    }
    Ok(())
}

/// Checks that spans lie in the text, and children's in their parents'.
fn check_spans(text: &str, query: &Query) -> Result<(), TestCaseError> {
    let body = query.body.span;
    prop_assert!(text.get(body.start as usize..body.end as usize).is_some());
    for statement in walk::statements(&query.body) {
        prop_assert!(contains(body, statement.span));
        walk::statement_data_sources(statement, &mut |source| assert!(contains(statement.span, source.span)));
        walk::statement_expressions(statement, &mut |expression| {
            assert!(contains(statement.span, expression.span), "{text}");
        });
    }
    for expression in walk::query_expressions(query) {
        let span = expression.span;
        prop_assert!(text.get(span.start as usize..span.end as usize).is_some());
        walk::children(&expression.kind, &mut |child| match child {
            walk::Child::Expression(child) => assert!(contains(span, child.span), "{text}"),
            walk::Child::Block(block) => assert!(contains(span, block.span), "{text}"),
        });
    }
    Ok(())
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        &[
            "FOR",
            "LET",
            "FILTER",
            "RETURN",
            "COLLECT",
            "SORT",
            "LIMIT",
            "WINDOW",
            "INSERT",
            "UPDATE",
            "REPLACE",
            "REMOVE",
            "UPSERT",
            "ASC",
            "DESC",
            "IN",
            "WITH",
            "INTO",
            "AGGREGATE",
            "GRAPH",
            "SHORTEST_PATH",
            "K_PATHS",
            "DISTINCT",
            "OUTBOUND",
            "INBOUND",
            "ANY",
            "ALL",
            "NONE",
            "AT",
            "LEAST",
            "AT LEAST",
            "a",
            "b",
            "x",
            "c",
            "COUNT",
            "KEEP",
            "OPTIONS",
            "PRUNE",
            "SEARCH",
            "TO",
            "`q`",
            "´q´",
            "'s'",
            "\"s\"",
            "1",
            "0",
            "2.5",
            ".5",
            "1e3",
            "0x1f",
            "null",
            "true",
            "false",
            "@p",
            "@@d",
            "=",
            "NOT",
            "!",
            "NOT IN",
            "AND",
            "OR",
            "&&",
            "||",
            "LIKE",
            "=~",
            "!~",
            "==",
            "!=",
            "<",
            "<=",
            ">",
            ">=",
            "+",
            "-",
            "*",
            "/",
            "%",
            "?",
            ":",
            "::",
            "..",
            ",",
            ".",
            "(",
            ")",
            "{",
            "}",
            "[",
            "]",
            "[*]",
            "[**",
            "[?",
            "RETURN 1",
            "x IN y",
            "SUM(x)",
            "{a: 1}",
            "'",
            "`",
            "/*",
            "*/",
            "//",
            "\n",
            ";",
            "#",
            "ä",
            "\\",
            "",
        ][..],
    )
}

/// The text of an expression, cut out of its query, is that expression.
#[test]
fn spans_are_the_text_of_their_expressions() {
    let text = "FOR d IN (c) FILTER (a + b) * -c[0].x == f(1, {x, y: [1..3, `q`]}) AND NOT (p OR q) ? @b : (RETURN 's') \
                LET g = a[* FILTER CURRENT.x > 1 LIMIT 1, 2 RETURN z].b.c, h = a[? AT LEAST (2) FILTER q], \
                i = ((a.b ALL IN c)), j = x::y(FOR k IN l RETURN k), m = ((a[*].b))[**].c \
                RETURN DISTINCT d";
    let query = parsed(text);
    let mut checked = 0;
    for found in walk::query_expressions(&query) {
        if walk::expressions(found).any(|inner| inner.kind == ExpressionKind::Element) && !is_expansion(found)
        {
            continue;
        }
        let span = &text[found.span.start as usize..found.span.end as usize];
        let mut expected = found.clone();
        clear_spans(&mut expected);
        assert_eq!(expression(&format!("({span})")), expected, "{span}");
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}

fn is_expansion(expression: &Expression) -> bool {
    // An expansion in a projection starts at its element, which has no text.
    matches!(&expression.kind, ExpressionKind::Expansion(inner) if inner.base.kind != ExpressionKind::Element)
}

fn clear_spans(expression: &mut Expression) {
    let text = print_expression(expression);
    *expression = common::expression(&format!("({text})"));
}
