//! `REVERSE()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{array_expected, check_round, value};
use crate::memory::{ArrayBuffer, TextBuffer};

/// `REVERSE(value)`: the elements of an array, or the characters of a string, in reverse order.
pub(crate) fn reverse(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let value = value(arguments, 0);
    if let Some(text) = value.as_str() {
        let mut reversed = TextBuffer::new(context);
        for (round, character) in text.chars().rev().enumerate() {
            check_round(context, round)?;
            reversed.push_str(character.encode_utf8(&mut [0; 4]))?;
        }
        return reversed.into_value();
    }
    if !value.is_array() {
        return array_expected(context, "REVERSE");
    }
    let mut elements = ArrayBuffer::collect(context, value.elements())?;
    elements.elements().reverse();
    elements.into_array()
}
