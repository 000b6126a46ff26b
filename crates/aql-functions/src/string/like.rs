//! `LIKE()` as a function call. The expression program compiles the operator.

use crate::argument::{flag, text};
use aql_value::{EvaluationContext, Value};
use errors::Result;

/// `LIKE(text, search, caseInsensitive)`
pub(crate) fn like(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let pattern = context.state.patterns.like(&text(arguments, 1), flag(arguments, 2), context.interrupt)?;
    Ok(Value::Bool(pattern.matches(&text(arguments, 0), context.interrupt)?))
}
