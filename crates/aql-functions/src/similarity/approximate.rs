//! `APPROX_NEAR_COSINE()` and its siblings, which are computed by a vector index and by nothing else.

use aql_value::{Error, EvaluationContext, Result, Value};

/// `ERROR_QUERY_VECTOR_SEARCH_NOT_APPLIED`
const VECTOR_SEARCH_NOT_APPLIED: u32 = 1554;

/// Error 1554: no index computes the call. Queries that call the functions are refused before they are run; this is for
/// calls by name.
pub(crate) fn not_applied(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Err(Error::new(VECTOR_SEARCH_NOT_APPLIED, "failed vector search: no vector index for the call"))
}
