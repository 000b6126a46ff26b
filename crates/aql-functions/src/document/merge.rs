//! `MERGE()` and `MERGE_RECURSIVE()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::{MAX_DEPTH, deeper};
use crate::argument::{check_round, invalid};
use crate::memory::{ArrayBuffer, Names, ObjectBuffer};

/// `MERGE(document1, document2, ...)` or `MERGE(docArray)`: the last of attributes with the same
/// name counts.
///
/// An attribute stands where its name occurs first.
pub(crate) fn merge(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    merged("MERGE", arguments, |_, later, _, _| Ok(later), context)
}

/// `MERGE_RECURSIVE(document1, document2, ...)` or `MERGE_RECURSIVE(documents)`: the same, but two
/// objects with the same name are merged.
pub(crate) fn merge_recursive(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    merged("MERGE_RECURSIVE", arguments, merge_attributes, context)
}

/// Returns the attributes of all objects; the last of the same name counts.
pub(crate) fn merge_all(objects: &[Value], context: &EvaluationContext<'_>) -> Result<Value> {
    match objects {
        [] => Ok(Value::empty_object()),
        [object] => Ok(object.clone()),
        _ => merge_objects(objects, |_, later, _, _| Ok(later), MAX_DEPTH, context),
    }
}

/// A function that makes one attribute of two with the same name.
type Resolve = fn(Value, Value, usize, &EvaluationContext<'_>) -> Result<Value>;

fn merged(
    name: &str,
    arguments: &[Value],
    resolve: Resolve,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let mut elements: ArrayBuffer<'_>;
    let objects = match arguments {
        [array] if array.is_array() => {
            elements = ArrayBuffer::collect(context, array.elements())?;
            elements.elements().as_slice()
        }
        _ => arguments,
    };
    if !objects.iter().all(Value::is_object) {
        return invalid(context, name);
    }
    match objects {
        [] => Ok(Value::empty_object()),
        [object] => Ok(object.clone()),
        _ => merge_objects(objects, resolve, MAX_DEPTH, context),
    }
}

fn merge_objects(
    objects: &[Value],
    resolve: Resolve,
    depth_left: usize,
    context: &EvaluationContext<'_>,
) -> Result<Value> {
    let depth_left = deeper(depth_left)?;
    let largest = objects.iter().map(Value::len).max().unwrap_or(0);
    let mut entries: ObjectBuffer<'_, &str> = ObjectBuffer::with_room(context, largest)?;
    let mut places: Names<'_, &str> = Names::with_room(context, largest)?;
    for (round, (name, value)) in objects.iter().flat_map(Value::entries).enumerate() {
        check_round(context, round)?;
        let place = places.place_of(name, entries.len())?;
        match entries.value_mut(place) {
            Some(earlier) => *earlier = resolve(std::mem::take(earlier), value, depth_left, context)?,
            None => entries.push(name, value)?,
        }
    }
    entries.into_object()
}

fn merge_attributes(
    earlier: Value,
    later: Value,
    depth_left: usize,
    context: &EvaluationContext<'_>,
) -> Result<Value> {
    if earlier.is_object() && later.is_object() {
        merge_objects(&[earlier, later], merge_attributes, depth_left, context)
    } else {
        Ok(later)
    }
}
