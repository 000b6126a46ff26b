//! Arguments of date functions.

use aql_date::{Civil, ParsedDate, Unit, Zone, in_range, parse_date, to_iso_utc};
use aql_value::{EvaluationContext, Value};
use errors::{Error, ErrorCode, Result};

use crate::argument::{Outcome, invalid, quoted, stop, value, warned};

/// Returns null with warning 1572.
pub(super) fn invalid_date(context: &mut EvaluationContext<'_>, name: &str) -> Result<Value> {
    warned(context, name, ErrorCode::QueryInvalidDateValue, "invalid date value")
}

/// Returns the moment that an argument names, in milliseconds since 1970-01-01 UTC.
pub(super) fn moment(
    arguments: &[Value],
    index: usize,
    name: &str,
    context: &mut EvaluationContext<'_>,
) -> Outcome<i64> {
    let date = value(arguments, index);
    let ms = if date.is_number() {
        Some(date.to_i64()).filter(|ms| in_range(*ms))
    } else if let Some(text) = date.as_str() {
        parse_date(text).and_then(ParsedDate::to_ms)
    } else {
        return stop(invalid(context, name));
    };
    match ms {
        Some(ms) => Ok(ms),
        None => stop(invalid_date(context, name)),
    }
}

/// Returns the zone that an argument names; `None` if it is not given.
pub(super) fn zone(
    arguments: &[Value],
    index: usize,
    name: &str,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Option<Zone>> {
    let Some(zone) = arguments.get(index) else { return Ok(None) };
    let Some(zone_name) = zone.as_str() else {
        return stop(invalid(context, name));
    };
    match Zone::find(zone_name) {
        Some(zone) => Ok(Some(zone)),
        None => {
            let message = format!(
                "in function '{name}()': invalid date value: unknown time zone '{}'",
                quoted(zone_name)
            );
            Err(Error::new(ErrorCode::QueryInvalidDateValue, message).into())
        }
    }
}

/// Returns the unit that an argument names.
pub(super) fn unit(
    arguments: &[Value],
    index: usize,
    name: &str,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Unit> {
    let Some(unit_name) = value(arguments, index).as_str() else {
        return stop(invalid(context, name));
    };
    match Unit::parse(unit_name) {
        Some(unit) => Ok(unit),
        None => stop(invalid_date(context, name)),
    }
}

/// Returns a moment on the clock of a zone (of UTC without one), in milliseconds.
pub(super) fn local_ms(ms: i64, zone: Option<&Zone>) -> i64 {
    zone.map_or(ms, |zone| zone.to_local_ms(ms))
}

/// Returns the first argument as a date on the clock of the zone that the second names.
pub(super) fn local_date(
    arguments: &[Value],
    name: &str,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Civil> {
    let ms = moment(arguments, 0, name, context)?;
    let zone = zone(arguments, 1, name, context)?;
    Ok(Civil::from_ms(local_ms(ms, zone.as_ref())))
}

/// Returns the ISO text, in UTC, of a moment on the clock of a zone.
///
/// The result is null with warning 1572 if the moment is out of range.
pub(super) fn iso_of_local(
    local_ms: Option<i64>,
    zone: Option<&Zone>,
    name: &str,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let ms = local_ms.map(|ms| zone.map_or(ms, |zone| zone.to_utc_ms(ms))).filter(|ms| in_range(*ms));
    match ms {
        Some(ms) => Ok(Value::from_str(&to_iso_utc(ms))),
        None => invalid_date(context, name),
    }
}
