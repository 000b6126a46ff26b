//! `APPROX_NEAR_COSINE()` and its siblings, which are computed by a vector index and by nothing else.

use aql_value::{Error, ErrorCode, EvaluationContext, Result, Value};

/// Error 1554: no index computes the call. Queries that call the functions are refused before they are run; this is for
/// calls by name.
pub(crate) fn not_applied(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Err(Error::new(
        ErrorCode::QueryVectorSearchNotApplied,
        "failed vector search: no vector index for the call",
    ))
}
