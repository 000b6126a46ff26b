//! Expressions: precedence, operators, accesses, literals.

use aql_syntax::ast::{
    ArithmeticOperator, BinaryOperator, ComparisonOperator, Expression, ExpressionKind, MatchOperator,
    ObjectKey, QuestionQuantifier,
};

use crate::common::{assert_same, error, expression, parsed};

fn kind(text: &str) -> ExpressionKind {
    expression(text).kind
}

/// The binary operators of the documentation's table, tightest first.
const TABLE: [&[&str]; 8] = [
    &["*", "/", "%"],
    &["+", "-"],
    &[".."],
    &["<", "<=", ">=", ">"],
    &["IN", "NOT IN"],
    &["==", "!=", "LIKE", "NOT LIKE", "=~", "!~"],
    &["&&", "AND"],
    &["||", "OR"],
];

#[test]
fn operators_of_a_higher_row_bind_tighter_than_those_of_a_lower() {
    for (row, tighter) in TABLE.iter().enumerate() {
        for looser in &TABLE[row + 1..] {
            for tight in *tighter {
                for loose in *looser {
                    assert_same(&[
                        (&format!("a {tight} b {loose} c"), &format!("(a {tight} b) {loose} c")),
                        (&format!("a {loose} b {tight} c"), &format!("a {loose} (b {tight} c)")),
                    ]);
                }
            }
        }
    }
}

#[test]
fn operators_of_one_row_associate_to_the_left() {
    for row in &TABLE[..6] {
        for first in *row {
            for second in *row {
                assert_same(&[(
                    &format!("a {first} b {second} c {first} d"),
                    &format!("((a {first} b) {second} c) {first} d"),
                )]);
            }
        }
    }
}

#[test]
fn unary_operators_bind_tighter_than_all_others_but_looser_than_accesses() {
    for unary in ["!", "NOT ", "+", "-"] {
        for operator in TABLE.into_iter().flatten() {
            assert_same(&[
                (&format!("{unary}a {operator} b"), &format!("({unary}a) {operator} b")),
                (&format!("a {operator} {unary}b"), &format!("a {operator} ({unary}b)")),
            ]);
        }
        assert_same(&[
            (&format!("{unary}a.b[0][*].c"), &format!("{unary}(a.b[0][*].c)")),
            (&format!("{unary}f(1)"), &format!("{unary}(f(1))")),
            (&format!("{unary}{unary}a"), &format!("{unary}({unary}a)")),
        ]);
    }
    assert_same(&[("- + ! NOT a", "-(+(!(!a)))"), ("!a", "NOT a")]);
}

#[test]
fn surprises_of_precedence() {
    assert_same(&[
        ("NOT x LIKE y", "(NOT x) LIKE y"),
        ("NOT x IN y", "(NOT x) IN y"),
        ("NOT x == y", "(NOT x) == y"),
        ("a < b < c", "(a < b) < c"),
        ("a == b IN c", "a == (b IN c)"),
        ("a IN b < c", "a IN (b < c)"),
        ("a IN 1..3 == true", "(a IN (1..3)) == true"),
        ("1 + 2..3 * 4", "(1 + 2)..(3 * 4)"),
        ("1..2..3", "(1..2)..3"),
        ("a || b && c || d", "a || (b && c) || d"),
        ("a == b && c != d || !e", "((a == b) && (c != d)) || (!e)"),
    ]);
}

#[test]
fn ternaries_are_loosest_and_associate_to_the_right() {
    assert_same(&[
        ("a ? b : c ? d : e", "a ? b : (c ? d : e)"),
        ("a ? b ? c : d : e", "a ? (b ? c : d) : e"),
        ("a OR b ? c OR d : e OR f", "(a OR b) ? (c OR d) : (e OR f)"),
        ("a ? : b ? : c", "a ? : (b ? : c)"),
        ("a?b:c", "a ? b : c"),
        ("a ?: b", "a ? : b"),
        ("a ? b::c(1) : d", "a ? (b::c(1)) : d"),
    ]);
    assert!(matches!(kind("a ? : b"), ExpressionKind::Ternary(ternary) if ternary.then.is_none()));
    assert_ne!(kind("a ? a : b"), kind("a ? : b"));
}

