//! `TOKENS()` with the analyzer `identity`.

use crate::argument::{given, invalid, text, value};
use aql_value::{EvaluationContext, Result, Value, error_number};

/// Deepest nesting of arrays, that of any data.
const MAX_DEPTH: usize = 200;

/// `TOKENS(input, analyzer)`: the tokens of a text; for an array, an array of the results of its elements. The only
/// analyzer is `identity`, for which a text is one token; others are unknown (a warning, and null).
pub(crate) fn tokens(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let analyzer = text(arguments, 1);
    if given(arguments, 1).is_some() && analyzer != "identity" {
        context.warn(error_number::BAD_PARAMETER, unknown_analyzer(&analyzer, "TOKENS"))?;
        return Ok(Value::Null);
    }
    match identity(value(arguments, 0), 0) {
        Some(tokens) => Ok(tokens),
        None => invalid(context, "TOKENS"),
    }
}

/// What a function says that cannot find an analyzer.
pub(crate) fn unknown_analyzer(analyzer: &str, function: &str) -> String {
    format!(
        "failure to find arangosearch analyzer with name '{analyzer}' while computing result for function '{function}'"
    )
}

/// `None` if there is anything but texts and arrays.
fn identity(input: &Value, depth: usize) -> Option<Value> {
    if input.is_array() && depth < MAX_DEPTH {
        let tokens: Option<Vec<Value>> =
            input.elements().map(|element| identity(&element, depth + 1)).collect();
        return Some(Value::array(&tokens?));
    }
    input.is_string().then(|| Value::array(std::slice::from_ref(input)))
}
