//! `LENGTH()`. The planner replaces a call with a collection by `COLLECTION_COUNT()`.

use aql_value::{EvaluationContext, Kind, Value};
use errors::Result;

use crate::argument::value;

/// `LENGTH(value)`: the number of elements, attributes or characters; 1 for true, 0 for false and
/// null.
///
/// A number has the length of its text.
pub(crate) fn length(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    let value = value(arguments, 0);
    let length = match value.kind() {
        Kind::Null => 0,
        Kind::Bool => usize::from(value.is_truthy()),
        Kind::Number | Kind::String => value.cast_string().chars().count(),
        Kind::Array | Kind::Object => value.len(),
    };
    Ok(Value::Int(length as i64))
}
