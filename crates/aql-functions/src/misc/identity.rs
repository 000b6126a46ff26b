//! Functions that return their first argument.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{require_run_time, value};

/// `PASSTHRU(value)`, `NOOPT(value)`; `ANALYZER(expr, analyzer)` and `BOOST(expr, boost)` outside
/// of SEARCH.
pub(crate) fn first_argument(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(value(arguments, 0).clone())
}

/// `NOEVAL(value)`: the same, but never while constants are folded.
///
/// `V8(value)` makes ArangoDB evaluate in its JavaScript engine, with the same result.
pub(crate) fn noeval(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    require_run_time(context)?;
    Ok(value(arguments, 0).clone())
}
