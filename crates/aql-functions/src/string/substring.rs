//! Parts of texts by position.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::find::byte_of;
use crate::argument::{given, integer, invalid, text};
use crate::memory::text_value;

/// `LEFT(value, n)`: at most `n` characters from the start; none for a negative `n`.
pub(crate) fn left(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let text = text(arguments, 0, context)?;
    let characters = usize::try_from(integer(arguments, 1)).unwrap_or(0);
    text_value(text.get(..byte_of(&text, characters)).unwrap_or_default(), context)
}

/// `RIGHT(value, length)`: at most `length` characters from the end.
pub(crate) fn right(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let text = text(arguments, 0, context)?;
    let characters = usize::try_from(integer(arguments, 1)).unwrap_or(0);
    text_value(text.get(byte_from_end(&text, characters)..).unwrap_or_default(), context)
}

/// `SUBSTRING(value, offset, length)`: a negative offset counts from the end and reaches at most to
/// the start.
///
/// A length that is negative or null takes nothing.
pub(crate) fn substring(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let text = text(arguments, 0, context)?;
    let offset = integer(arguments, 1);
    let distance = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let start = if offset < 0 { byte_from_end(&text, distance) } else { byte_of(&text, distance) };
    let rest = text.get(start..).unwrap_or_default();
    let end = match arguments.get(2) {
        Some(length) => byte_of(rest, usize::try_from(length.to_i64()).unwrap_or(0)),
        None => rest.len(),
    };
    text_value(rest.get(..end).unwrap_or_default(), context)
}

/// `SUBSTRING_BYTES(value, offset, length, left, right)`: the same in bytes, then widened by
/// characters.
///
/// The result is null with a warning if the bytes begin or end within a character.
pub(crate) fn substring_bytes(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let text = text(arguments, 0, context)?;
    let bytes = text.len() as i64;
    let offset = integer(arguments, 1);
    let start = if offset < 0 { bytes.saturating_add(offset).max(0) } else { offset.min(bytes) };
    let end = match given(arguments, 2) {
        Some(_) => start.saturating_add(integer(arguments, 2).max(0)).min(bytes),
        None => bytes,
    };
    let widen_left = integer(arguments, 3);
    let widen_right = given(arguments, 4).map_or(widen_left, |_| integer(arguments, 4));
    let (Ok(start), Ok(end), Ok(widen_left), Ok(widen_right)) = (
        usize::try_from(start),
        usize::try_from(end),
        usize::try_from(widen_left),
        usize::try_from(widen_right),
    ) else {
        return invalid(context, "SUBSTRING_BYTES");
    };
    let (Some(before), Some(after)) = (text.get(..start), text.get(end..)) else {
        return invalid(context, "SUBSTRING_BYTES");
    };
    let start = byte_from_end(before, widen_left);
    let end = end + byte_of(after, widen_right);
    text_value(text.get(start..end).unwrap_or_default(), context)
}

/// Returns the byte at which the last `characters` characters begin; 0 if there are fewer.
fn byte_from_end(text: &str, characters: usize) -> usize {
    match characters.checked_sub(1) {
        None => text.len(),
        Some(skipped) => text.char_indices().rev().nth(skipped).map_or(0, |(byte, _)| byte),
    }
}