#[test]
fn chains_of_one_logical_operator_are_one_node() {
    let operands = |text| match kind(text) {
        ExpressionKind::Logical(logical) => logical.operands.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(operands("a OR b || c OR d"), 4);
    assert_eq!(operands("a AND b && c"), 3);
    assert_eq!(operands("a AND b OR c AND d OR e"), 3);
    assert_eq!(operands("(a OR b) OR c"), 2, "parentheses keep their own node");
    assert_eq!(operands("a OR (b OR c)"), 2);
}

#[test]
fn every_binary_operator_is_recognized() {
    let comparisons = [
        ("==", ComparisonOperator::Equal),
        ("!=", ComparisonOperator::NotEqual),
        ("<", ComparisonOperator::Less),
        ("<=", ComparisonOperator::LessOrEqual),
        (">", ComparisonOperator::Greater),
        (">=", ComparisonOperator::GreaterOrEqual),
        ("IN", ComparisonOperator::In),
        ("NOT IN", ComparisonOperator::NotIn),
        ("not\t\n in", ComparisonOperator::NotIn),
    ];
    let matches = [
        ("LIKE", MatchOperator::Like),
        ("NOT LIKE", MatchOperator::NotLike),
        ("not /* */ like", MatchOperator::NotLike),
        ("=~", MatchOperator::Regex),
        ("!~", MatchOperator::NotRegex),
        ("NOT =~", MatchOperator::NotRegex),
        ("NOT !~", MatchOperator::Regex),
    ];
    let arithmetic = [
        ("+", ArithmeticOperator::Add),
        ("-", ArithmeticOperator::Subtract),
        ("*", ArithmeticOperator::Multiply),
        ("/", ArithmeticOperator::Divide),
        ("%", ArithmeticOperator::Modulo),
    ];
    let expected = comparisons
        .map(|(text, operator)| (text, BinaryOperator::Comparison(operator)))
        .into_iter()
        .chain(matches.map(|(text, operator)| (text, BinaryOperator::Match(operator))))
        .chain(arithmetic.map(|(text, operator)| (text, BinaryOperator::Arithmetic(operator))));
    for (text, operator) in expected {
        match kind(&format!("a {text} b")) {
            ExpressionKind::Binary(binary) => assert_eq!(binary.operator, operator, "{text}"),
            other => panic!("{text} {other:?}"),
        }
    }
}

#[test]
fn array_comparisons_have_every_quantifier_and_comparison() {
    for quantifier in ["ALL", "ANY", "NONE", "AT LEAST (2)", "at \n least (1 + 1)"] {
        let comparisons = ["==", "!=", "<", "<=", ">", ">=", "IN", "NOT IN"];
        for operator in comparisons.into_iter().chain(["LIKE", "NOT LIKE", "=~", "!~", "NOT =~"]) {
            let text = format!("a {quantifier} {operator} b");
            assert!(matches!(kind(&text), ExpressionKind::ArrayComparison(_)), "{text}");
        }
        for operator in ["+", "AND", "NOT", "NOT =="] {
            error(&format!("RETURN a {quantifier} {operator} b"));
        }
    }
}

#[test]
fn array_comparisons_are_bound_as_the_documentation_lists_them() {
    assert_same(&[
        ("a AND b ALL == c", "a AND (b ALL == c)"),
        ("a ALL == b AND c", "(a ALL == b) AND c"),
        ("a == b ALL == c", "(a == b) ALL == c"),
        ("a + b ANY > c + d", "(a + b) ANY > (c + d)"),
        ("a ALL == b < c", "a ALL == (b < c)"),
        ("a ALL < b == c", "(a ALL < b) == c"),
        ("a ANY IN b NONE IN c", "(a ANY IN b) NONE IN c"),
        ("a AT LEAST (1) == b OR c", "(a AT LEAST (1) == b) OR c"),
        ("a[*].x ANY == 1 ? 2 : 3", "((a[*].x) ANY == 1) ? 2 : 3"),
    ]);
}

#[test]
fn at_and_least_are_names_unless_they_stand_together() {
    assert!(matches!(kind("at + LEAST"), ExpressionKind::Binary(_)));
    assert!(matches!(kind("at.least"), ExpressionKind::AttributeAccess(..)));
    assert!(matches!(kind("AT"), ExpressionKind::Reference(name) if name == "AT"));
}

#[test]
fn numbers() {
    assert_eq!(kind("0"), ExpressionKind::Int(0));
    assert_eq!(kind("42"), ExpressionKind::Int(42));
    assert_eq!(kind("9223372036854775807"), ExpressionKind::Int(i64::MAX));
    assert_eq!(kind("9223372036854775808"), ExpressionKind::Double(9_223_372_036_854_775_808.0));
    assert_eq!(kind("0xAbCdEf02"), ExpressionKind::Int(0xabcd_ef02));
    assert_eq!(kind("0b10101110"), ExpressionKind::Int(0b1010_1110));
    assert_eq!(kind("1.23"), ExpressionKind::Double(1.23));
    assert_eq!(kind(".5"), ExpressionKind::Double(0.5));
    assert_eq!(kind("0.5"), ExpressionKind::Double(0.5));
    assert_eq!(kind("4.87e103"), ExpressionKind::Double(4.87e103));
    assert_eq!(kind("4.87E+3"), ExpressionKind::Double(4870.0));
    assert_eq!(kind("1e3"), ExpressionKind::Double(1000.0));
    assert_eq!(kind("1e-3"), ExpressionKind::Double(0.001));
    assert_same(&[("1..3", "1 .. 3"), ("0..3", "0 .. 3"), ("1.5..3", "1.5 .. 3"), ("1...5", "1 .. 0.5")]);
    for text in
        ["1.", "01.23", "00.23", "00", "1.x", "1..", "0b2", "0x", "1e", "1_000", "1.2.3", ".5.5", "1e+"]
    {
        error(&format!("RETURN {text}"));
    }
}

#[test]
fn numbers_out_of_range_are_null_with_a_warning() {
    let huge = format!("RETURN [1, {}, 1e999]", "9".repeat(310));
    let query = parsed(&huge);
    assert_eq!(query.warnings.len(), 2);
    let warning = &query.warnings[0];
    assert_eq!((warning.code.number(), warning.message.as_str()), (1504, "number out of range"));
    assert_eq!((warning.span.start, warning.span.end), (11, 321));
    assert_eq!(
        expression("[1e999]").kind,
        ExpressionKind::Array(vec![Expression::new(ExpressionKind::Null, aql_syntax::ast::Span::default())])
    );
    let many_digits = format!("RETURN 0b{}", "1".repeat(33));
    for text in ["RETURN 0x100000000", &many_digits] {
        assert_eq!(error(text).code.number(), 1501, "{text}");
    }
}

#[test]
fn pseudo_variables_may_have_a_dollar_sign() {
    assert_same(&[("$CURRENT.a", "CURRENT.a"), ("[$OLD, $NEW]", "[OLD, NEW]")]);
    // Names of attributes are unchanged.
    assert_same(&[("{$NEW: d.$OLD}", "{'$NEW': d.`$OLD`}"), ("{$NEW}", "{'$NEW': NEW}")]);
    assert_eq!(kind("$other"), ExpressionKind::Reference("$other".to_owned()));
}

#[test]
fn strings() {
    let string = |text: &str| ExpressionKind::String(text.to_owned());
    assert_eq!(kind(r#""yikes!""#), string("yikes!"));
    assert_eq!(kind(r"'don\'t know'"), string("don't know"));
    assert_eq!(kind(r#""a \"quoted\" word""#), string(r#"a "quoted" word"#));
    assert_eq!(kind("'this is a \"quoted\" word'"), string("this is a \"quoted\" word"));
    assert_eq!(kind(r"'\\'"), string(r"\"));
    assert_eq!(kind("'line\nbreak // no /* comment'"), string("line\nbreak // no /* comment"));
    assert_eq!(kind(r#""\u00e4 \uD83D\uDE00 ä 😀""#), string("ä 😀 ä 😀"));
    assert_eq!(kind("''"), string(""));
}

#[test]
fn literals_are_recognized_in_any_case_and_names_are_not_folded() {
    assert_eq!(kind("null"), ExpressionKind::Null);
    assert_eq!(kind("NuLL"), ExpressionKind::Null);
    assert_eq!(kind("TRUE"), ExpressionKind::Bool(true));
    assert_eq!(kind("False"), ExpressionKind::Bool(false));
    for name in
        ["x", "X", "$x", "_x", "__x1", "x_1", "count", "KEEP", "Options", "prune", "Search", "to", "CURRENT"]
    {
        assert_eq!(kind(name), ExpressionKind::Reference(name.to_owned()));
    }
    for name in ["_", "_1", "$", "$1", "$_a", "x$", "ä", "a-", "#"] {
        error(&format!("RETURN {name}"));
    }
}

#[test]
fn quoted_names_may_hold_anything() {
    let reference = |text: &str| ExpressionKind::Reference(text.to_owned());
    assert_eq!(kind("`filter`"), reference("filter"));
    assert_eq!(kind("´filter´"), reference("filter"));
    assert_eq!(kind("´🥑~колекція =)´"), reference("🥑~колекція =)"));
    assert_eq!(kind(r"`a\`b\\c`"), reference(r"a`b\c"));
    assert_eq!(kind(r"´a\´b´"), reference("a´b"));
    assert_eq!(kind("`a´b`"), reference("a´b"));
    assert_eq!(kind("´a`b´"), reference("a`b"));
    assert_eq!(kind("`two\nlines`"), reference("two\nlines"));
    assert_eq!(kind("`true`"), reference("true"));
}

#[test]
fn bind_parameters() {
    let bind = |text: &str| ExpressionKind::BindParameter(text.to_owned());
    for name in ["x", "1", "0a", "a_b", "_to", "__x", "filter", "X9_"] {
        assert_eq!(kind(&format!("@{name}")), bind(name));
        assert_eq!(kind(&format!("@@{name}")), ExpressionKind::DataSourceBindParameter(name.to_owned()));
    }
    assert_same(&[("@bind-var", "@bind - var"), ("@a.b[@c]", "(@a.b)[@c]")]);
    for text in ["@", "@@", "@_", "@-a", "@@@a", "@ a", "@`a`"] {
        error(&format!("RETURN {text}"));
    }
}

#[test]
fn arrays_and_objects_take_a_comma_at_the_end() {
    assert_same(&[
        ("[1, 2,]", "[1, 2]"),
        ("{a: 1, b: 2,}", "{a: 1, b: 2}"),
        ("{x, y}", "{x: x, y: y}"),
        ("{\"a\": 1, 'b': 2, `c`: 3, ´d´: 4}", "{a: 1, b: 2, c: 3, d: 4}"),
        ("{`return`: 1}", "{'return': 1}"),
        ("{return: 1, Outbound: 2}", "{'return': 1, 'Outbound': 2}"),
        ("{`x y`}", "{'x y': `x y`}"),
        ("[]", "[ ]"),
        ("{ }", "{}"),
        ("{a: 1, a: 2}", "{a: 1, 'a': 2}"),
    ]);
    let ExpressionKind::Object(members) = kind("{@a: 1, [b]: 2, [f(1)]: 3}") else { panic!() };
    assert!(matches!(&members[0].key, ObjectKey::BindParameter(name) if name == "a"));
    assert!(matches!(&members[1].key, ObjectKey::Computed(_)));
    for text in
        ["[,]", "[1,,2]", "{,}", "{'a'}", "{1: 2}", "{return}", "{a.b}", "{@a}", "{[a]}", "{@@a: 1}", "{a: }"]
    {
        error(&format!("RETURN {text}"));
    }
}

#[test]
fn accesses_follow_references_and_parentheses_but_not_literals() {
    for base in ["a", "@a", "[1]", "{a: 1}", "f()", "(1)", "(RETURN 1)", "a.b", "a[0]", "('x')", "(1 + 2)"] {
        for access in [".b", ".@b", "[0]", "['b']", "[*]", "[?]", ".`b c`", ".´b´"] {
            expression(&format!("{base}{access}"));
        }
    }
    for text in
        ["1.a", "'x'.a", "'x'[0]", "null.a", "true[0]", "a.1", "a.", "a.'b'", "a.filter", "a.@@b", "a[]"]
    {
        error(&format!("RETURN {text}"));
    }
    assert_same(&[("a.b.c", "((a.b).c)"), ("a [ 0 ] . b", "a[0].b"), ("a.b == c.d", "(a.b) == (c.d)")]);
}

#[test]
fn calls() {
    let ExpressionKind::FunctionCall(call) = kind("Length(a, 1)") else { panic!() };
    assert_eq!((call.name.written(), call.name.normalized()), ("Length", "LENGTH"));
    assert!(!call.name.is_namespaced());
    assert_eq!(call.arguments.len(), 2);
    let ExpressionKind::FunctionCall(call) = kind("my :: Math::f()") else { panic!() };
    assert_eq!((call.name.written(), call.name.normalized()), ("my::Math::f", "MY::MATH::F"));
    assert!(call.name.is_namespaced());
    assert!(
        matches!(kind("like('a', 'b')"), ExpressionKind::FunctionCall(call) if call.name.normalized() == "LIKE")
    );
    assert!(matches!(kind("`my f` (1)"), ExpressionKind::FunctionCall(_)));
    assert_same(&[
        ("f(RETURN 1)", "f((RETURN 1))"),
        ("f(FOR x IN y RETURN x)", "f((FOR x IN y RETURN x))"),
        ("f(1, RETURN 2)", "f(1, (RETURN 2))"),
        ("f(RETURN 1, 2)", "f((RETURN 1), 2)"),
    ]);
    for text in ["f(1,)", "f(,)", "f(1 2)", "LIKE", "f::", "f::g", "f::(1)", "FILTER(1)", "(f)(1)", "f(1)(2)"]
    {
        error(&format!("RETURN {text}"));
    }
}

/// Renders the shape of a chain of accesses: `E` is the element, `map(base, projection)` an
/// expansion.
fn shape(expression: &Expression) -> String {
    match &expression.kind {
        ExpressionKind::Reference(name) => name.clone(),
        ExpressionKind::Element => "E".to_owned(),
        ExpressionKind::Int(value) => value.to_string(),
        ExpressionKind::AttributeAccess(base, name) => format!("{}.{name}", shape(base)),
        ExpressionKind::BoundAttributeAccess(base, name) => format!("{}.@{name}", shape(base)),
        ExpressionKind::IndexedAccess(base, index) => format!("{}[{}]", shape(base), shape(index)),
        ExpressionKind::Expansion(expansion) => {
            let name =
                if expansion.levels == 1 { "map".to_owned() } else { format!("map{}", expansion.levels) };
            let clauses: String = [
                ("filter", expansion.filter.as_ref()),
                ("limit", expansion.limit.as_ref().map(|limit| &limit.count)),
                ("return", expansion.result.as_ref()),
            ]
            .into_iter()
            .filter_map(|(name, clause)| Some(format!(" {name} {}", shape(clause?))))
            .collect();
            let projection = expansion.projection.as_ref().map_or("E".to_owned(), shape);
            format!("{name}({}{clauses}, {projection})", shape(&expansion.base))
        }
        ExpressionKind::ArrayQuestion(question) => format!("any({})", shape(&question.base)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_follows_an_expansion_is_applied_to_its_elements() {
    for (text, expected) in [
        ("a[*]", "map(a, E)"),
        ("a[*].b.c", "map(a, E.b.c)"),
        ("a.b[*].c", "map(a.b, E.c)"),
        ("a[*].b.c[*].d", "map(a, map(E.b.c, E.d))"),
        ("a[*][*]", "map(a, map(E, E))"),
        ("a[**][*].b", "map2(a, map(E, E.b))"),
        ("a[*][0].@b", "map(a, E[0].@b)"),
        ("a[*].b[**].c[***]", "map3(map2(map(a, E.b), E.c), E)"),
        ("(a[*].b)[**].c", "map2(map(a, E.b), E.c)"),
        ("(a[*])[0]", "map(a, E)[0]"),
        ("((a[*]).b)[*]", "map(map(a, E).b, E)"),
        ("a[* FILTER f LIMIT 2 RETURN r].x[*]", "map(a filter f limit 2 return r, map(E.x, E))"),
        ("a[* FILTER b[*].c].d", "map(a filter map(b, E.c), E.d)"),
        ("a[b[*].c].d", "a[map(b, E.c)].d"),
        ("a[*].b[?].c", "map(a, any(E.b).c)"),
        ("a[?].b", "any(a).b"),
        ("a[* * *]", "map3(a, E)"),
    ] {
        assert_eq!(shape(&expression(text)), expected, "{text}");
    }
}

#[test]
fn inline_clauses_come_in_order_and_once() {
    for text in [
        "a[* FILTER CURRENT.x > 1]",
        "a[* LIMIT 1]",
        "a[* LIMIT 1, 2]",
        "a[* RETURN CURRENT.x]",
        "a[* FILTER x LIMIT y, z RETURN {v: CURRENT}]",
        "a[** LIMIT 0, null RETURN (FOR x IN CURRENT RETURN x)]",
    ] {
        assert!(matches!(kind(text), ExpressionKind::Expansion(_)));
    }
    for text in [
        "a[* LIMIT 1 FILTER x]",
        "a[* RETURN 1 LIMIT 1]",
        "a[* FILTER x FILTER y]",
        "a[* SORT x]",
        "a[* 1]",
        "a[* LIMIT 1, 2, 3]",
        "a[* FILTER]",
        "a[*",
        "[*]",
    ] {
        error(&format!("RETURN {text}"));
    }
}

#[test]
fn question_marks_take_every_quantifier_and_then_a_filter() {
    let quantifier = |text: &str| match kind(text) {
        ExpressionKind::ArrayQuestion(question) => question.quantifier,
        other => panic!("{other:?}"),
    };
    assert!(quantifier("a[?]").is_none());
    assert!(quantifier("a[? FILTER CURRENT == 1]").is_none());
    for text in ["ALL", "any", "NONE", "AT LEAST (2)", "at least (@n)"] {
        let found = quantifier(&format!("a[? {text} FILTER x]"));
        assert!(matches!(found, Some(QuestionQuantifier::Quantifier(_))), "{text}");
    }
    for text in ["2", "2..3", "@n", "(1 + 1)", "x ? 1 : 2"] {
        let found = quantifier(&format!("a[? {text} FILTER x]"));
        assert!(matches!(found, Some(QuestionQuantifier::Count(_))), "{text}");
    }
    assert!(matches!(kind("a[?? ANY FILTER x]"), ExpressionKind::ArrayQuestion(q) if q.levels == 2));
    for text in
        ["a[? 2]", "a[? ALL]", "a[? AT LEAST (1)]", "a[? FILTER]", "a[? LIMIT 1]", "a[? ANY ALL FILTER x]"]
    {
        error(&format!("RETURN {text}"));
    }
}

#[test]
fn subqueries_need_parentheses() {
    for text in [
        "(RETURN 1)",
        "(FOR x IN y RETURN x)",
        "(LET x = 1 RETURN x)",
        "(FILTER a RETURN 1)",
        "(INSERT {} INTO c)",
        "(FOR x IN y UPDATE x WITH {} IN c RETURN NEW)",
        "(SORT 1 LIMIT 1 COLLECT x = 1 RETURN x)",
    ] {
        assert!(matches!(kind(text), ExpressionKind::Subquery(_)), "{text}");
    }
    assert_same(&[("((RETURN 1))", "(RETURN 1)"), ("(RETURN 1)[0].a", "((RETURN 1)[0]).a")]);
    for text in ["(FOR x IN y)", "(LET x = 1)", "()", "(WITH c RETURN 1)", "RETURN 1", "(RETURN 1 RETURN 2)"]
    {
        error(&format!("RETURN {text}"));
    }
}

#[test]
fn not_needs_a_word_boundary_before_and_after_in() {
    error("RETURN a NOT INSIDE");
    assert_same(&[("a NOT IN(b)", "a NOT IN b"), ("NOT (a IN b)", "!(a IN b)")]);
    // With a comment between, NOT is not part of the operator.
    error("RETURN a NOT /* */ IN b");
}
