//! Character counts, and characters by their code point.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{integer, invalid, text, value};

/// `CHAR_LENGTH(str)`
pub(crate) fn char_length(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::Int(text(arguments, 0, context)?.chars().count() as i64))
}

/// `TO_CHAR(codepoint)`: null with a warning for a surrogate or a number that is not a code point.
pub(crate) fn to_char(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let character = Some(integer(arguments, 0))
        .filter(|_| value(arguments, 0).is_number())
        .and_then(|code_point| u32::try_from(code_point).ok())
        .and_then(char::from_u32);
    match character {
        Some(character) => Ok(Value::from_str(character.encode_utf8(&mut [0; 4]))),
        None => invalid(context, "TO_CHAR"),
    }
}
