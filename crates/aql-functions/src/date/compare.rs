//! `DATE_COMPARE()`.

use aql_date::{Civil, Unit, Zone};
use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::argument::{invalid_date, local_ms, moment, unit, zone};
use crate::argument::{Outcome, answer, given, stop, value};

const NAME: &str = "DATE_COMPARE";

/// `DATE_COMPARE(date1, date2, unitRangeStart, unitRangeEnd, timezone1, timezone2)`: true if the
/// components from one unit to another are the same.
///
/// Without `timezone2` both dates are in `timezone1`. `unitRangeEnd` may be omitted before the
/// zones.
pub(crate) fn date_compare(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(compared(arguments, context))
}

const COMPONENTS: [Unit; 7] =
    [Unit::Year, Unit::Month, Unit::Day, Unit::Hour, Unit::Minute, Unit::Second, Unit::Millisecond];

fn compared(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    let left_ms = moment(arguments, 0, NAME, context)?;
    let right_ms = moment(arguments, 1, NAME, context)?;
    let start = unit(arguments, 2, NAME, context)?;
    let has_end = given(arguments, 3).is_some_and(|end| !is_zone(end));
    let end = if has_end { unit(arguments, 3, NAME, context)? } else { start };
    let first_zone = if value(arguments, 3).as_str().is_some() && !has_end { 3 } else { 4 };
    let left_zone = zone(arguments, first_zone, NAME, context)?;
    let right_zone = zone(arguments, first_zone + 1, NAME, context)?;
    if end < start || start == Unit::Week || end == Unit::Week {
        return stop(invalid_date(context, NAME));
    }
    let left = Civil::from_ms(local_ms(left_ms, left_zone.as_ref()));
    let right = Civil::from_ms(local_ms(right_ms, right_zone.as_ref().or(left_zone.as_ref())));
    let mut range = COMPONENTS.iter().filter(|unit| (start..=end).contains(unit));
    Ok(Value::Bool(range.all(|unit| unit.component(left) == unit.component(right))))
}

/// Returns true for the name of a time zone.
fn is_zone(argument: &Value) -> bool {
    argument.as_str().is_some_and(|name| Unit::parse(name).is_none() && Zone::find(name).is_some())
}
