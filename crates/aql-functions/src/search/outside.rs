//! Search functions called as plain expressions: ArangoDB's error 9 when the call is evaluated.

use aql_value::{EvaluationContext, Value};
use errors::{Error, ErrorCode, Result};

/// Computes `EXISTS()` and `PHRASE()`.
pub(crate) fn filter(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    refused(
        "EXISTS() and PHRASE() are conditions of a SEARCH, or of a FILTER that uses an inverted index, and have no value",
    )
}

/// Computes `BM25()` and `TFIDF()`.
pub(crate) fn score(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    refused(
        "BM25() and TFIDF() need a document that a FOR over a View has set, and are no conditions of its SEARCH",
    )
}

/// Computes `OFFSET_INFO()`.
pub(crate) fn highlight(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    refused("OFFSET_INFO() needs a document that a FOR over a View with SEARCH has set")
}

fn refused(message: &'static str) -> Result<Value> {
    Err(Error::new(ErrorCode::NotImplemented, message))
}
