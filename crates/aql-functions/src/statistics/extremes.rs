//! `MIN()` and `MAX()` of values of any type.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{array_expected, check_round, value};

/// `MAX(anyArray)`
pub(crate) fn max(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "MAX");
    }
    // Null is the smallest value, so it is the result only without other values.
    let mut greatest = Value::Null;
    for (round, element) in array.elements().enumerate() {
        check_round(context, round)?;
        if element.compare(&greatest).is_ge() {
            greatest = element;
        }
    }
    Ok(greatest)
}

/// `MIN(anyArray)`
pub(crate) fn min(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "MIN");
    }
    let mut least: Option<Value> = None;
    for (round, element) in array.elements().enumerate() {
        check_round(context, round)?;
        if !element.is_null() && least.as_ref().is_none_or(|least| element.compare(least).is_lt()) {
            least = Some(element);
        }
    }
    Ok(least.unwrap_or_default())
}
