//! Adding elements at either end.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{Outcome, Stop, answer, check_round, flag, invalid, stop, value};
use crate::memory::{ArrayBuffer, DistinctValues};

/// `APPEND(anyArray, values, unique)`: if one of the two is null, or `values` is empty, the other
/// is the result.
pub(crate) fn append(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (array, values) = (value(arguments, 0), value(arguments, 1));
    if values.is_null() {
        return Ok(array.clone());
    }
    if array.is_null() {
        return Ok(values.clone());
    }
    if !array.is_array() {
        return invalid(context, "APPEND");
    }
    if values.is_array() && values.is_empty() {
        return Ok(array.clone());
    }
    let single = (!values.is_array()).then(|| values.clone());
    let all = array.elements().chain(values.elements()).chain(single);
    if !flag(arguments, 2) {
        return ArrayBuffer::collect(context, all)?.into_array();
    }
    let mut seen = DistinctValues::with_room(context, array.len() + values.len())?;
    let mut unique = ArrayBuffer::new(context);
    for (round, element) in all.enumerate() {
        check_round(context, round)?;
        if seen.insert(element.clone())? {
            unique.push(element)?;
        }
    }
    unique.into_array()
}

/// `PUSH(anyArray, value, unique)`: null counts as an empty array.
pub(crate) fn push(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (array, added) = match unless_present("PUSH", arguments, context) {
        Ok(parts) => parts,
        Err(stop) => return answer(Err(stop)),
    };
    ArrayBuffer::collect(context, array.elements().chain([added.clone()]))?.into_array()
}

/// `UNSHIFT(anyArray, value, unique)`: null counts as an empty array.
pub(crate) fn unshift(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (array, added) = match unless_present("UNSHIFT", arguments, context) {
        Ok(parts) => parts,
        Err(stop) => return answer(Err(stop)),
    };
    ArrayBuffer::collect(context, [added.clone()].into_iter().chain(array.elements()))?.into_array()
}

/// Returns the array and the value to add.
///
/// Stops with the array itself if the value must be unique and exists already.
fn unless_present<'v>(
    name: &str,
    arguments: &'v [Value],
    context: &mut EvaluationContext<'_>,
) -> Outcome<(&'v Value, &'v Value)> {
    let (array, added) = (value(arguments, 0), value(arguments, 1));
    if !array.is_array() && !array.is_null() {
        return stop(invalid(context, name));
    }
    if flag(arguments, 2) {
        for (round, element) in array.elements().enumerate() {
            check_round(context, round)?;
            if element.equal(added) {
                return Err(Stop::Answer(array.clone()));
            }
        }
    }
    Ok((array, added))
}
