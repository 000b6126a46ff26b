//! Removing elements by position or by value.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, given, integer, invalid, number, value};
use crate::memory::{ArrayBuffer, DistinctValues};

/// `POP(anyArray)`: without the last element; null stays null.
pub(crate) fn pop(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    without("POP", arguments, -1, context)
}

/// `SHIFT(anyArray)`: without the first element; null stays null.
pub(crate) fn shift(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    without("SHIFT", arguments, 0, context)
}

/// `REMOVE_NTH(anyArray, position)`: negative positions count from the end.
///
/// Positions outside of the array remove nothing. Null counts as an empty array. A position with a
/// fraction is rounded down, also if it counts from the end: -2.2 is the third-to-last element.
pub(crate) fn remove_nth(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    if value(arguments, 0).is_null() {
        return Ok(Value::empty_array());
    }
    without("REMOVE_NTH", arguments, number(arguments, 1).floor() as i64, context)
}

/// `REMOVE_VALUE(anyArray, value, limit)`: without the first `limit` elements that equal `value`.
///
/// Without a limit it removes all of them. Null counts as an empty array.
pub(crate) fn remove_value(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (array, removed) = (value(arguments, 0), value(arguments, 1));
    if array.is_null() {
        return Ok(Value::empty_array());
    }
    if !array.is_array() {
        return invalid(context, "REMOVE_VALUE");
    }
    // A negative limit is not a limit.
    let limit = given(arguments, 2).and_then(|_| u64::try_from(integer(arguments, 2)).ok());
    let mut left = limit.unwrap_or(u64::MAX);
    let mut kept = ArrayBuffer::new(context);
    for (round, element) in array.elements().enumerate() {
        check_round(context, round)?;
        if left > 0 && element.equal(removed) {
            left -= 1;
        } else {
            kept.push(element)?;
        }
    }
    kept.into_array()
}

/// `REMOVE_VALUES(anyArray, values)`: without all elements that are equal to one of `values`.
pub(crate) fn remove_values(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (array, values) = (value(arguments, 0), value(arguments, 1));
    if values.is_null() {
        return Ok(array.clone());
    }
    if array.is_null() {
        return Ok(Value::empty_array());
    }
    if !array.is_array() || !values.is_array() {
        return invalid(context, "REMOVE_VALUES");
    }
    let removed = DistinctValues::of(context, values)?;
    let mut kept = ArrayBuffer::new(context);
    for (round, element) in array.elements().enumerate() {
        check_round(context, round)?;
        if !removed.contains(&element) {
            kept.push(element)?;
        }
    }
    kept.into_array()
}

/// Returns the array without one element, at a position that may count from the end.
fn without(
    name: &str,
    arguments: &[Value],
    position: i64,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let array = value(arguments, 0);
    if array.is_null() {
        return Ok(Value::Null);
    }
    if !array.is_array() {
        return invalid(context, name);
    }
    let length = array.len() as i64;
    let position = if position < 0 { position.saturating_add(length) } else { position };
    if !(0..length).contains(&position) {
        return Ok(array.clone());
    }
    let kept = array.elements().enumerate().filter(|(index, _)| *index as i64 != position);
    ArrayBuffer::collect(context, kept.map(|(_, element)| element))?.into_array()
}
