//! `APPROX_NEAR_COSINE()` and its siblings, which only a vector index can compute.

use aql_value::{EvaluationContext, Value};
use errors::{Error, ErrorCode, Result};

/// Returns error 1554: no index computes the call.
///
/// The optimizer replaces the calls that an index computes and refuses others; this serves calls by
/// name.
pub(crate) fn not_applied(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Err(Error::new(
        ErrorCode::QueryVectorSearchNotApplied,
        "failed vector search: no vector index for the call",
    ))
}
