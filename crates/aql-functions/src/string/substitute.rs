//! `SUBSTITUTE()`.

use super::search::Searcher;
use crate::argument::{check_round, given, integer, invalid, text, value};
use crate::memory::TextBuffer;
use aql_value::{EvaluationContext, Value};
use errors::Result;

/// `SUBSTITUTE(value, search, replace, limit)` or `SUBSTITUTE(value, mapping, limit)`: replaces
/// from left to right, never within a replacement.
///
/// The search listed first counts among those that match at the same place.
pub(crate) fn substitute(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let search = value(arguments, 1);
    let limit_index = if search.is_object() { 2 } else { 3 };
    let limit = match given(arguments, limit_index).map(|_| usize::try_from(integer(arguments, limit_index)))
    {
        None => usize::MAX,
        Some(Ok(limit)) => limit,
        Some(Err(_)) => return invalid(context, "SUBSTITUTE"),
    };
    let pairs = pairs_of(search, given(arguments, 2));
    let text = text(arguments, 0);
    let searches = pairs.iter().map(|(search, _)| search.as_str());
    let mut searcher = Searcher::new(&text, searches, context.interrupt)?;
    let mut substituted = TextBuffer::new(context.memory);
    let mut rest_start = 0;
    for round in 0..limit {
        check_round(context, round)?;
        let Some(found) = searcher.next_from(rest_start)? else { break };
        substituted.push_str(text.get(rest_start..found.start).unwrap_or_default())?;
        if let Some((_, replacement)) = pairs.get(found.needle) {
            substituted.push_str(replacement)?;
        }
        rest_start = found.end;
    }
    substituted.push_str(text.get(rest_start..).unwrap_or_default())?;
    Ok(substituted.into_value())
}

/// Returns the texts to search for, each with its replacement.
fn pairs_of(search: &Value, replace: Option<&Value>) -> Vec<(String, String)> {
    let text = |value: &Value| value.cast_string().into_owned();
    if search.is_object() {
        return search.entries().map(|(name, replacement)| (name.to_string(), text(&replacement))).collect();
    }
    let replacement_at = |index: usize| match replace {
        None => String::new(),
        Some(replace) if replace.is_array() => text(&replace.at(i64::try_from(index).unwrap_or(i64::MAX))),
        Some(replace) => text(replace),
    };
    if search.is_array() {
        let searches = search.elements().enumerate();
        return searches.map(|(index, search)| (text(&search), replacement_at(index))).collect();
    }
    vec![(text(search), replacement_at(0))]
}
