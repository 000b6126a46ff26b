//! `REVERSE()`.

use crate::argument::{invalid, value};
use crate::memory::ArrayBuffer;
use aql_value::{EvaluationContext, Value};
use errors::Result;

/// `REVERSE(value)`: the elements of an array, or the characters of a string, in reverse order.
pub(crate) fn reverse(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let value = value(arguments, 0);
    if let Some(text) = value.as_str() {
        return Ok(Value::from_str(&text.chars().rev().collect::<String>()));
    }
    if !value.is_array() {
        return invalid(context, "REVERSE");
    }
    let mut elements = ArrayBuffer::collect(context, value.elements())?;
    elements.elements().reverse();
    elements.into_array()
}
