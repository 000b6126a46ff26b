//! `RAND()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

/// `RAND()`: greater than 0 and less than 1.
pub(crate) fn rand(_: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    // The generator may return 0. Half its smallest step replaces it.
    Ok(Value::from_f64(context.state.random.f64().max(f64::EPSILON / 4.0)))
}
