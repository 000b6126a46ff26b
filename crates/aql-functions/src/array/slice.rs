//! `SLICE()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{array_expected, check_round, given, integer, value};
use crate::memory::ArrayBuffer;

/// `SLICE(anyArray, start, length)`: a negative start counts from the end.
///
/// A negative length omits that many elements at the end.
pub(crate) fn slice(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let array = value(arguments, 0);
    if !array.is_array() {
        return array_expected(context, "SLICE");
    }
    let count = array.len() as i64;
    let from_either_end =
        |position: i64| if position < 0 { position.saturating_add(count).max(0) } else { position };
    let start = from_either_end(integer(arguments, 1));
    let end = match given(arguments, 2).map(|_| integer(arguments, 2)) {
        None => count,
        Some(length) if length < 0 => from_either_end(length),
        Some(length) => start.saturating_add(length),
    };
    let skipped = usize::try_from(start).unwrap_or(usize::MAX);
    let taken = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
    let mut kept = ArrayBuffer::new(context);
    let end = skipped.saturating_add(taken);
    for (round, element) in array.elements().enumerate() {
        check_round(context, round)?;
        if round >= end {
            break;
        }
        if round >= skipped {
            kept.push(element)?;
        }
    }
    kept.into_array()
}
