//! The time of the query, and the list of time zones.

use aql_date::{system_zone_name, zone_names};
use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::require_run_time;

/// `DATE_NOW()`: milliseconds since 1970-01-01 UTC; the same during one query.
pub(crate) fn date_now(_: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    require_run_time(context)?;
    Ok(Value::Int(context.state.statement_time_ms))
}

/// `DATE_TIMEZONE()`: the zone of the server.
pub(crate) fn date_timezone(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::from_str(&system_zone_name()))
}

/// `DATE_TIMEZONES()`: all zones, sorted.
pub(crate) fn date_timezones(_: &[Value], _: &mut EvaluationContext<'_>) -> Result<Value> {
    Ok(Value::array(&zone_names().into_iter().map(Value::from_str).collect::<Vec<_>>()))
}
