//! `RANGE()`.

use crate::argument::{MAX_ELEMENTS, build_array, given, integer, invalid, number, too_many_elements};
use aql_value::{EvaluationContext, Result, Value};

/// `RANGE(start, stop, step)`: both ends included. Without a step the bounds are cut to integers and the range goes
/// up or down by 1; a step must lead from `start` towards `stop`. More than ten million numbers end the query with
/// error 1504.
pub(crate) fn range(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let numbers = if given(arguments, 2).is_none() {
        integers(integer(arguments, 0), integer(arguments, 1))
    } else {
        let (start, stop, step) = (number(arguments, 0), number(arguments, 1), number(arguments, 2));
        if step == 0.0 || start < stop && step < 0.0 || start > stop && step > 0.0 {
            return invalid(context, "RANGE");
        }
        steps(start, stop, step)
    };
    match numbers {
        Some(numbers) => build_array(context, &numbers),
        None => Err(too_many_elements()),
    }
}

/// `None` if there are too many.
fn integers(start: i64, stop: i64) -> Option<Vec<Value>> {
    if start.abs_diff(stop) >= MAX_ELEMENTS as u64 {
        return None;
    }
    Some(if start <= stop {
        (start..=stop).map(Value::Int).collect()
    } else {
        (stop..=start).rev().map(Value::Int).collect()
    })
}

/// `None` if there are too many, also for a step too small to change the start.
fn steps(start: f64, stop: f64, step: f64) -> Option<Vec<Value>> {
    if ((stop - start) / step) >= MAX_ELEMENTS as f64 {
        return None;
    }
    let is_within = |number: &f64| if step > 0.0 { *number <= stop } else { *number >= stop };
    // Adding step by step, as ArangoDB does, and not multiplying, which rounds differently.
    let numbers = std::iter::successors(Some(start), |number| Some(number + step)).take_while(is_within);
    Some(numbers.take(MAX_ELEMENTS).map(Value::from_f64).collect())
}
