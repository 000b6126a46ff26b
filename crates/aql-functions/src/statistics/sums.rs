//! Sum, product and mean.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::of_numbers;

/// `AVERAGE(numArray)`: null without any number.
pub(crate) fn average(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    // 0 / 0 is NaN, hence null.
    of_numbers("AVERAGE", arguments, |numbers| numbers.iter().sum::<f64>() / numbers.len() as f64, context)
}

/// `PRODUCT(numArray)`: 1 without any number.
pub(crate) fn product(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    of_numbers("PRODUCT", arguments, |numbers| numbers.iter().product(), context)
}

/// `SUM(numArray)`: 0 without any number.
pub(crate) fn sum(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    // The sum of no floating-point numbers is -0; adding 0 makes it 0.
    of_numbers("SUM", arguments, |numbers| numbers.iter().sum::<f64>() + 0.0, context)
}
