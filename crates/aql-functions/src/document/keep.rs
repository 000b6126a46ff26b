//! `KEEP()`, `UNSET()` and their recursive forms: objects with some of their attributes.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::{MAX_DEPTH, deeper};
use crate::argument::{Outcome, answer, check_round, invalid, stop, value};
use crate::memory::{Names, ObjectBuffer};

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
        names: &Names<'_, String>,
        depth_left: usize,
        context: &EvaluationContext<'_>,
    ) -> Result<Value> {
        let depth_left = deeper(depth_left)?;
        let mut entries = ObjectBuffer::new(context);
        for (round, (name, value)) in object.entries().enumerate() {
            check_round(context, round)?;
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
fn names_after_first<'a>(
    arguments: &[Value],
    name: &str,
    context: &mut EvaluationContext<'a>,
) -> Outcome<Names<'a, String>> {
    let mut names = Names::new(context);
    for argument in arguments.iter().skip(1) {
        let single = (!argument.is_array()).then(|| argument.clone());
        for (round, value) in argument.elements().chain(single).enumerate() {
            check_round(context, round)?;
            if !value.is_string() && !value.is_number() {
                return stop(invalid(context, name));
            }
            let text = value.cast_string();
            if !names.contains(&text) {
                names.hold(&text)?;
                names.place_of(text.into_owned(), 0)?;
            }
        }
    }
    Ok(names)
}
