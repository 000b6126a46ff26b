//! `IS_DATESTRING()`.

use crate::argument::value;
use aql_date::parse_date;
use aql_value::{EvaluationContext, Result, Value};

/// `IS_DATESTRING(value)`: whether it is a text in the form of a date, be the date valid or not (2015-02-31).
pub(crate) fn is_datestring(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(value(arguments, 0).as_str().is_some_and(|text| parse_date(text).is_some())))
}
