//! `APPROX_NEAR_COSINE()` and its siblings, which only a vector index can compute.

use aql_value::{EvaluationContext, Value};
use errors::{Error, ErrorCode, Result};

/// `APPROX_NEAR_COSINE(vector1, vector2, options)`
pub(crate) fn approx_near_cosine(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Err(not_applied("APPROX_NEAR_COSINE"))
}

/// `APPROX_NEAR_INNER_PRODUCT(vector1, vector2, options)`
pub(crate) fn approx_near_inner_product(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Err(not_applied("APPROX_NEAR_INNER_PRODUCT"))
}

/// `APPROX_NEAR_L2(vector1, vector2, options)`
pub(crate) fn approx_near_l2(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Err(not_applied("APPROX_NEAR_L2"))
}

/// Returns error 1554. The optimizer replaces the calls that an index computes. As in ArangoDB, a
/// query with another one can be explained, and fails when it gets to the call.
fn not_applied(name: &str) -> Error {
    let message = format!("failed vector search: no vector index for AQL function {name}()");
    Error::new(ErrorCode::QueryVectorSearchNotApplied, message)
}
