//! Conversions between the forms of a date.

use aql_date::{Civil, format_date, to_iso_utc, try_format_date};
use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::argument::{invalid_date, local_ms, moment, zone};
use crate::argument::{Outcome, answer, check_round, integer, invalid, stop, value};
use crate::memory::TextBuffer;

/// `DATE_ISO8601(date)` or `DATE_ISO8601(year, month, day, hour, minute, second, millisecond)`
pub(crate) fn date_iso8601(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let ms = moment_of_all("DATE_ISO8601", arguments, context);
    answer(ms.map(|ms| Value::from_str(&to_iso_utc(ms))))
}

/// `DATE_TIMESTAMP(date)` or `DATE_TIMESTAMP(year, month, day, hour, minute, second, millisecond)`
pub(crate) fn date_timestamp(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(moment_of_all("DATE_TIMESTAMP", arguments, context).map(Value::Int))
}

/// The longest format that is filled in one step.
const SHORT_FORMAT_BYTES: usize = 256;

/// `DATE_FORMAT(date, format, timezone)`
pub(crate) fn date_format(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(formatted(arguments, context))
}

fn formatted(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    const NAME: &str = "DATE_FORMAT";
    let ms = moment(arguments, 0, NAME, context)?;
    let Some(format) = value(arguments, 1).as_str() else {
        return stop(invalid(context, NAME));
    };
    let zone = zone(arguments, 2, NAME, context)?;
    let local = Civil::from_ms(local_ms(ms, zone.as_ref()));
    if format.len() <= SHORT_FORMAT_BYTES {
        return Ok(Value::from_str(&format_date(format, local, ms)));
    }
    let (mut formatted, mut round) = (TextBuffer::new(context), 0);
    try_format_date(format, local, ms, |piece| {
        round += 1;
        check_round(context, round)?;
        formatted.push_str(piece)
    })?;
    Ok(formatted.into_value()?)
}

/// Returns the moment that one argument names, or that all arguments name by its components.
fn moment_of_all(name: &str, arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<i64> {
    if arguments.len() == 1 {
        return moment(arguments, 0, name, context);
    }
    let is_component = |argument: &Value| argument.is_number() || argument.is_string();
    if arguments.len() < 3 || !arguments.iter().all(is_component) {
        return stop(invalid(context, name));
    }
    let civil = Civil {
        year: integer(arguments, 0),
        month: integer(arguments, 1),
        day: integer(arguments, 2),
        hour: integer(arguments, 3),
        minute: integer(arguments, 4),
        second: integer(arguments, 5),
        millisecond: integer(arguments, 6),
    };
    let has_negative = (0..arguments.len()).any(|index| integer(arguments, index) < 0);
    match civil.to_ms().filter(|_| !has_negative) {
        Some(ms) => Ok(ms),
        None => stop(invalid_date(context, name)),
    }
}
