//! Adding elements at either end.

use crate::argument::{build_array, check_round, flag, invalid, value};
use aql_value::{EvaluationContext, Result, Value};
use std::collections::HashSet;

/// `APPEND(anyArray, values, unique)`: if one of the two is null, or `values` is empty, the other is the result.
pub(crate) fn append(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (array, values) = (value(arguments, 0), value(arguments, 1));
    if array.is_null() {
        return Ok(values.to_array());
    }
    if !array.is_array() {
        return invalid(context, "APPEND");
    }
    if values.is_null() || values.is_array() && values.len() == 0 {
        return Ok(array.clone());
    }
    let mut elements: Vec<Value> = array.elements().collect();
    if values.is_array() {
        elements.extend(values.elements());
    } else {
        elements.push(values.clone());
    }
    if flag(arguments, 2) {
        let mut seen = HashSet::new();
        let mut unique = Vec::new();
        for (round, element) in elements.into_iter().enumerate() {
            check_round(context, round)?;
            if seen.insert(element.clone()) {
                unique.push(element);
            }
        }
        elements = unique;
    }
    build_array(context, &elements)
}

/// `PUSH(anyArray, value, unique)`: null counts as an empty array.
pub(crate) fn push(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    added("PUSH", arguments, |elements, added| elements.push(added), context)
}

/// `UNSHIFT(anyArray, value, unique)`: null counts as an empty array.
pub(crate) fn unshift(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    added("UNSHIFT", arguments, |elements, added| elements.insert(0, added), context)
}

/// The array with the value added, unless it is to be unique and already there.
fn added(
    name: &str,
    arguments: &[Value],
    add: impl Fn(&mut Vec<Value>, Value),
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let (array, added) = (value(arguments, 0), value(arguments, 1));
    if !array.is_array() && !array.is_null() {
        return invalid(context, name);
    }
    let mut elements: Vec<Value> = if array.is_array() { array.elements().collect() } else { Vec::new() };
    if flag(arguments, 2) && elements.iter().any(|element| element.equal(added)) {
        return Ok(array.clone());
    }
    add(&mut elements, added.clone());
    build_array(context, &elements)
}
