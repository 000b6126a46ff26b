//! The first of several alternatives.

use aql_value::{EvaluationContext, Value};
use errors::Result;

/// `FIRST_DOCUMENT(alternative, ...)`: the first object, or null.
pub(crate) fn first_document(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(first(arguments, Value::is_object))
}

/// `FIRST_LIST(alternative, ...)`: the first array, or null.
pub(crate) fn first_list(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(first(arguments, Value::is_array))
}

/// `NOT_NULL(alternative, ...)`: the first value that is not null, or null.
pub(crate) fn not_null(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(first(arguments, |alternative| !alternative.is_null()))
}

fn first(arguments: &[Value], is_wanted: impl Fn(&Value) -> bool) -> Value {
    arguments.iter().find(|alternative| is_wanted(alternative)).cloned().unwrap_or_default()
}
