//! `RANGE()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{given, integer, invalid, number};
use crate::memory::{ArrayBuffer, MAX_ELEMENTS, too_many_elements};

/// `RANGE(start, stop, step)`: both ends included.
///
/// Without a step, the bounds are truncated to integers and the range goes up or down by 1. A step
/// must lead from `start` towards `stop`. More than ten million numbers end the query with error
/// 1504.
pub(crate) fn range(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    if given(arguments, 2).is_none() {
        return integers(integer(arguments, 0), integer(arguments, 1), context);
    }
    let (start, stop, step) = (number(arguments, 0), number(arguments, 1), number(arguments, 2));
    if step == 0.0 || start < stop && step < 0.0 || start > stop && step > 0.0 {
        return invalid(context, "RANGE");
    }
    steps(start, stop, step, context)
}

fn integers(start: i64, stop: i64, context: &EvaluationContext<'_>) -> Result<Value> {
    if start.abs_diff(stop) >= MAX_ELEMENTS as u64 {
        return Err(too_many_elements());
    }
    let numbers = if start <= stop {
        ArrayBuffer::collect(context, (start..=stop).map(Value::Int))
    } else {
        ArrayBuffer::collect(context, (stop..=start).rev().map(Value::Int))
    };
    numbers?.into_array()
}

/// Returns the numbers of a range.
///
/// A step too small to change the start counts as too many numbers.
fn steps(start: f64, stop: f64, step: f64, context: &EvaluationContext<'_>) -> Result<Value> {
    if (stop - start) / step >= MAX_ELEMENTS as f64 {
        return Err(too_many_elements());
    }
    let is_within = |number: &f64| if step > 0.0 { *number <= stop } else { *number >= stop };
    // ArangoDB adds step by step; a multiplication would round differently.
    let numbers = std::iter::successors(Some(start), |number| Some(number + step)).take_while(is_within);
    ArrayBuffer::collect(context, numbers.take(MAX_ELEMENTS).map(Value::from_f64))?.into_array()
}
