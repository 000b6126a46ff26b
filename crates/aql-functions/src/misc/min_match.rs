//! `MIN_MATCH()` outside of SEARCH.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::invalid;

/// `MIN_MATCH(expr1, ..., minMatchCount)`: true if at least this many of the expressions are true.
pub(crate) fn min_match(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    match arguments.split_last() {
        Some((fewest, expressions)) if fewest.is_number() && fewest.to_i64() >= 0 => {
            let matching = expressions.iter().filter(|expression| expression.is_truthy()).count();
            Ok(Value::Bool(matching as i64 >= fewest.to_i64()))
        }
        _ => invalid(context, "MIN_MATCH"),
    }
}
