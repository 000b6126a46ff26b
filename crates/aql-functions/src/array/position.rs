//! `POSITION()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{array_expected, check_round, flag, value};

/// `POSITION(anyArray, search, returnIndex)`: true if the value is in the array.
///
/// With `returnIndex` the result is its position, or -1.
pub(crate) fn position(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (array, search) = (value(arguments, 0), value(arguments, 1));
    if !array.is_array() {
        return array_expected(context, "POSITION");
    }
    let mut position = -1;
    for (index, element) in array.elements().enumerate() {
        check_round(context, index)?;
        if element.equal(search) {
            position = index as i64;
            break;
        }
    }
    Ok(if flag(arguments, 2) { Value::Int(position) } else { Value::Bool(position >= 0) })
}
