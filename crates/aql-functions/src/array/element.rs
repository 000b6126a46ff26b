//! Single elements by position.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{array_expected, integer, value};

/// `FIRST(anyArray)`: null for an empty array.
pub(crate) fn first(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if array.is_array() { Ok(array.at(0)) } else { array_expected(context, "FIRST") }
}

/// `LAST(anyArray)`: null for an empty array.
pub(crate) fn last(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if array.is_array() { Ok(array.at(-1)) } else { array_expected(context, "LAST") }
}

/// `NTH(anyArray, position)`: null for positions outside of the array, also for negative ones.
pub(crate) fn nth(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "NTH");
    }
    let position = integer(arguments, 1);
    Ok(if position < 0 { Value::Null } else { array.at(position) })
}
