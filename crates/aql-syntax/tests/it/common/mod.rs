//! Helpers shared by the tests of this crate.

use aql_syntax::ast::{Expression, Query, StatementKind};
use aql_syntax::{Limits, ParseError, parse, print};

pub(crate) fn parsed(text: &str) -> Query {
    parse(text, &Limits::default()).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

pub(crate) fn error(text: &str) -> ParseError {
    match parse(text, &Limits::default()) {
        Ok(query) => panic!("{text}\nparses as {}", print(&query)),
        Err(error) => error,
    }
}

/// Returns the expression of `RETURN expression`, without spans.
pub(crate) fn expression(text: &str) -> Expression {
    let mut query = parsed(&format!("RETURN {text}")).without_spans();
    match query.body.statements.remove(0).kind {
        StatementKind::Return(inner) => inner.value,
        other => panic!("{other:?}"),
    }
}

/// Asserts that each text is printed as its counterpart, and that this text is printed as
/// itself.
pub(crate) fn assert_prints(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let query = parsed(text);
        assert_eq!(print(&query), *expected, "{text}");
        let again = parsed(expected);
        assert_eq!(print(&again), *expected);
        assert_eq!(again.without_spans(), query.without_spans(), "{text}");
    }
}

/// Asserts that both texts are the same expression.
pub(crate) fn assert_same(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(expression(text), expression(expected), "{text}   and   {expected}");
    }
}
