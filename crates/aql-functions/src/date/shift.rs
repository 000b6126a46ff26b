//! `DATE_ADD()` and `DATE_SUBTRACT()`.

use aql_date::{add_duration, add_units, in_range, parse_duration};
use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::argument::{invalid_date, iso_of_local, local_ms, moment, unit, zone};
use crate::argument::{Outcome, answer, invalid, number, stop, value};

/// `DATE_ADD(date, amount, unit, timezone)` or `DATE_ADD(date, isoDuration, timezone)`
pub(crate) fn date_add(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(shifted("DATE_ADD", arguments, 1, context))
}

/// `DATE_SUBTRACT(date, amount, unit, timezone)` or `DATE_SUBTRACT(date, isoDuration, timezone)`
pub(crate) fn date_subtract(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(shifted("DATE_SUBTRACT", arguments, -1, context))
}

fn shifted(
    name: &str,
    arguments: &[Value],
    sign: i64,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Value> {
    let ms = moment(arguments, 0, name, context)?;
    let amount = value(arguments, 1);
    let duration = amount.as_str().and_then(parse_duration);
    let (sum, zone) = if let Some(duration) = duration {
        let zone = zone(arguments, 2, name, context)?;
        (add_duration(local_ms(ms, zone.as_ref()), duration, sign), zone)
    } else if arguments.len() == 2 {
        // The argument should be a duration and is not.
        return stop(if amount.is_string() { invalid_date(context, name) } else { invalid(context, name) });
    } else {
        let is_number_text = |text: &str| text.trim().parse::<f64>().is_ok();
        if !amount.is_number() && !amount.as_str().is_some_and(is_number_text) {
            return stop(invalid(context, name));
        }
        let unit = unit(arguments, 2, name, context)?;
        let zone = zone(arguments, 3, name, context)?;
        (add_units(local_ms(ms, zone.as_ref()), number(arguments, 1) * sign as f64, unit), zone)
    };
    Ok(iso_of_local(sum.filter(|ms| in_range(*ms)), zone.as_ref(), name, context)?)
}
