//! `INTERLEAVE()`.

use crate::argument::{build_array, check_round, invalid};
use aql_value::{EvaluationContext, Result, Value};

/// `INTERLEAVE(array1, array2, ...)`: the first elements of all arrays, then the second ones, and so on.
pub(crate) fn interleave(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    if !arguments.iter().all(Value::is_array) {
        return invalid(context, "INTERLEAVE");
    }
    let mut iterators: Vec<_> = arguments.iter().map(Value::elements).collect();
    let mut interleaved = Vec::new();
    while !iterators.is_empty() {
        iterators.retain_mut(|elements| match elements.next() {
            Some(element) => {
                interleaved.push(element);
                true
            }
            None => false,
        });
        check_round(context, interleaved.len())?;
    }
    build_array(context, &interleaved)
}
