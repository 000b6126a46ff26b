//! Removing characters from the ends of a text.

use crate::argument::{given, integer, text};
use aql_value::{EvaluationContext, Value};
use errors::Result;
use std::collections::HashSet;

/// The characters that are removed by default.
const WHITE_SPACE: &str = "\r\n \t";

/// `LTRIM(value, chars)`
pub(crate) fn ltrim(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(trimmed(arguments, true, false))
}

/// `RTRIM(value, chars)`
pub(crate) fn rtrim(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(trimmed(arguments, false, true))
}

/// `TRIM(value, chars)` or `TRIM(value, type)`: `type` 1 is the start only, 2 the end only.
pub(crate) fn trim(arguments: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    let ends = match given(arguments, 1) {
        Some(ends) if ends.is_number() => integer(arguments, 1),
        _ => return Ok(trimmed(arguments, true, true)),
    };
    Ok(trimmed(arguments.get(..1).unwrap_or_default(), ends != 2, ends != 1))
}

fn trimmed(arguments: &[Value], at_start: bool, at_end: bool) -> Value {
    let whole = text(arguments, 0);
    let removed = if given(arguments, 1).is_some() { text(arguments, 1) } else { WHITE_SPACE.into() };
    // A set, since the call may name as many characters as the text has.
    let removed: HashSet<char> = removed.chars().collect();
    let is_removed = |character: char| removed.contains(&character);
    let mut rest = whole.as_ref();
    if at_start {
        rest = rest.trim_start_matches(is_removed);
    }
    if at_end {
        rest = rest.trim_end_matches(is_removed);
    }
    Value::from_str(rest)
}
