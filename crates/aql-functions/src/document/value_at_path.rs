//! `VALUE()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, invalid, value};

/// `VALUE(document, path)`: the value at a path of names and positions; null if there is none.
///
/// An empty path leads to nothing.
pub(crate) fn value_at_path(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (document, path) = (value(arguments, 0), value(arguments, 1));
    if !document.is_object() || !path.is_array() {
        return invalid(context, "VALUE");
    }
    if path.is_empty() {
        return Ok(Value::Null);
    }
    let mut found = document.clone();
    for (round, step) in path.elements().enumerate() {
        check_round(context, round)?;
        found = match step.as_str() {
            Some(name) => found.get(name),
            None if step.is_number() => found.at(step.to_i64()),
            None => return invalid(context, "VALUE"),
        };
    }
    Ok(found)
}
