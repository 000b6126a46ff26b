//! `CHECK_DOCUMENT()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::{MAX_DEPTH, deeper};
use crate::argument::{check_round, value};

/// `CHECK_DOCUMENT(document)`: true for an object without duplicate attribute names at any level.
pub(crate) fn check_document(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let document = value(arguments, 0);
    Ok(Value::Bool(document.is_object() && has_unique_names(document, MAX_DEPTH, context)?))
}

fn has_unique_names(value: &Value, depth_left: usize, context: &EvaluationContext<'_>) -> Result<bool> {
    let depth_left = deeper(depth_left)?;
    if value.is_object() && !has_unique_names_itself(value, context)? {
        return Ok(false);
    }
    let members = value.elements().chain(value.entries().map(|(_, member)| member));
    for (round, member) in members.enumerate() {
        check_round(context, round)?;
        let is_container = member.is_array() || member.is_object();
        if is_container && !has_unique_names(&member, depth_left, context)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn has_unique_names_itself(object: &Value, context: &EvaluationContext<'_>) -> Result<bool> {
    object.with_slice(|object, _| {
        // In order, equal names are neighbours.
        let mut before = None;
        for (round, (name, _)) in object.entries_sorted().enumerate() {
            check_round(context, round)?;
            if before.replace(name) == Some(name) {
                return Ok(false);
            }
        }
        Ok(true)
    })
}
