//! `NGRAM_SIMILARITY()` and its siblings.

use super::ngram_similarity::{positional_similarity, similarity};
use crate::argument::{given, invalid, value};
use crate::memory::Scratch;
use crate::string::unknown_analyzer;
use aql_value::{EvaluationContext, Interrupt, Result, Value, error_number};

/// What `NGRAM_MATCH()` asks for if the call does not say.
const DEFAULT_THRESHOLD: f64 = 0.7;

/// `NGRAM_SIMILARITY(input, target, ngramSize)`
pub(crate) fn ngram_similarity(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    compared("NGRAM_SIMILARITY", arguments, similarity, context)
}

/// `NGRAM_POSITIONAL_SIMILARITY(input, target, ngramSize)`
pub(crate) fn ngram_positional_similarity(
    arguments: &[Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    compared("NGRAM_POSITIONAL_SIMILARITY", arguments, positional_similarity, context)
}

/// `NGRAM_MATCH(text, target, threshold, analyzer)` outside of SEARCH: whether the share of the target's tokens that
/// are in the text is at least the threshold. With the only analyzer, `identity`, a text is one token, so the texts
/// must be equal (or the threshold 0).
pub(crate) fn ngram_match(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    const NAME: &str = "NGRAM_MATCH";
    let (Some(text), Some(target)) = (value(arguments, 0).as_str(), value(arguments, 1).as_str()) else {
        return invalid(context, NAME);
    };
    // The threshold may be left out before the analyzer.
    let has_threshold = given(arguments, 2).is_some_and(Value::is_number);
    let threshold = if has_threshold { value(arguments, 2).to_f64() } else { DEFAULT_THRESHOLD };
    let analyzer =
        given(arguments, if has_threshold { 3 } else { 2 }).map_or(Some("identity"), Value::as_str);
    let (Some(analyzer), true) = (analyzer, (0.0..=1.0).contains(&threshold)) else {
        return invalid(context, NAME);
    };
    if analyzer != "identity" {
        context.warn(error_number::BAD_PARAMETER, unknown_analyzer(analyzer, NAME))?;
        return Ok(Value::Null);
    }
    Ok(Value::Bool(text == target || threshold == 0.0))
}

type Similarity = fn(&str, &str, usize, &Interrupt) -> Result<f32>;

fn compared(
    name: &str,
    arguments: &[Value],
    similarity: Similarity,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let size = value(arguments, 2).as_f64().filter(|size| *size >= 1.0).map(|size| size as usize);
    match (value(arguments, 0).as_str(), value(arguments, 1).as_str(), size) {
        (Some(input), Some(target), Some(size)) => {
            let mut scratch = Scratch::new(context.memory);
            scratch.grow((input.len() + 3 * target.len()) * size_of::<char>())?;
            let similarity = similarity(input, target, size, context.interrupt)?;
            Ok(Value::from_f64(f64::from(similarity)))
        }
        _ => invalid(context, name),
    }
}
