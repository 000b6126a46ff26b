//! Search for a text in a text.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{flag, given, integer, text};

/// `CONTAINS(text, search, returnIndex)`: true if `search` occurs.
///
/// With `returnIndex` the result is its position, or -1. An empty `search` does not occur.
pub(crate) fn contains(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let (text, search) = (text(arguments, 0, context)?, text(arguments, 1, context)?);
    let found = text.find(search.as_ref()).filter(|_| !search.is_empty());
    if flag(arguments, 2) {
        Ok(Value::Int(found.map_or(-1, |byte| position_of(&text, byte))))
    } else {
        Ok(Value::Bool(found.is_some()))
    }
}

/// `FIND_FIRST(text, search, start, end)`: the position of the first occurrence, or -1.
///
/// The occurrence lies within `start` and `end`, both included. An empty `search` is found at
/// `start`.
pub(crate) fn find_first(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    find(arguments, |window, search| window.find(search), context)
}

/// `FIND_LAST(text, search, start, end)`: the position of the last such occurrence.
///
/// An empty `search` is found at the text's length or at `end` + 1.
pub(crate) fn find_last(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    find(arguments, |window, search| window.rfind(search), context)
}

/// Returns the position that `search_in` finds in the text from `start` to `end`, or -1.
fn find(
    arguments: &[Value],
    search_in: impl Fn(&str, &str) -> Option<usize>,
    context: &EvaluationContext<'_>,
) -> Result<Value> {
    let (text, search) = (text(arguments, 0, context)?, text(arguments, 1, context)?);
    let start = integer(arguments, 2);
    let end = given(arguments, 3).map(|_| integer(arguments, 3));
    let Ok(first) = usize::try_from(start) else { return Ok(Value::Int(-1)) };
    if end.is_some_and(|end| end < start) {
        return Ok(Value::Int(-1));
    }
    let start_byte = byte_of(&text, first);
    let window = text.get(start_byte..).unwrap_or_default();
    let characters = end.map(|end| usize::try_from(end - start).unwrap_or(usize::MAX).saturating_add(1));
    let window = match characters {
        Some(characters) => window.get(..byte_of(window, characters)).unwrap_or_default(),
        None => window,
    };
    let found = search_in(window, &search);
    Ok(Value::Int(found.map_or(-1, |byte| position_of(&text, start_byte + byte))))
}

/// Returns the byte at which a character begins; the text's length beyond its end.
pub(crate) fn byte_of(text: &str, position: usize) -> usize {
    text.char_indices().nth(position).map_or(text.len(), |(byte, _)| byte)
}

/// Returns the number of characters before a byte.
fn position_of(text: &str, byte: usize) -> i64 {
    text.get(..byte).map_or(0, |before| before.chars().count() as i64)
}
