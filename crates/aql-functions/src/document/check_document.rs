//! `CHECK_DOCUMENT()`.

use super::{MAX_DEPTH, deeper};
use crate::argument::value;
use aql_value::{EvaluationContext, Value};
use errors::Result;
use std::collections::HashSet;

/// `CHECK_DOCUMENT(document)`: true for an object without duplicate attribute names at any level.
pub(crate) fn check_document(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    let document = value(arguments, 0);
    Ok(Value::Bool(document.is_object() && has_unique_names(document, MAX_DEPTH)?))
}

fn has_unique_names(value: &Value, depth_left: usize) -> Result<bool> {
    let depth_left = deeper(depth_left)?;
    let mut seen = HashSet::new();
    for (name, attribute) in value.entries() {
        if !seen.insert(name) || !has_unique_names(&attribute, depth_left)? {
            return Ok(false);
        }
    }
    for element in value.elements() {
        if !has_unique_names(&element, depth_left)? {
            return Ok(false);
        }
    }
    Ok(true)
}
