//! Sorting of arrays and removal of duplicates.

use crate::argument::{array_expected, check_round, value};
use crate::memory::{ArrayBuffer, DistinctValues, Scratch};
use aql_value::{EvaluationContext, Value, order_of};
use errors::Result;

/// The bytes of an element during a sort: twice its position, and its place in the sorted array.
const BYTES_TO_SORT: usize = 2 * size_of::<u32>() + size_of::<Value>();

/// `SORTED(anyArray)`: in AQL's total order; null without a warning if it is not an array.
pub(crate) fn sorted(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return Ok(Value::Null);
    }
    in_order(array, context)?.into_array()
}

/// `SORTED_UNIQUE(anyArray)`: the same, each value once.
pub(crate) fn sorted_unique(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return Ok(Value::Null);
    }
    let mut elements = in_order(array, context)?;
    elements.elements().dedup_by(|second, first| second.equal(first));
    elements.into_array()
}

/// `UNIQUE(anyArray)`: each value once, in the order of first occurrence.
pub(crate) fn unique(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "UNIQUE");
    }
    let mut seen = DistinctValues::with_room(context, array.len())?;
    let mut unique = ArrayBuffer::new(context);
    for (round, element) in array.elements().enumerate() {
        check_round(context, round)?;
        if seen.insert(element.clone())? {
            unique.push(element)?;
        }
    }
    unique.into_array()
}

/// `COUNT_DISTINCT(anyArray)`
pub(crate) fn count_distinct(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "COUNT_DISTINCT");
    }
    Ok(Value::Int(DistinctValues::of(context, array)?.len() as i64))
}

fn in_order<'a>(array: &Value, context: &EvaluationContext<'a>) -> Result<ArrayBuffer<'a>> {
    sort_elements(ArrayBuffer::collect(context, array.elements())?, context)
}

/// Returns the elements in AQL's order.
pub(crate) fn sort_elements<'a>(
    mut elements: ArrayBuffer<'a>,
    context: &EvaluationContext<'a>,
) -> Result<ArrayBuffer<'a>> {
    let mut scratch = Scratch::new(context.memory);
    scratch.grow(elements.len() * BYTES_TO_SORT)?;
    let order = order_of(elements.elements(), context.interrupt)?;
    let values = elements.elements();
    let sorted: Vec<Value> =
        order.iter().filter_map(|position| values.get(*position as usize).cloned()).collect();
    *values = sorted;
    Ok(elements)
}
