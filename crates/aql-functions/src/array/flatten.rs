//! `FLATTEN()`.

use aql_value::{EvaluationContext, Value};
use errors::{Error, ErrorCode, Result};

use crate::argument::{array_expected, check_round, given, integer, value};
use crate::memory::ArrayBuffer;

/// The deepest recursion. Data nests to about 200 levels; this bounds the stack for any input.
const MAX_DEPTH: usize = 500;

/// `FLATTEN(anyArray, depth)`: replaces arrays within the array by their elements, `depth` levels
/// deep (1 if not given, at least 1).
pub(crate) fn flatten(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "FLATTEN");
    }
    let levels = given(arguments, 1).map_or(1, |_| integer(arguments, 1).max(1));
    let mut flat = ArrayBuffer::new(context);
    flatten_into(&mut flat, array, levels, MAX_DEPTH, context)?;
    flat.into_array()
}

fn flatten_into(
    flat: &mut ArrayBuffer<'_>,
    array: &Value,
    levels: i64,
    depth_left: usize,
    context: &EvaluationContext<'_>,
) -> Result<()> {
    let Some(depth_left) = depth_left.checked_sub(1) else {
        return Err(Error::new(
            ErrorCode::QueryTooMuchNesting,
            "too much nesting in the argument of FLATTEN()",
        ));
    };
    for element in array.elements() {
        check_round(context, flat.len())?;
        if levels > 0 && element.is_array() {
            flatten_into(flat, &element, levels - 1, depth_left, context)?;
        } else {
            flat.push(element)?;
        }
    }
    Ok(())
}
