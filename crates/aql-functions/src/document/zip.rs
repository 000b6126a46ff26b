//! `ZIP()`.

use std::borrow::Cow;

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, invalid, text_of, value};
use crate::memory::{ArrayBuffer, Names, ObjectBuffer};

/// `ZIP(keys, values)`: an object. Keys are cast to texts; the first of equal keys counts.
pub(crate) fn zip(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (keys, values) = (value(arguments, 0), value(arguments, 1));
    if !keys.is_array() || !values.is_array() || keys.len() != values.len() {
        return invalid(context, "ZIP");
    }
    let mut keys = ArrayBuffer::collect(context, keys.elements())?;
    let mut entries = ObjectBuffer::with_room(context, values.len())?;
    let mut seen = Names::with_room(context, values.len())?;
    for (round, (key, value)) in keys.elements().iter().zip(values.elements()).enumerate() {
        check_round(context, round)?;
        let name = text_of(key, context)?;
        if matches!(name, Cow::Owned(_)) {
            // The table and the entry have a copy each.
            seen.hold(&name)?;
            seen.hold(&name)?;
        }
        if seen.place_of(name.clone(), round)? == round {
            entries.push(name, value)?;
        }
    }
    entries.into_object()
}
