//! Conversions from UTC to the clock of a zone and back.

use aql_date::{Civil, Zone, ZoneInfo, database_version, in_range, to_iso_utc};
use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::argument::{invalid_date, moment, zone};
use crate::argument::{Outcome, answer, flag, invalid, stop};

/// `DATE_UTCTOLOCAL(date, timezone, zoneinfo)`: the local time without an offset (with `Z` for
/// UTC), or an object with `zoneinfo`.
pub(crate) fn date_utctolocal(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(utc_to_local(arguments, context))
}

/// `DATE_LOCALTOUTC(date, timezone, zoneinfo)`
pub(crate) fn date_localtoutc(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(local_to_utc(arguments, context))
}

fn utc_to_local(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    const NAME: &str = "DATE_UTCTOLOCAL";
    let ms = moment(arguments, 0, NAME, context)?;
    let zone = required_zone(arguments, NAME, context)?;
    let local_ms = in_range_or_stop(zone.to_local_ms(ms), NAME, context)?;
    let local = if zone.is_utc() { to_iso_utc(local_ms) } else { Civil::from_ms(local_ms).to_iso_local() };
    Ok(result("local", &local, &zone, ms, flag(arguments, 2)))
}

fn local_to_utc(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    const NAME: &str = "DATE_LOCALTOUTC";
    let local_ms = moment(arguments, 0, NAME, context)?;
    let zone = required_zone(arguments, NAME, context)?;
    let ms = in_range_or_stop(zone.to_utc_ms(local_ms), NAME, context)?;
    Ok(result("utc", &to_iso_utc(ms), &zone, ms, flag(arguments, 2)))
}

fn required_zone(arguments: &[Value], name: &str, context: &mut EvaluationContext<'_>) -> Outcome<Zone> {
    match zone(arguments, 1, name, context)? {
        Some(zone) => Ok(zone),
        None => stop(invalid(context, name)),
    }
}

fn in_range_or_stop(ms: i64, name: &str, context: &mut EvaluationContext<'_>) -> Outcome<i64> {
    if in_range(ms) { Ok(ms) } else { stop(invalid_date(context, name)) }
}

/// Returns the text alone, or an object that describes the zone at that moment.
fn result(attribute: &str, text: &str, zone: &Zone, ms: i64, with_zone_info: bool) -> Value {
    let text = Value::from_str(text);
    if !with_zone_info {
        return text;
    }
    let zone_info = zone_info(&zone.info(ms));
    Value::object(&[
        (attribute, text),
        ("tzdb", Value::from_str(database_version())),
        ("zoneInfo", zone_info),
    ])
}

fn zone_info(info: &ZoneInfo) -> Value {
    let text_or_null = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from_str);
    Value::object(&[
        ("name", Value::from_str(&info.name)),
        ("begin", text_or_null(&info.begin)),
        ("end", text_or_null(&info.end)),
        ("dst", Value::Bool(info.dst)),
        ("offset", Value::Int(info.offset_seconds)),
    ])
}
