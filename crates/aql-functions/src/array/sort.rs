//! Sorting of arrays and removal of duplicates.

use aql_value::{BoundedBlock, EvaluationContext, Value, order_of};
use errors::Result;

use crate::argument::{array_expected, check_round, value};
use crate::memory::{ArrayBuffer, DistinctValues, Scratch};

/// The bytes of an element during a sort: twice its position, and its place in the sorted array.
const BYTES_TO_SORT: usize = 2 * size_of::<u32>();

/// `SORTED(anyArray)`: in AQL's total order; null without a warning if it is not an array.
pub(crate) fn sorted(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return Ok(Value::Null);
    }
    sorted_array(ArrayBuffer::collect(context, array.elements())?, false, context)
}

/// `SORTED_UNIQUE(anyArray)`: the same, each value once.
pub(crate) fn sorted_unique(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return Ok(Value::Null);
    }
    sorted_array(ArrayBuffer::collect(context, array.elements())?, true, context)
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

/// Returns an array of the elements in AQL's order; with `unique` only one of those that are equal.
pub(crate) fn sorted_array(
    mut elements: ArrayBuffer<'_>,
    unique: bool,
    context: &EvaluationContext<'_>,
) -> Result<Value> {
    let mut scratch = Scratch::new(context.memory);
    scratch.grow(elements.len() * BYTES_TO_SORT)?;
    let order = order_of(elements.elements(), context.interrupt)?;
    let values = elements.elements();
    let mut sorted = BoundedBlock::new(1, context.memory, context.interrupt);
    sorted.builder().open_array()?;
    let mut before: Option<&Value> = None;
    for (round, position) in order.iter().enumerate() {
        check_round(context, round)?;
        let Some(value) = values.get(*position as usize) else { continue };
        if unique && before.is_some_and(|before| before.equal(value)) {
            continue;
        }
        sorted.append(value)?;
        before = Some(value);
    }
    sorted.close_array()?;
    sorted.end_value();
    Ok(sorted.into_value())
}
