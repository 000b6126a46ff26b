//! Errors: number, message and place.

use aql_syntax::ast::Span;
use aql_syntax::{ParseError, Position, position};
use errors::ErrorCode;

use crate::common::error;

#[track_caller]
fn assert_error(text: &str, expected: &str) {
    let found = error(text);
    assert_eq!(found.message, expected, "{text}");
    assert_eq!(found.code, ErrorCode::QueryParse);
    let place = format!(" at position {}:{}", found.position.line, found.position.column);
    assert!(expected.ends_with(&place));
    assert_eq!(found.position, position(text, found.position.offset));
}

#[test]
fn an_unexpected_token_is_named_and_quoted_with_what_follows() {
    for (text, expected) in [
        ("this is not AQL", "syntax error, unexpected identifier near 'this is not AQL' at position 1:1"),
        ("YODA", "syntax error, unexpected identifier near 'YODA' at position 1:1"),
        (
            "FOR u IN users FILTER u.a == ) RETURN u",
            "syntax error, unexpected ) near ') RETURN u' at position 1:30",
        ),
        (
            "RETURN 'a' 'b'",
            "syntax error, unexpected quoted string, expecting end of query string near ''b'' at position 1:12",
        ),
        (
            "RETURN 1 2",
            "syntax error, unexpected integer number, expecting end of query string near '2' at position 1:10",
        ),
        ("RETURN 1 == == 2", "syntax error, unexpected == operator near '== 2' at position 1:13"),
        ("RETURN a =~ !~ b", "syntax error, unexpected ~! operator near '!~ b' at position 1:13"),
        (
            "LET a : 1 RETURN a",
            "syntax error, unexpected :, expecting assignment near ': 1 RETURN a' at position 1:7",
        ),
        ("RETURN [1, 2", "syntax error, unexpected end of query string near '2' at position 1:12"),
        ("RETURN {a: 1 b: 2}", "syntax error, unexpected identifier near 'b: 2}' at position 1:14"),
        (
            "RETURN {1: 1}",
            "syntax error, unexpected integer number, expecting identifier or quoted string or bind parameter or [ \
             near '1: 1}' at position 1:9",
        ),
        (
            "RETURN a.filter",
            "syntax error, unexpected FILTER declaration, expecting identifier or bind parameter near 'filter' \
             at position 1:10",
        ),
        (
            "RETURN 1 # 2",
            "syntax error, unexpected invalid token, expecting end of query string near '# 2' at position 1:10",
        ),
        (
            "RETURN 1;",
            "syntax error, unexpected invalid token, expecting end of query string near ';' at position 1:9",
        ),
    ] {
        assert_error(text, expected);
    }
}

#[test]
fn statements_in_the_wrong_place_are_named() {
    assert_error(
        "FOR f IN foo\n  RETURN f\nSORT LENGTH(members) DESC",
        "syntax error, unexpected SORT declaration, expecting end of query string near 'SORT LENGTH(members) DESC' \
         at position 3:1",
    );
    assert_error(
        "LET a = (RETURN 1 LIMIT 1) RETURN a",
        "syntax error, unexpected LIMIT declaration, expecting ) near 'LIMIT 1) RETURN a' at position 1:19",
    );
    assert_error("REMOVE x IN y 1", "syntax error, unexpected integer number near '1' at position 1:15");
    assert_error(
        "LET a = 1 a = 2 RETURN a",
        "syntax error, unexpected identifier near 'a = 2 RETURN a' at position 1:11",
    );
}

#[test]
fn where_little_is_possible_it_is_listed() {
    for (text, expected) in [
        (
            "FOR @var IN nodes RETURN @var",
            "syntax error, unexpected bind parameter, expecting identifier or { or [ \
             near '@var IN nodes RETURN @var' at position 1:5",
        ),
        (
            "FOR document INx users",
            "syntax error, unexpected identifier, expecting IN keyword near 'INx users' at position 1:14",
        ),
        (
            "INSERT {} INTO @c",
            "syntax error, unexpected bind parameter, expecting identifier or quoted string or bind data source \
             parameter near '@c' at position 1:16",
        ),
        (
            "FOR x IN y OPTIONS 1 RETURN x",
            "syntax error, unexpected integer number, expecting { near '1 RETURN x' at position 1:20",
        ),
        (
            "FOR v IN ANY s GRAPH 1 RETURN v",
            "syntax error, unexpected integer number, expecting identifier or quoted string or bind parameter or bind \
             data source parameter near '1 RETURN v' at position 1:22",
        ),
        (
            "RETURN a[? 2]",
            "syntax error, unexpected ], expecting FILTER declaration near ']' at position 1:13",
        ),
        (
            "COLLECT WITH COUNT n RETURN n",
            "syntax error, unexpected identifier, expecting INTO keyword near 'n RETURN n' at position 1:20",
        ),
    ] {
        assert_error(text, expected);
    }
}

#[test]
fn an_unexpected_end_is_reported_where_the_last_lexeme_starts() {
    for (text, expected) in [
        ("RETURN", "syntax error, unexpected end of query string near 'RETURN' at position 1:1"),
        ("RETURN   ", "syntax error, unexpected end of query string near '   ' at position 1:7"),
        (
            "\n    FOR i IN 1..10\n        INSERT {\n            a: 1\n        } IN mynodes-js",
            "syntax error, unexpected end of query string near 'js' at position 5:22",
        ),
        (
            "LET x = 1\n                ",
            "syntax error, unexpected end of query string near '                ' at position 2:1",
        ),
        (
            "FOR v, e, p IN 1..50 OUTBOUND 'c/1' e OPTIONS {order: 'bfs'}",
            "syntax error, unexpected end of query string near '}' at position 1:60",
        ),
        ("RETURN 1 +// x", "syntax error, unexpected end of query string near '// x' at position 1:11"),
    ] {
        assert_error(text, expected);
    }
}

