//! `SPLIT()`.

use std::borrow::Cow;

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::search::Searcher;
use crate::argument::{check_round, given, integer, invalid, text, text_of};
use crate::memory::{ArrayBuffer, room_for_bytes};

/// `SPLIT(value, separator, limit)`: the parts between the separators.
///
/// `separator` is one text or an array of several. An empty separator splits into characters.
/// Without one, the result is an array of the text. The result has at most `limit` parts; the rest
/// is omitted.
pub(crate) fn split(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let limit = match given(arguments, 2).map(|_| usize::try_from(integer(arguments, 2))) {
        None => usize::MAX,
        Some(Ok(limit)) => limit,
        Some(Err(_)) => return invalid(context, "SPLIT"),
    };
    let text = text(arguments, 0, context)?;
    let Some(separator) = given(arguments, 1) else {
        let mut parts = ArrayBuffer::new(context);
        if limit > 0 {
            parts.push_text(&text)?;
        }
        return parts.into_array();
    };
    let mut room = room_for_bytes(separator.len() * BYTES_OF_SEPARATOR, context)?;
    let separators: Vec<Value> =
        if separator.is_array() { separator.elements().collect() } else { vec![separator.clone()] };
    let separators = separators.iter().map(|separator| {
        let text = text_of(separator, context)?;
        if matches!(text, Cow::Owned(_)) {
            room.grow(text.len())?;
        }
        Ok(text)
    });
    let separators: Vec<Cow<'_, str>> = separators.collect::<Result<_>>()?;
    if separators.iter().any(|separator| separator.is_empty()) {
        let characters = text.chars().take(limit);
        let characters = characters.map(|character| Value::from_str(character.encode_utf8(&mut [0; 4])));
        return ArrayBuffer::collect(context, characters)?.into_array();
    }
    split_at(&text, &separators, limit, context)
}

/// The bytes of a separator without its text, with those of its needle.
const BYTES_OF_SEPARATOR: usize = size_of::<Value>() + size_of::<Cow<'_, str>>() + 32;

fn split_at(
    text: &str,
    separators: &[Cow<'_, str>],
    limit: usize,
    context: &EvaluationContext<'_>,
) -> Result<Value> {
    let mut searcher = Searcher::new(text, separators.iter().map(Cow::as_ref), context.interrupt)?;
    let mut parts = ArrayBuffer::new(context);
    let mut start = 0;
    while parts.len() < limit {
        check_round(context, parts.len())?;
        let found = searcher.next_from(start)?;
        let end = found.map_or(text.len(), |found| found.start);
        parts.push_text(text.get(start..end).unwrap_or_default())?;
        match found {
            Some(found) => start = found.end,
            None => break,
        }
    }
    parts.into_array()
}
