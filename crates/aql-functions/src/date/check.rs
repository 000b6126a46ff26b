//! `IS_DATESTRING()`.

use aql_date::{ParsedDate, parse_date};
use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::value;

/// `IS_DATESTRING(value)`: true for a text in the form of a date, even of an invalid one
/// (2015-02-31). Its moment must be in the range of dates, years 0 to 9999, after the time zone.
pub(crate) fn is_datestring(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Bool(
        value(arguments, 0)
            .as_str()
            .is_some_and(|text| parse_date(text).and_then(ParsedDate::to_ms).is_some()),
    ))
}