#[test]
fn what_is_not_terminated_is_named() {
    assert_error("RETURN 'abc", "unexpected unterminated string literal near ''abc' at position 1:8");
    assert_error("RETURN \"a\\\"", "unexpected unterminated string literal near '\"a\\\"' at position 1:8");
    assert_error("RETURN `abc", "unexpected unterminated identifier near '`abc' at position 1:8");
    assert_error("RETURN ´abc", "unexpected unterminated identifier near '´abc' at position 1:8");
    assert_error("RETURN 1 /* x", "unexpected unterminated multi-line comment near '/* x' at position 1:10");
}

#[test]
fn words_that_are_not_reserved_are_named_when_they_are_wrong() {
    assert_error(
        "COLLECT WITH NUMBER INTO n RETURN n",
        "unexpected qualifier 'NUMBER', expecting 'COUNT' near 'NUMBER INTO n RETURN n' at position 1:14",
    );
    assert_error(
        "FOR v IN ANY SHORTEST_PATH a UNTIL b e RETURN v",
        "unexpected qualifier 'UNTIL', expecting 'TO' near 'UNTIL b e RETURN v' at position 1:30",
    );
}

#[test]
fn rules_that_are_not_grammar_say_what_is_wrong() {
    for (text, expected) in [
        (
            "RETURN DISTINCT 1",
            "cannot use DISTINCT modifier on top-level query element near 'DISTINCT 1' at position 1:8",
        ),
        (
            "FOR a, b IN c RETURN a",
            "FOR loops over collections, Views and arrays only allow a single return variable near 'a, b IN c RETURN a' \
             at position 1:5",
        ),
        (
            "FOR a, b, c, d IN ANY s e RETURN a",
            "Traversals only have one, two or three return variables near 'a, b, c, d IN ANY s e RETURN a' \
             at position 1:5",
        ),
        (
            "FOR a, b, c IN ANY SHORTEST_PATH s TO t e RETURN a",
            "ShortestPath only has one or two return variables near 'a, b, c IN ANY SHORTEST_PATH s T...' \
             at position 1:5",
        ),
        (
            "FOR a, b IN ANY K_PATHS s TO t e RETURN a",
            "K_PATHS only has one return variable near 'a, b IN ANY K_PATHS s TO t e RET...' at position 1:5",
        ),
        (
            "FOR [a] IN ANY s e RETURN a",
            "destructuring is not supported in traversals and path searches near '[a] IN ANY s e RETURN a' \
             at position 1:5",
        ),
        (
            "FOR v IN ANY s e PRUNE 1 == (RETURN 1) RETURN v",
            "prune condition must not contain a subquery near 'RETURN 1) RETURN v' at position 1:30",
        ),
        (
            "UPSERT x INSERT {} UPDATE {} IN c",
            "UPSERT requires an object literal without dynamic attribute names as its example \
             near 'x INSERT {} UPDATE {} IN c' at position 1:8",
        ),
    ] {
        assert_error(text, expected);
    }
}

#[test]
fn excerpts_are_cut_at_32_bytes_and_never_inside_a_character() {
    assert_error(
        "x y z 0123456789 0123456789 0123456789",
        "syntax error, unexpected identifier near 'x y z 0123456789 0123456789 0123...' at position 1:1",
    );
    assert_error(
        "x '0123456789012345678901234567äö'",
        "syntax error, unexpected identifier near 'x '0123456789012345678901234567...' at position 1:1",
    );
    assert_error(
        "x0123456789012345678901234567890",
        "syntax error, unexpected identifier near 'x0123456789012345678901234567890' at position 1:1",
    );
    assert_error("RETURN\u{a0}1", "syntax error, unexpected invalid token near '\u{a0}1' at position 1:7");
}

#[test]
fn columns_count_bytes_and_lines_count_line_breaks() {
    assert_error("RETURN 'ä' +\r\n\n  * 2", "syntax error, unexpected * operator near '* 2' at position 3:3");
    assert_error("RETURN 'ä' * * 2", "syntax error, unexpected * operator near '* 2' at position 1:15");
    assert_eq!(position("a\nb", 2), Position { offset: 2, line: 2, column: 1 });
    assert_eq!(position("a\nb", 99), Position { offset: 3, line: 2, column: 2 });
    assert_eq!(position("", 0), Position { offset: 0, line: 1, column: 1 });
}

#[test]
fn a_text_without_tokens_is_not_a_query() {
    let found = error("");
    assert_eq!((found.code, found.message.as_str()), (ErrorCode::QueryEmpty, "query is empty"));
    for text in [" \t\r\n", "/* nothing */", "// nothing", "\n/* a */ // b"] {
        let found = error(text);
        assert_eq!(found.code, ErrorCode::QueryParse);
        assert_eq!(found.message, "syntax error, unexpected end of query string");
    }
}

#[test]
fn the_binder_reports_places_in_the_same_form() {
    let text = "LET a = 1 LET a = PUSH(a, 4) RETURN a";
    let found = ParseError::new(
        ErrorCode::QueryVariableRedeclared,
        "variable 'a' is assigned multiple times",
        text,
        Span::new(14, 15),
    );
    assert_eq!(
        found.message,
        "variable 'a' is assigned multiple times near 'a = PUSH(a, 4) RETURN a' at position 1:15"
    );
    let outside = ParseError::new(ErrorCode::QueryParse, "x", text, Span::new(1000, 2000));
    assert_eq!(outside.message, "x near '' at position 1:38");
}
