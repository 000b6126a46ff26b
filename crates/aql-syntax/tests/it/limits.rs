//! No text may overflow the stack, panic, or take more than linear time.

use aql_syntax::ast::{ExpressionKind, StatementKind};
use aql_syntax::{Limits, ParseError, parse, print};
use errors::ErrorCode;

/// Bytes of stack of the test threads.
///
/// That is less than the 2 MiB that Rust gives a thread, because the parser's caller needs some
/// too.
const STACK_BYTES: usize = 3 << 19;

fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(test).unwrap().join().unwrap();
}

fn parse_default(text: &str) -> Result<aql_syntax::ast::Query, ParseError> {
    parse(text, &Limits::default())
}

/// Repeats `before`, then writes `middle`, then repeats `after` as many times.
fn nest(count: usize, before: &str, middle: &str, after: &str) -> String {
    format!("{}{middle}{}", before.repeat(count), after.repeat(count))
}

/// Every way in which text nests: the text that opens a level, and the text that closes it.
const NESTS: [(&str, &str); 24] = [
    ("(", ")"),
    ("[", "]"),
    ("[1, ", "]"),
    ("{a: ", "}"),
    ("{[", "]: 1}"),
    ("f(", ")"),
    ("a[", "]"),
    ("a[* FILTER ", "]"),
    ("a[* LIMIT ", "]"),
    ("a[* RETURN ", "]"),
    ("a[? FILTER ", "]"),
    ("a[? AT LEAST (", ") FILTER 1]"),
    ("a AT LEAST (", ") == 1"),
    ("a ? ", " : 1"),
    ("a ? 1 : ", ""),
    ("-", ""),
    ("NOT ", ""),
    ("a + (", ")"),
    ("a OR b AND c == d IN e < f .. g + h * -(", ")"),
    ("(RETURN ", ")"),
    ("f(RETURN ", ")"),
    ("(FOR x IN y FILTER x == 1 LET z = ", " RETURN z)"),
    ("(FOR v IN 1..2 OUTBOUND ", " GRAPH 'g' RETURN v)"),
    ("(FOR x IN y COLLECT g = 1 AGGREGATE m = MAX(", ") RETURN g)"),
];

#[test]
fn the_deepest_nesting_that_is_allowed_is_parsed_printed_and_dropped() {
    on_small_stack(|| {
        for (before, after) in NESTS {
            let text = |count| format!("RETURN {}", nest(count, before, "1", after));
            // The levels of one nest differ, so a search finds the most that are allowed.
            let counts: Vec<usize> = (1..=501).collect();
            let most = counts.partition_point(|&count| parse_default(&text(count)).is_ok());
            assert!((40..=500).contains(&most), "{before} {most}");
            let query = parse_default(&text(most)).unwrap();
            let spare = Limits { max_depth: 510, ..Limits::default() };
            let again = parse(&print(&query), &spare).unwrap_or_else(|error| panic!("{before} {error}"));
            assert_eq!(again.without_spans(), query.without_spans(), "{before}");
        }
    });
}

#[test]
fn nesting_beyond_the_limit_is_an_error() {
    on_small_stack(|| {
        for (before, after) in NESTS {
            for count in [501, 10_000, 100_000] {
                let text = format!("RETURN {}", nest(count, before, "1", after));
                let error = parse_default(&text).unwrap_err();
                assert_eq!(error.code, ErrorCode::QueryTooMuchNesting, "{before} {count} {error}");
                // The closing side is not needed.
                let text = format!("RETURN {}", before.repeat(count));
                let error = parse_default(&text).unwrap_err();
                assert_eq!(error.code, ErrorCode::QueryTooMuchNesting, "{before} {count} {error}");
            }
        }
    });
}

#[test]
fn the_limit_is_exact() {
    let limits = Limits { max_depth: 10, ..Limits::default() };
    assert!(parse(&format!("RETURN {}", nest(9, "(", "1", ")")), &limits).is_ok());
    assert!(parse(&format!("RETURN {}", nest(10, "(", "1", ")")), &limits).is_err());
    assert!(parse(&format!("RETURN 1{}", " + 1".repeat(9)), &limits).is_ok());
    assert!(parse(&format!("RETURN 1{}", " + 1".repeat(10)), &limits).is_err());
}

#[test]
fn an_operator_and_its_parenthesis_are_one_level() {
    on_small_stack(|| {
        for (before, after) in [
            ("1 + (", ")"),
            ("1 * (", ")"),
            ("x AND (", ")"),
            ("x IN (", ")"),
            ("1 .. (", ")"),
            ("x ANY == (", ")"),
            ("-(", ")"),
            ("NOT (", ")"),
            ("x ? (", ") : 1"),
            ("x ? 1 : (", ")"),
        ] {
            let text = |count| format!("RETURN {}", nest(count, before, "1", after));
            assert!(parse_default(&text(499)).is_ok(), "{before}");
            assert!(parse_default(&text(500)).is_err(), "{before}");
        }
    });
}

