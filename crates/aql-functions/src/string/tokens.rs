//! `TOKENS()`.

use crate::argument::{Outcome, answer, check_round, given, invalid, stop, value};
use crate::memory::ArrayBuffer;
use analyzers::Analyzer;
use aql_value::{EvaluationContext, Result, Value, error_number};

/// Deepest nesting of arrays, that of any data.
const MAX_DEPTH: usize = 200;

const NAME: &str = "TOKENS";

/// `TOKENS(input, analyzer)`: the tokens of a text; for an array, an array of the results of its elements. An analyzer
/// that is not known makes a warning and null.
pub(crate) fn tokens(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(analyzer(arguments, 1, NAME, context).and_then(|analyzer| {
        let found = tokens_of(value(arguments, 0), analyzer, 0, context)?;
        found.map_or_else(|| stop(invalid(context, NAME)), Ok)
    }))
}

/// The analyzer that an argument names: `identity` if it is not given. Stops where there is none of that name.
pub(crate) fn analyzer(
    arguments: &[Value],
    index: usize,
    function: &str,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Analyzer> {
    let Some(name) = given(arguments, index) else { return Ok(Analyzer::Identity) };
    let Some(name) = name.as_str() else {
        return stop(invalid(context, function));
    };
    match analyzers::built_in(name) {
        Some(analyzer) => Ok(analyzer),
        None => {
            let message = format!(
                "failure to find arangosearch analyzer with name '{name}' while computing result for function \
                 '{function}'"
            );
            context.warn(error_number::BAD_PARAMETER, message)?;
            stop(Ok(Value::Null))
        }
    }
}

/// The tokens of one text.
pub(crate) fn tokens_of_text<'a>(
    text: &str,
    analyzer: Analyzer,
    context: &EvaluationContext<'a>,
) -> Result<ArrayBuffer<'a>> {
    let mut tokens = ArrayBuffer::new(context);
    let pause = || context.interrupt.check();
    analyzer.for_each_token(text, pause, |token| tokens.push(Value::from_str(token)))?;
    Ok(tokens)
}

/// `None` if there is anything but texts and arrays.
fn tokens_of(
    input: &Value,
    analyzer: Analyzer,
    depth: usize,
    context: &EvaluationContext<'_>,
) -> Result<Option<Value>> {
    if let Some(text) = input.as_str() {
        return tokens_of_text(text, analyzer, context)?.into_array().map(Some);
    }
    if !input.is_array() || depth >= MAX_DEPTH {
        return Ok(None);
    }
    let mut all = ArrayBuffer::new(context);
    for (round, element) in input.elements().enumerate() {
        check_round(context, round)?;
        match tokens_of(&element, analyzer, depth + 1, context)? {
            Some(tokens) => all.push(tokens)?,
            None => return Ok(None),
        }
    }
    all.into_array().map(Some)
}
