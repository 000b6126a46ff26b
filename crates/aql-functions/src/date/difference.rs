//! `DATE_DIFF()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::argument::{local_ms, moment, unit, zone};
use crate::argument::{Outcome, answer, flag, value};

const NAME: &str = "DATE_DIFF";

/// `DATE_DIFF(date1, date2, unit, asFloat, timezone1, timezone2)`: the difference of the clocks.
///
/// It is rounded to an integer unless `asFloat` is true. `asFloat` may be omitted before the
/// zones. Without `timezone2` both dates are in `timezone1`.
pub(crate) fn date_diff(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(difference(arguments, context))
}

fn difference(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    let left_ms = moment(arguments, 0, NAME, context)?;
    let right_ms = moment(arguments, 1, NAME, context)?;
    let unit = unit(arguments, 2, NAME, context)?;
    let has_float_flag = !value(arguments, 3).is_string();
    let first_zone = if has_float_flag { 4 } else { 3 };
    let left_zone = zone(arguments, first_zone, NAME, context)?;
    let right_zone = zone(arguments, first_zone + 1, NAME, context)?;
    let left_ms = local_ms(left_ms, left_zone.as_ref());
    let right_ms = local_ms(right_ms, right_zone.as_ref().or(left_zone.as_ref()));
    let difference = (right_ms - left_ms) as f64 / unit.ms() as f64;
    Ok(if has_float_flag && flag(arguments, 3) {
        Value::from_f64(difference)
    } else {
        Value::Int(difference.round() as i64)
    })
}
