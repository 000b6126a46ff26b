//! Upper and lower case by Unicode's full mapping, which may change the number of characters (ß
//! becomes SS).

use crate::argument::text;
use aql_value::{EvaluationContext, Value};
use errors::Result;

/// `LOWER(value)`
pub(crate) fn lower(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_str(&text(arguments, 0).to_lowercase()))
}

/// `UPPER(value)`
pub(crate) fn upper(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_str(&text(arguments, 0).to_uppercase()))
}
