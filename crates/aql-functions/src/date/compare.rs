//! `DATE_COMPARE()`.

use super::argument::{invalid_date, local_ms, moment, unit, zone};
use crate::argument::{Outcome, answer, given, stop};
use aql_date::{Civil, Unit};
use aql_value::{EvaluationContext, Value};
use errors::Result;

const NAME: &str = "DATE_COMPARE";

/// `DATE_COMPARE(date1, date2, unitRangeStart, unitRangeEnd, timezone1, timezone2)`: true if the
/// components from one unit to another are the same.
///
/// Without `timezone2` both dates are in `timezone1`.
pub(crate) fn date_compare(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(compared(arguments, context))
}

const COMPONENTS: [Unit; 7] =
    [Unit::Year, Unit::Month, Unit::Day, Unit::Hour, Unit::Minute, Unit::Second, Unit::Millisecond];

fn compared(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    let left_ms = moment(arguments, 0, NAME, context)?;
    let right_ms = moment(arguments, 1, NAME, context)?;
    let start = unit(arguments, 2, NAME, context)?;
    let end = if given(arguments, 3).is_some() { unit(arguments, 3, NAME, context)? } else { start };
    let left_zone = zone(arguments, 4, NAME, context)?;
    let right_zone = zone(arguments, 5, NAME, context)?;
    if end < start || start == Unit::Week || end == Unit::Week {
        return stop(invalid_date(context, NAME));
    }
    let left = Civil::from_ms(local_ms(left_ms, left_zone.as_ref()));
    let right = Civil::from_ms(local_ms(right_ms, right_zone.as_ref().or(left_zone.as_ref())));
    let mut range = COMPONENTS.iter().filter(|unit| (start..=end).contains(unit));
    Ok(Value::Bool(range.all(|unit| unit.component(left) == unit.component(right))))
}
