//! `IS_DATESTRING()`.

use aql_date::parse_date;
use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::value;

/// `IS_DATESTRING(value)`: true for a text in the form of a date, even of an invalid one
/// (2015-02-31).
pub(crate) fn is_datestring(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(value(arguments, 0).as_str().is_some_and(|text| parse_date(text).is_some())))
}
