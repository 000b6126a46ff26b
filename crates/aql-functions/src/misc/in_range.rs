//! `IN_RANGE()` outside of SEARCH.

use std::cmp::Ordering;

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{invalid, value};

/// `IN_RANGE(value, low, high, includeLow, includeHigh)`, by AQL's total order.
pub(crate) fn in_range(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let tested = value(arguments, 0);
    let (Some(include_low), Some(include_high)) =
        (value(arguments, 3).as_bool(), value(arguments, 4).as_bool())
    else {
        return invalid(context, "IN_RANGE");
    };
    let above_low = match tested.compare(value(arguments, 1)) {
        Ordering::Greater => true,
        Ordering::Equal => include_low,
        Ordering::Less => false,
    };
    let below_high = match tested.compare(value(arguments, 2)) {
        Ordering::Less => true,
        Ordering::Equal => include_high,
        Ordering::Greater => false,
    };
    Ok(Value::Bool(above_low && below_high))
}
