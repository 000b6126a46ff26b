//! Arrays as sets. Results keep the order in which values first occur, which ArangoDB leaves open.

use std::collections::HashMap;

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, invalid};
use crate::memory::{ArrayBuffer, DistinctValues, Growth, room_for};

/// `UNION(array1, array2, ...)`: all elements, also repeated ones.
pub(crate) fn union(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    if !arguments.iter().all(Value::is_array) {
        return invalid(context, "UNION");
    }
    ArrayBuffer::collect(context, arguments.iter().flat_map(Value::elements))?.into_array()
}

/// `UNION_DISTINCT(array1, array2, ...)`: all elements, each once.
pub(crate) fn union_distinct(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    distinct("UNION_DISTINCT", arguments, context)
}

/// `UNION_DISTINCT_STABLE(array1, array2, ...)`: the same in a guaranteed order (documented from
/// ArangoDB 4 on).
pub(crate) fn union_distinct_stable(
    arguments: &[Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    distinct("UNION_DISTINCT_STABLE", arguments, context)
}

/// `INTERSECTION(array1, array2, ...)`: the values in all arrays, each once.
pub(crate) fn intersection(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    selected("INTERSECTION", arguments, |arrays| arrays.found_in == arrays.count, context)
}

/// `MINUS(array1, array2, ...)`: the values in the first array only, each once.
pub(crate) fn minus(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    selected("MINUS", arguments, |arrays| arrays.is_in_first && arrays.found_in == 1, context)
}

/// `OUTERSECTION(array1, array2, ...)`: the values that occur once in all the arrays together.
pub(crate) fn outersection(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    selected("OUTERSECTION", arguments, |arrays| arrays.occurrences == 1, context)
}

/// `JACCARD(array1, array2)`: size of the intersection by size of the union; 1 for two empty
/// arrays.
pub(crate) fn jaccard(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let [left, right] = arguments else { return invalid(context, "JACCARD") };
    if !left.is_array() || !right.is_array() {
        return invalid(context, "JACCARD");
    }
    let left = DistinctValues::of(context, left)?;
    let right = DistinctValues::of(context, right)?;
    let common = left.common(&right, context)?;
    let all = left.len() + right.len() - common;
    Ok(Value::from_f64(if all == 0 { 1.0 } else { common as f64 / all as f64 }))
}

fn distinct(name: &str, arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    selected(name, arguments, |_| true, context)
}

/// The occurrences of a value.
struct Occurrence {
    value: Value,
    /// The number of arrays that hold it.
    found_in: usize,
    /// The number of its occurrences.
    occurrences: usize,
    is_in_first: bool,
    /// The array that was counted last.
    last_array: usize,
    /// The number of arrays.
    count: usize,
}

/// The bytes of one occurrence, with its entry in the table of places.
const BYTES_OF_OCCURRENCE: usize = size_of::<Occurrence>() + 4 * size_of::<Value>();

/// Returns every value of the arrays for which `is_selected` holds, in the order of first
/// occurrence.
fn selected(
    name: &str,
    arguments: &[Value],
    is_selected: impl Fn(&Occurrence) -> bool,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    if !arguments.iter().all(Value::is_array) {
        return invalid(context, name);
    }
    let room = room_for(context, arguments.iter().map(Value::len).max().unwrap_or(0));
    let mut growth = Growth::new(context.memory, BYTES_OF_OCCURRENCE);
    let room = growth.reach(room)?.unwrap_or(room);
    let mut places: HashMap<Value, usize> = HashMap::with_capacity(room);
    let mut found: Vec<Occurrence> = Vec::with_capacity(room);
    let mut round = 0;
    for (array, argument) in arguments.iter().enumerate() {
        for value in argument.elements() {
            check_round(context, round)?;
            round += 1;
            if let Some(room) = growth.reach(found.len() + 1)? {
                places.reserve(room - places.len());
                found.reserve_exact(room - found.len());
            }
            let place = *places.entry(value.clone()).or_insert(found.len());
            match found.get_mut(place) {
                Some(occurrence) => {
                    occurrence.occurrences += 1;
                    occurrence.found_in += usize::from(occurrence.last_array != array);
                    occurrence.last_array = array;
                }
                None => found.push(Occurrence {
                    value,
                    found_in: 1,
                    occurrences: 1,
                    is_in_first: array == 0,
                    last_array: array,
                    count: arguments.len(),
                }),
            }
        }
    }
    let values = found.into_iter().filter(is_selected).map(|occurrence| occurrence.value);
    ArrayBuffer::collect(context, values)?.into_array()
}
