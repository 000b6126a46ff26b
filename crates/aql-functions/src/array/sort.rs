//! Sorting arrays and removing what repeats.

use crate::argument::{array_expected, build_array, check_round, value};
use aql_value::{EvaluationContext, Result, Value};
use std::collections::HashSet;

/// `SORTED(anyArray)`: in AQL's total order; null without a warning for what is no array.
pub(crate) fn sorted(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return Ok(Value::Null);
    }
    build_array(context, &in_order(array))
}

/// `SORTED_UNIQUE(anyArray)`: the same, each value once.
pub(crate) fn sorted_unique(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return Ok(Value::Null);
    }
    let mut elements = in_order(array);
    elements.dedup_by(|second, first| second.equal(first));
    build_array(context, &elements)
}

/// `UNIQUE(anyArray)`: each value once, in the order of first occurrence.
pub(crate) fn unique(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "UNIQUE");
    }
    let unique = distinct(array, context)?;
    build_array(context, &unique)
}

/// `COUNT_DISTINCT(anyArray)`
pub(crate) fn count_distinct(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "COUNT_DISTINCT");
    }
    Ok(Value::Int(distinct(array, context)?.len() as i64))
}

fn in_order(array: &Value) -> Vec<Value> {
    let mut elements: Vec<Value> = array.elements().collect();
    elements.sort_by(Value::compare);
    elements
}

fn distinct(array: &Value, context: &EvaluationContext<'_>) -> Result<Vec<Value>> {
    let mut seen = HashSet::new();
    let mut unique = Vec::new();
    for (round, element) in array.elements().enumerate() {
        check_round(context, round)?;
        if seen.insert(element.clone()) {
            unique.push(element);
        }
    }
    Ok(unique)
}
