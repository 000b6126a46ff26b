//! `MINHASH_MATCH()` outside of SEARCH.

use std::collections::HashSet;

use aql_value::{EvaluationContext, Value};
use errors::{ErrorCode, Result};

use crate::argument::{Outcome, answer, given, invalid, quoted, stop, value};
use crate::string::{analyzer, tokens_of_text};

const NAME: &str = "MINHASH_MATCH";

/// `MINHASH_MATCH(text, target, threshold, analyzer)`: true if the MinHash signatures of both texts
/// have at least the threshold in common.
///
/// A `minhash` Analyzer makes the signatures. One of another type gives warning 10 and null.
pub(crate) fn minhash_match(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(matched(arguments, context))
}

fn matched(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    // The threshold may be omitted before the Analyzer.
    let has_threshold = given(arguments, 3).is_some();
    let threshold = value(arguments, 2);
    let is_threshold = threshold.is_number() && (0.0..=1.0).contains(&threshold.to_f64());
    let (Some(text), Some(target), true) =
        (value(arguments, 0).as_str(), value(arguments, 1).as_str(), !has_threshold || is_threshold)
    else {
        return stop(invalid(context, NAME));
    };
    let position = if has_threshold { 3 } else { 2 };
    let analyzer = analyzer(arguments, position, NAME, context)?;
    if analyzer.definition().kind_name() == "minhash" {
        let threshold = if has_threshold { threshold.to_f64() } else { 1.0 };
        let mut text = tokens_of_text(text, &analyzer, context)?;
        let mut target = tokens_of_text(target, &analyzer, context)?;
        let share = common_share(text.elements(), target.elements());
        return Ok(Value::Bool(share >= threshold));
    }
    let name = quoted(value(arguments, position).as_str().unwrap_or_default()).to_owned();
    let message = format!("analyzer '{name}' in call to function '{NAME}()' is not of type 'minhash'");
    stop(context.warn(ErrorCode::BadParameter, message).map(|()| Value::Null))
}

/// Returns the number of hashes that both signatures have, divided by the number of hashes of
/// both: the Jaccard index.
fn common_share(text: &[Value], target: &[Value]) -> f64 {
    let target: HashSet<_> = target.iter().filter_map(Value::as_str).collect();
    let common = text.iter().filter_map(Value::as_str).filter(|hash| target.contains(hash)).count();
    let all = text.len() + target.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}
