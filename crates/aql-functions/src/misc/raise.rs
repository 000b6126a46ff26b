//! Functions that make a query fail or warn.

use aql_value::{EvaluationContext, Value};
use errors::{Error, ErrorCode, Result};

use crate::argument::{flag, text};
use crate::memory::room_for_bytes;

/// `ASSERT(expr, message)`: true, or error 1593 with the message.
pub(crate) fn assert(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    if flag(arguments, 0) {
        Ok(Value::Bool(true))
    } else {
        Err(Error::new(ErrorCode::QueryUserAssert, message(arguments, 1, context)?))
    }
}

/// `WARN(expr, message)`: true if the expression is true; otherwise false and warning 1594 with the
/// message.
pub(crate) fn warn(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let holds = flag(arguments, 0);
    if !holds {
        context.warn(ErrorCode::QueryUserWarn, message(arguments, 1, context)?)?;
    }
    Ok(Value::Bool(holds))
}

/// `FAIL(reason)`: error 1569.
pub(crate) fn fail(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    Err(Error::new(ErrorCode::QueryFailCalled, format!("FAIL({}) called", message(arguments, 0, context)?)))
}

/// The copies of a message on its way to the client.
const COPIES: usize = 4;

/// Returns an argument as a message, if the query has memory for it.
fn message(arguments: &[Value], index: usize, context: &EvaluationContext<'_>) -> Result<String> {
    let message = text(arguments, index, context)?;
    let _copies = room_for_bytes(COPIES * message.len(), context)?;
    Ok(message.into_owned())
}
