//! `NGRAM_SIMILARITY()` and its siblings.

use aql_value::{EvaluationContext, Interrupt, Value};
use errors::{ErrorCode, Result};

use super::ngram_similarity::{common_share, positional_similarity, similarity};
use crate::argument::{Outcome, answer, given, invalid, stop, value, warned};
use crate::memory::Scratch;
use crate::string::{analyzer, tokens_of_text};

/// The default threshold of `NGRAM_MATCH()`.
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

/// `NGRAM_MATCH(text, target, threshold, analyzer)` outside of SEARCH: true if enough tokens of the
/// target occur in the text.
///
/// The longest sequence of the target's tokens that the text has in this order, divided by the
/// number of the target's tokens, must be at least the threshold.
pub(crate) fn ngram_match(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(matched(arguments, context))
}

fn matched(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    const NAME: &str = "NGRAM_MATCH";
    // The threshold may be omitted before the analyzer.
    let has_threshold = given(arguments, 2).is_some_and(Value::is_number);
    let threshold = if has_threshold { value(arguments, 2).to_f64() } else { DEFAULT_THRESHOLD };
    let (Some(text), Some(target), true) =
        (value(arguments, 0).as_str(), value(arguments, 1).as_str(), (0.0..=1.0).contains(&threshold))
    else {
        return stop(invalid(context, NAME));
    };
    let analyzer = analyzer(arguments, if has_threshold { 3 } else { 2 }, NAME, context)?;
    let mut text = tokens_of_text(text, &analyzer, context)?;
    let mut target = tokens_of_text(target, &analyzer, context)?;
    let similarity = common_share(text.elements(), target.elements(), context.interrupt)?;
    Ok(Value::Bool(f64::from(similarity) >= threshold))
}

type Similarity = fn(&str, &str, usize, &Interrupt) -> Result<f32>;

fn compared(
    name: &str,
    arguments: &[Value],
    similarity: Similarity,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let size = value(arguments, 2).as_f64();
    match (value(arguments, 0).as_str(), value(arguments, 1).as_str(), size) {
        (Some(_), Some(_), Some(size)) if size < 1.0 => {
            warned(context, name, ErrorCode::BadParameter, "the n-gram size must be at least 1")
        }
        (Some(input), Some(target), Some(size)) => {
            let size = size as usize;
            let mut scratch = Scratch::new(context.memory);
            scratch.grow((input.len() + 3 * target.len()) * size_of::<char>())?;
            let similarity = similarity(input, target, size, context.interrupt)?;
            Ok(Value::from_f64(f64::from(similarity)))
        }
        _ => invalid(context, name),
    }
}
