//! `LEVENSHTEIN_DISTANCE()`, and `LEVENSHTEIN_MATCH()` outside of SEARCH.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::levenshtein_distance::{damerau_levenshtein, levenshtein_within};
use crate::argument::{given, invalid, text, value};
use crate::memory::room_for_bytes;

/// The largest distance of `LEVENSHTEIN_MATCH()` with transpositions.
const MAX_DISTANCE_WITH_TRANSPOSITIONS: i64 = 3;
/// The largest distance without transpositions.
const MAX_DISTANCE: i64 = 4;

/// `LEVENSHTEIN_DISTANCE(value1, value2)`: with transpositions.
pub(crate) fn levenshtein_distance(
    arguments: &[Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let distance = damerau_levenshtein(
        &text(arguments, 0, context)?,
        &text(arguments, 1, context)?,
        context.interrupt,
        context.memory,
    )?;
    Ok(Value::Int(distance as i64))
}

/// `LEVENSHTEIN_MATCH(text, target, distance, transpositions, maxTerms, prefix)`: true if the text
/// begins with `prefix` and the rest is at most this far from `target`.
///
/// `maxTerms` matters in indexes only.
pub(crate) fn levenshtein_match(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    const NAME: &str = "LEVENSHTEIN_MATCH";
    let (Some(text), Some(target), true) =
        (value(arguments, 0).as_str(), value(arguments, 1).as_str(), value(arguments, 2).is_number())
    else {
        return invalid(context, NAME);
    };
    let transpositions = given(arguments, 3).map_or(Some(true), Value::as_bool);
    let prefix = given(arguments, 5).map_or(Some(""), Value::as_str);
    let max_terms_is_valid = given(arguments, 4).is_none_or(Value::is_number);
    let (Some(transpositions), Some(prefix), true) = (transpositions, prefix, max_terms_is_valid) else {
        return invalid(context, NAME);
    };
    let largest = if transpositions { MAX_DISTANCE_WITH_TRANSPOSITIONS } else { MAX_DISTANCE };
    let allowed = value(arguments, 2).to_i64();
    if !(0..=largest).contains(&allowed) {
        return invalid(context, NAME);
    }
    let Some(rest) = text.strip_prefix(prefix) else { return Ok(Value::Bool(false)) };
    Ok(Value::Bool(is_within(rest, target, allowed as usize, transpositions, context)?))
}

fn is_within(
    text: &str,
    target: &str,
    allowed: usize,
    transpositions: bool,
    context: &EvaluationContext<'_>,
) -> Result<bool> {
    let characters = text.len() + target.len();
    let _room = room_for_bytes(characters * (size_of::<char>() + size_of::<usize>()), context)?;
    // A larger difference in length already exceeds the distance.
    if text.chars().count().abs_diff(target.chars().count()) > allowed {
        return Ok(false);
    }
    if transpositions {
        Ok(damerau_levenshtein(text, target, context.interrupt, context.memory)? <= allowed)
    } else {
        Ok(levenshtein_within(text, target, allowed, context.interrupt)?.is_some())
    }
}
