//! `MIN()` and `MAX()` of values of any type.

use crate::argument::{array_expected, value};
use aql_value::{EvaluationContext, Value};
use errors::Result;

/// `MAX(anyArray)`
pub(crate) fn max(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "MAX");
    }
    // Null is the smallest value, so it is the result only without other values.
    Ok(array.elements().max_by(Value::compare).unwrap_or_default())
}

/// `MIN(anyArray)`
pub(crate) fn min(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "MIN");
    }
    Ok(array.elements().filter(|element| !element.is_null()).min_by(Value::compare).unwrap_or_default())
}
