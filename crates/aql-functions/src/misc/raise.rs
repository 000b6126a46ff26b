//! Functions that make a query fail or warn.

use crate::argument::{flag, text};
use aql_value::{EvaluationContext, Value};
use errors::{Error, ErrorCode, Result};

/// `ASSERT(expr, message)`: true, or error 1593 with the message.
pub(crate) fn assert(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    if flag(arguments, 0) {
        Ok(Value::Bool(true))
    } else {
        Err(Error::new(ErrorCode::QueryUserAssert, text(arguments, 1, context)?.into_owned()))
    }
}

/// `WARN(expr, message)`: true if the expression is true; otherwise false and warning 1594 with the
/// message.
pub(crate) fn warn(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let holds = flag(arguments, 0);
    if !holds {
        context.warn(ErrorCode::QueryUserWarn, text(arguments, 1, context)?.into_owned())?;
    }
    Ok(Value::Bool(holds))
}

/// `FAIL(reason)`: error 1569.
pub(crate) fn fail(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    Err(Error::new(ErrorCode::QueryFailCalled, format!("FAIL({}) called", text(arguments, 0, context)?)))
}
