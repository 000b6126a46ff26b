//! `SUBSTITUTE()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::search::Searcher;
use crate::argument::{check_round, given, integer, invalid, text, text_of, value};
use crate::memory::{Growth, Scratch, TextBuffer};

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
    let Pairs { pairs, growth: _growth, held: _held } = Pairs::of(search, given(arguments, 2), context)?;
    let text = text(arguments, 0, context)?;
    let searches = pairs.iter().map(|(search, _)| search.as_str());
    let mut searcher = Searcher::new(&text, searches, context.interrupt)?;
    let mut substituted = TextBuffer::new(context);
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
    substituted.into_value()
}

/// The texts to search for, each with its replacement, within the query's memory.
struct Pairs<'a> {
    pairs: Vec<(String, String)>,
    growth: Growth<'a>,
    held: Scratch<'a>,
}

impl<'a> Pairs<'a> {
    fn push(&mut self, search: &str, replacement: &str) -> Result<()> {
        if let Some(room) = self.growth.reach(self.pairs.len() + 1)? {
            self.pairs.reserve_exact(room - self.pairs.len());
        }
        self.held.grow(search.len() + replacement.len())?;
        self.pairs.push((search.to_owned(), replacement.to_owned()));
        Ok(())
    }

    fn of(search: &Value, replace: Option<&Value>, context: &EvaluationContext<'a>) -> Result<Self> {
        let growth = Growth::new(context.memory, BYTES_OF_PAIR);
        let mut pairs = Self { pairs: Vec::new(), growth, held: Scratch::new(context.memory) };
        if search.is_object() {
            for (round, (name, replacement)) in search.entries().enumerate() {
                check_round(context, round)?;
                pairs.push(name, &text_of(&replacement, context)?)?;
            }
        } else if search.is_array() {
            let each = replace.filter(|replace| replace.is_array());
            let mut replacements = each.map(Value::elements);
            let same = replace.filter(|_| each.is_none()).cloned().unwrap_or_default();
            for (round, search) in search.elements().enumerate() {
                check_round(context, round)?;
                let replacement = match &mut replacements {
                    Some(replacements) => replacements.next().unwrap_or_default(),
                    None => same.clone(),
                };
                pairs.push(&text_of(&search, context)?, &text_of(&replacement, context)?)?;
            }
        } else {
            let replacement = match replace {
                Some(replace) if replace.is_array() => replace.at(0),
                replace => replace.cloned().unwrap_or_default(),
            };
            pairs.push(&text_of(search, context)?, &text_of(&replacement, context)?)?;
        }
        Ok(pairs)
    }
}

/// The bytes of a pair without its texts, with those of a searcher's needle and of two allocations.
const BYTES_OF_PAIR: usize = size_of::<(String, String)>() + 32 + 32;
