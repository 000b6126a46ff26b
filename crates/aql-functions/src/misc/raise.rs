//! Functions that make a query fail or warn.

use crate::argument::{flag, text};
use aql_value::{Error, EvaluationContext, Result, Value, error_number};

/// `ASSERT(expr, message)`: true, or error 1593 with the message.
pub(crate) fn assert(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    if flag(arguments, 0) {
        Ok(Value::Bool(true))
    } else {
        Err(Error::new(error_number::USER_ASSERT, text(arguments, 1)))
    }
}

/// `WARN(expr, message)`: whether the expression is true; warning 1594 with the message if not.
pub(crate) fn warn(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let holds = flag(arguments, 0);
    if !holds {
        context.warn(error_number::USER_WARN, text(arguments, 1))?;
    }
    Ok(Value::Bool(holds))
}

/// `FAIL(reason)`: error 1569.
pub(crate) fn fail(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Err(Error::new(error_number::FAIL_CALLED, format!("FAIL({}) called", text(arguments, 0))))
}