#[test]
fn chains_that_would_make_a_tall_tree_are_an_error() {
    on_small_stack(|| {
        for link in [
            " + 1",
            " - 1",
            " * 1",
            " == 1",
            " IN 1",
            " < 1",
            "..1",
            " LIKE 1",
            " ALL == 1",
            ".a",
            ".@a",
            "[0]",
            "[*]",
            "[? FILTER 1]",
            "[* FILTER 1].b",
        ] {
            let text = format!("RETURN x{}", link.repeat(100_000));
            let error = parse_default(&text).unwrap_err();
            assert_eq!(error.code, ErrorCode::QueryTooMuchNesting, "{link}");
        }
        // Chains inside nested expressions add up.
        let mut text = "x".to_owned();
        for _ in 0..20 {
            text = format!("[{text}{}]", ".a".repeat(30));
        }
        let error = parse_default(&format!("RETURN {text}")).unwrap_err();
        assert_eq!(error.code, ErrorCode::QueryTooMuchNesting);
    });
}

#[test]
fn patterns_count_as_nesting() {
    on_small_stack(|| {
        for (before, after) in [("[", "]"), ("{a: ", "}")] {
            let text = |count| format!("LET {} = 1 RETURN 1", nest(count, before, "x", after));
            assert!(parse_default(&text(400)).is_ok());
            let error = parse_default(&text(501)).unwrap_err();
            assert_eq!(error.code, ErrorCode::QueryTooMuchNesting);
            assert!(parse_default(&text(100_000)).is_err());
        }
    });
}

#[test]
fn long_chains_of_and_and_or_are_wide_and_not_deep() {
    on_small_stack(|| {
        for operator in [" OR ", " AND ", " || ", " && "] {
            let text = format!("RETURN x{}", format!("{operator}y == 1").repeat(100_000));
            let query = parse_default(&text).unwrap();
            let StatementKind::Return(inner) = &query.body.statements[0].kind else { panic!() };
            let ExpressionKind::Logical(logical) = &inner.value.kind else { panic!() };
            assert_eq!(logical.operands.len(), 100_001);
            assert_eq!(inner.value.height(), 3);
            assert_eq!(parse_default(&print(&query)).unwrap().without_spans(), query.without_spans());
        }
        // Mixed: an OR of ANDs.
        let text = format!("RETURN x{}", " OR a AND b".repeat(100_000));
        assert!(parse_default(&text).is_ok());
    });
}

#[test]
fn many_statements_elements_members_and_arguments_are_fine() {
    on_small_stack(|| {
        let count = 20_000;
        for text in [
            format!("{} RETURN 1", "LET x = 1 ".repeat(count)),
            format!("LET x = 1{} RETURN 1", ", x = 1".repeat(count)),
            format!("{} RETURN 1", "FOR x IN y ".repeat(count)),
            format!("{} RETURN 1", "FILTER x SORT y LIMIT 1 ".repeat(count)),
            format!("{} RETURN 1", "INSERT x INTO y ".repeat(count)),
            format!("RETURN [{}]", "1, ".repeat(count)),
            format!("RETURN {{{}}}", "a, b: 1, ".repeat(count)),
            format!("RETURN f({}1)", "1, ".repeat(count)),
            format!("LET [{}] = 1 RETURN 1", "a,,".repeat(count)),
            format!("WITH {} RETURN 1", "a ".repeat(count)),
            format!("RETURN a[{}]", "*".repeat(count)),
            format!("RETURN a::{}b()", "a::".repeat(count)),
        ] {
            assert!(parse_default(&text).is_ok(), "{}", &text[..40]);
        }
    });
}

#[test]
fn a_query_of_ten_megabytes_is_parsed() {
    let row = r#"{_key: "abc", value: 12345.75, tags: ["a", "b"], nested: {x: null, y: true}}, "#;
    let text = format!("FOR d IN [{}] INSERT d INTO c", row.repeat((10 << 20) / row.len()));
    assert!(parse_default(&text).is_ok());
    let comments = format!("RETURN {} 1", "/* * / ** */ // x\n".repeat((10 << 20) / 18));
    assert!(parse_default(&comments).is_ok());
}

#[test]
fn long_tokens_are_read_a_bounded_number_of_times() {
    // Each of these would take hours if the parser read the text once for each token.
    let long = "x".repeat(2 << 20);
    for text in [
        format!("REMOVE x IN '{long}'"),
        format!("FOR v IN 1 ANY '{long}' e RETURN v"),
        format!("RETURN '{long}' /* {long} */"),
        format!("RETURN `{long}` "),
        format!("RETURN /* {long}"),
        format!("RETURN '{long}"),
        format!("RETURN {}", long.replace('x', "/* *")),
    ] {
        let _ = parse_default(&text);
    }
    assert!(parse_default(&format!("RETURN '{long}'")).is_ok());
}

#[test]
fn longer_queries_than_allowed_are_refused() {
    let limits = Limits { max_bytes: 8, ..Limits::default() };
    assert!(parse("RETURN 1", &limits).is_ok());
    let error = parse("RETURN 12", &limits).unwrap_err();
    assert_eq!(error.code, ErrorCode::QueryTooMuchNesting);
    assert_eq!(error.message, "query text has 9 bytes, at most 8 are allowed");
}
