//! Names and values of an object's attributes.

use crate::argument::{check_round, flag, invalid, text, value};
use crate::array::sort_elements;
use crate::memory::{ArrayBuffer, Scratch};
use aql_value::{EvaluationContext, Value};
use errors::Result;
use velocypack::Builder;

/// `ATTRIBUTES(document, removeSystemAttrs, sort)`: the names of the attributes.
///
/// With `sort` they are in AQL's order, otherwise in byte order, in which ArangoDB reads objects.
pub(crate) fn attributes(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let object = value(arguments, 0);
    if !object.is_object() {
        return invalid(context, "ATTRIBUTES");
    }
    let mut names: Vec<&str> = object.entries().map(|(name, _)| name).collect();
    names.retain(|name| !is_removed(name, flag(arguments, 1)));
    let sort = flag(arguments, 2);
    if !sort {
        names.sort_unstable();
    }
    let names = ArrayBuffer::collect(context, names.into_iter().map(Value::from_str))?;
    if sort { sort_elements(names, context)?.into_array() } else { names.into_array() }
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
    // A name translated to one byte is at most 16 bytes longer as a text. Each pair is an array of
    // its own.
    let pair_bytes = 2 * size_of::<Value>();
    let mut scratch = Scratch::new(context.memory);
    scratch.grow(object.memory_bytes() + object.len() * pair_bytes)?;
    let mut pairs = Builder::new();
    pairs.open_array()?;
    for (round, (name, value)) in object.entries().enumerate() {
        check_round(context, round)?;
        pairs.open_array()?;
        pairs.add_str(name)?;
        value.append_to(&mut pairs)?;
        pairs.close()?;
    }
    pairs.close()?;
    Ok(Value::from_builder(pairs))
}

/// `HAS(document, attributeName)`: true even for an attribute that is null; false for anything but
/// an object.
pub(crate) fn has(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    let object = value(arguments, 0);
    let name = text(arguments, 1);
    // The look-up is quick; only a null must be told apart from a missing attribute.
    let is_present = !object.get(&name).is_null() || object.entries().any(|(present, _)| present == name);
    Ok(Value::Bool(is_present))
}

/// Returns true for a system attribute if these are to be removed.
fn is_removed(name: &str, remove_system_attributes: bool) -> bool {
    remove_system_attributes && name.starts_with('_')
}
