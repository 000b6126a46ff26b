//! `LENGTH()`. With a collection it is `COLLECTION_COUNT()`, which the planner puts in its place.

use crate::argument::value;
use aql_value::{EvaluationContext, Kind, Result, Value};

/// `LENGTH(value)`: elements of an array, attributes of an object, characters of a string or of a number's text;
/// 1 for true, 0 for false and null.
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
