//! Names and values of an object's attributes.

use aql_value::{BoundedBlock, EvaluationContext, Value};
use errors::{Error, Result};

use crate::argument::{check_round, flag, invalid, text, value};
use crate::array::sorted_array;
use crate::memory::ArrayBuffer;

/// `ATTRIBUTES(document, removeSystemAttrs, sort)`: the names of the attributes.
///
/// With `sort` they are in AQL's order, otherwise in byte order, in which ArangoDB reads objects.
pub(crate) fn attributes(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let object = value(arguments, 0);
    if !object.is_object() {
        return invalid(context, "ATTRIBUTES");
    }
    let removes = flag(arguments, 1);
    let mut names = ArrayBuffer::new(context);
    object.with_slice(|object, _| {
        for (round, (name, _)) in object.entries_sorted().enumerate() {
            check_round(context, round)?;
            if !is_removed(name, removes) {
                names.push_text(name)?;
            }
        }
        Ok::<(), Error>(())
    })?;
    if flag(arguments, 2) { sorted_array(names, false, context) } else { names.into_array() }
}

/// `VALUES(document, removeSystemAttrs)`: in the order of the object.
pub(crate) fn values(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let object = value(arguments, 0);
    if !object.is_object() {
        return invalid(context, "VALUES");
    }
    let kept = object.entries().filter(|(name, _)| !is_removed(name, flag(arguments, 1)));
    ArrayBuffer::collect(context, kept.map(|(_, value)| value))?.into_array()
}

/// `ENTRIES(document)`: `[name, value]` for each attribute, in the order of the object.
pub(crate) fn entries(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let object = value(arguments, 0);
    if !object.is_object() {
        return invalid(context, "ENTRIES");
    }
    let mut pairs = BoundedBlock::new(1, context.memory, context.interrupt);
    pairs.builder().open_array()?;
    for (round, (name, value)) in object.entries().enumerate() {
        check_round(context, round)?;
        pairs.make_room(name.len() + LONGEST_HEADER)?;
        pairs.builder().open_array()?;
        pairs.builder().add_str(name)?;
        pairs.append(&value)?;
        pairs.close_array()?;
    }
    pairs.close_array()?;
    pairs.end_value();
    Ok(pairs.into_value())
}

/// The bytes of a long text's header.
const LONGEST_HEADER: usize = 9;

/// `HAS(document, attributeName)`: true even for an attribute that is null; false for anything but
/// an object.
pub(crate) fn has(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let object = value(arguments, 0);
    let name = text(arguments, 1, context)?;
    // The lookup is quick; only a null must be distinguished from a missing attribute.
    Ok(Value::Bool(!object.get(&name).is_null() || has_name(object, &name, context)?))
}

/// Returns true for a system attribute if these are to be removed.
/// Returns true if the object has an attribute of this name, null or not.
pub(super) fn has_name(object: &Value, name: &str, context: &EvaluationContext<'_>) -> Result<bool> {
    for (round, (present, _)) in object.entries().enumerate() {
        check_round(context, round)?;
        if present == name {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_removed(name: &str, remove_system_attributes: bool) -> bool {
    remove_system_attributes && name.starts_with('_')
}
