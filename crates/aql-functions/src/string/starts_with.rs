//! `STARTS_WITH()` outside of SEARCH.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, given, integer, invalid, value};

/// `STARTS_WITH(text, prefix)` or `STARTS_WITH(text, prefixes, minMatchCount)`: true if at least
/// `minMatchCount` (1 if not given) of the prefixes begin the text.
pub(crate) fn starts_with(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let prefixes = value(arguments, 1);
    let Some(text) = value(arguments, 0).as_str() else {
        return invalid(context, "STARTS_WITH");
    };
    if let Some(prefix) = prefixes.as_str() {
        return Ok(Value::Bool(text.starts_with(prefix)));
    }
    let fewest = given(arguments, 2).map_or(1, |_| integer(arguments, 2));
    if !prefixes.is_array() || fewest < 0 {
        return invalid(context, "STARTS_WITH");
    }
    let mut matching = 0;
    for (round, prefix) in prefixes.elements().enumerate() {
        check_round(context, round)?;
        match prefix.as_str() {
            Some(prefix) => matching += i64::from(text.starts_with(prefix)),
            None => return invalid(context, "STARTS_WITH"),
        }
    }
    Ok(Value::Bool(matching >= fewest))
}
