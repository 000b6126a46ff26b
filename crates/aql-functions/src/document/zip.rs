//! `ZIP()`.

use crate::argument::{check_round, invalid, value};
use crate::memory::{ArrayBuffer, ObjectBuffer, room_for};
use aql_value::{EvaluationContext, Value};
use errors::Result;
use std::collections::HashSet;

/// `ZIP(keys, values)`: an object. Keys are cast to texts; the first of equal keys counts.
pub(crate) fn zip(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (keys, values) = (value(arguments, 0), value(arguments, 1));
    if !keys.is_array() || !values.is_array() || keys.len() != values.len() {
        return invalid(context, "ZIP");
    }
    let mut keys = ArrayBuffer::collect(context, keys.elements())?;
    let mut entries = ObjectBuffer::with_room(context, values.len())?;
    let mut seen = HashSet::with_capacity(room_for(context, values.len()));
    for (round, (key, value)) in keys.elements().iter().zip(values.elements()).enumerate() {
        check_round(context, round)?;
        let name = key.cast_string();
        if seen.insert(name.clone()) {
            entries.push(name, value)?;
        }
    }
    entries.into_object()
}
