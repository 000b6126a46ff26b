//! `MINHASH_MATCH()` outside of SEARCH.

use crate::argument::{Outcome, answer, given, invalid, quoted, stop, value};
use crate::string::analyzer;
use aql_value::{EvaluationContext, Value};
use errors::{ErrorCode, Result};

const NAME: &str = "MINHASH_MATCH";

/// `MINHASH_MATCH(text, target, threshold, analyzer)`: true if the MinHash signatures of both texts
/// have at least the threshold in common.
///
/// A `minhash` Analyzer makes the signatures. No built-in Analyzer is of that type, so all are
/// refused: warning 10 and null.
pub(crate) fn minhash_match(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(matched(arguments, context))
}

fn matched(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    // The threshold may be left out before the Analyzer.
    let has_threshold = given(arguments, 3).is_some();
    let threshold = value(arguments, 2);
    let is_threshold = threshold.is_number() && (0.0..=1.0).contains(&threshold.to_f64());
    let are_texts = value(arguments, 0).as_str().is_some() && value(arguments, 1).as_str().is_some();
    if !are_texts || (has_threshold && !is_threshold) {
        return stop(invalid(context, NAME));
    }
    let position = if has_threshold { 3 } else { 2 };
    analyzer(arguments, position, NAME, context)?;
    let name = quoted(value(arguments, position).as_str().unwrap_or_default()).to_owned();
    let message = format!("analyzer '{name}' in call to function '{NAME}()' is not of type 'minhash'");
    stop(context.warn(ErrorCode::BadParameter, message).map(|()| Value::Null))
}
