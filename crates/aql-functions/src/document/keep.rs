//! `KEEP()`, `UNSET()` and their recursive forms: objects with some of their attributes.

use super::{MAX_DEPTH, deeper};
use crate::argument::{Outcome, answer, invalid, stop, value};
use crate::memory::ObjectBuffer;
use aql_value::{EvaluationContext, Value};
use errors::Result;
use std::collections::HashSet;

/// `KEEP(document, attributeName1, ...)` or `KEEP(document, attributeNameArray)`
pub(crate) fn keep(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(filtered("KEEP", arguments, Filter { keeps_named: true, is_recursive: false }, context))
}

/// `KEEP_RECURSIVE(document, attributeName1, ...)` or `KEEP_RECURSIVE(document,
/// attributeNameArray)`: the same in objects within the object.
///
/// Arrays stay as they are.
pub(crate) fn keep_recursive(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(filtered("KEEP_RECURSIVE", arguments, Filter { keeps_named: true, is_recursive: true }, context))
}

/// `UNSET(document, attributeName1, ...)` or `UNSET(document, attributeNameArray)`
pub(crate) fn unset(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(filtered("UNSET", arguments, Filter { keeps_named: false, is_recursive: false }, context))
}

/// `UNSET_RECURSIVE(document, attributeName1, ...)` or `UNSET_RECURSIVE(document,
/// attributeNameArray)`: the same in objects within the object.
///
/// Arrays stay as they are.
pub(crate) fn unset_recursive(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(filtered("UNSET_RECURSIVE", arguments, Filter { keeps_named: false, is_recursive: true }, context))
}

/// A choice of attributes.
#[derive(Clone, Copy)]
struct Filter {
    /// True if named attributes stay, false if the others stay.
    keeps_named: bool,
    /// True if it applies to objects within the object too.
    is_recursive: bool,
}

fn filtered(
    name: &str,
    arguments: &[Value],
    filter: Filter,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Value> {
    let document = value(arguments, 0);
    if !document.is_object() {
        return stop(invalid(context, name));
    }
    let names = names_after_first(arguments, name, context)?;
    Ok(filter.apply(document, &names, MAX_DEPTH, context)?)
}

impl Filter {
    fn apply(
        self,
        object: &Value,
        names: &HashSet<String>,
        depth_left: usize,
        context: &EvaluationContext<'_>,
    ) -> Result<Value> {
        let depth_left = deeper(depth_left)?;
        let mut entries = ObjectBuffer::new(context);
        for (name, value) in object.entries() {
            if names.contains(name) != self.keeps_named {
                continue;
            }
            let is_descended = self.is_recursive && value.is_object();
            let value = if is_descended { self.apply(&value, names, depth_left, context)? } else { value };
            entries.push(name, value)?;
        }
        entries.into_object()
    }
}

/// Returns the names in the arguments after the first: texts, numbers, and arrays of them.
///
/// Stops with warning 1542 at anything else.
fn names_after_first(
    arguments: &[Value],
    name: &str,
    context: &mut EvaluationContext<'_>,
) -> Outcome<HashSet<String>> {
    let mut names = HashSet::new();
    for argument in arguments.iter().skip(1) {
        let is_valid = if argument.is_array() {
            argument.elements().all(|element| insert(&mut names, &element))
        } else {
            insert(&mut names, argument)
        };
        if !is_valid {
            return stop(invalid(context, name));
        }
    }
    Ok(names)
}

/// Inserts the value and returns true if it is a name.
fn insert(names: &mut HashSet<String>, value: &Value) -> bool {
    let is_name = value.is_string() || value.is_number();
    if is_name {
        names.insert(value.cast_string().into_owned());
    }
    is_name
}
