//! Removing characters from the ends of a text.

use std::collections::HashSet;

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, given, integer, text};
use crate::memory::{Growth, text_value};

/// The characters that are removed by default.
const WHITE_SPACE: &str = "\r\n \t";

/// `LTRIM(value, chars)`
pub(crate) fn ltrim(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    trimmed(arguments, true, false, context)
}

/// `RTRIM(value, chars)`
pub(crate) fn rtrim(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    trimmed(arguments, false, true, context)
}

/// `TRIM(value, chars)` or `TRIM(value, type)`: `type` 1 is the start only, 2 the end only.
pub(crate) fn trim(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let ends = match given(arguments, 1) {
        Some(ends) if ends.is_number() => integer(arguments, 1),
        _ => return trimmed(arguments, true, true, context),
    };
    trimmed(arguments.get(..1).unwrap_or_default(), ends != 2, ends != 1, context)
}

fn trimmed(
    arguments: &[Value],
    at_start: bool,
    at_end: bool,
    context: &EvaluationContext<'_>,
) -> Result<Value> {
    let whole = text(arguments, 0, context)?;
    let given = given(arguments, 1).map(|_| text(arguments, 1, context)).transpose()?;
    let removed = given.as_deref().unwrap_or(WHITE_SPACE);
    // A set, since the call may name as many characters as the text has.
    let mut set = HashSet::new();
    let mut growth = Growth::new(context.memory, BYTES_OF_CHARACTER);
    for (round, character) in removed.chars().enumerate() {
        check_round(context, round)?;
        if let Some(room) = growth.reach(set.len() + 1)? {
            set.reserve(room - set.len());
        }
        set.insert(character);
    }
    let mut rest = whole.as_ref();
    if at_start {
        let kept = first_kept(rest.chars(), &set, context)?;
        rest = rest.get(kept..).unwrap_or_default();
    }
    if at_end {
        let removed = first_kept(rest.chars().rev(), &set, context)?;
        rest = rest.get(..rest.len() - removed).unwrap_or_default();
    }
    text_value(rest, context)
}

/// The bytes of a character in a set, with its share of the free places.
const BYTES_OF_CHARACTER: usize = 12;

/// Returns the number of bytes before the first character that is not in the set.
fn first_kept(
    characters: impl Iterator<Item = char>,
    removed: &HashSet<char>,
    context: &EvaluationContext<'_>,
) -> Result<usize> {
    let mut bytes = 0;
    for (round, character) in characters.enumerate() {
        check_round(context, round)?;
        if !removed.contains(&character) {
            break;
        }
        bytes += character.len_utf8();
    }
    Ok(bytes)
}
