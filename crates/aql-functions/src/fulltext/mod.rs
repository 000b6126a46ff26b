//! Fulltext queries without an index.

use analyzers::word_query::{Part, matches, parse};
use aql_value::{EvaluationContext, Function, Value};
use errors::{Error, Result};

use crate::argument::{check_round, value};
use crate::define::pure;
use crate::memory::room_for_bytes;

pub(crate) static FUNCTIONS: &[Function] = &[pure("FULLTEXT_MATCH", 3, 3, fulltext_match)];

/// `FULLTEXT_MATCH(value, query, minLength)`: true if the words of a value satisfy a fulltext
/// query.
///
/// The value is a text, or an array or object that directly holds texts. The optimizer replaces
/// `FULLTEXT()` by this function; ArangoDB has no such function. Words of fewer characters than
/// `minLength` do not count. The result is false for an invalid query.
fn fulltext_match(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let Some(query) = value(arguments, 1).as_str() else { return Ok(Value::Bool(false)) };
    let _parts = room_for_bytes(BYTES_OF_QUERY * query.len(), context)?;
    let Some(parts) = parse(query) else { return Ok(Value::Bool(false)) };
    let min_length = usize::try_from(value(arguments, 2).to_i64()).unwrap_or(0);
    let mut has = vec![false; parts.len()];
    let text = value(arguments, 0);
    let members = text.elements().chain(text.entries().map(|(_, member)| member));
    let single = text.is_string().then(|| text.clone());
    for (round, text) in members.chain(single).enumerate() {
        check_round(context, round)?;
        note_words(&text, min_length, &parts, &mut has, context)?;
    }
    let is_there = |part: &Part| {
        parts.iter().position(|own| std::ptr::eq(own, part)).and_then(|at| has.get(at)) == Some(&true)
    };
    Ok(Value::Bool(matches(&parts, is_there)))
}

/// The bytes of a parsed query for a byte of its text: a word may have one character.
const BYTES_OF_QUERY: usize = 32;

/// Marks the parts of the query that a text has words for; other values have none.
fn note_words(
    text: &Value,
    min_length: usize,
    parts: &[Part],
    has: &mut [bool],
    context: &EvaluationContext<'_>,
) -> Result<()> {
    let Some(text) = text.as_str() else { return Ok(()) };
    let mut round = 0;
    let pause = || context.interrupt.check();
    analyzers::for_each_word(text, min_length, pause, |word| {
        round += 1;
        check_round(context, round)?;
        for (part, has) in parts.iter().zip(has.iter_mut()) {
            *has |= if part.is_prefix { word.starts_with(&part.word) } else { word == part.word };
        }
        Ok::<(), Error>(())
    })
}
