//! Components of a date, on the clock of UTC or of a zone.

use aql_date::{Civil, is_leap_year};
use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::argument::local_date;
use crate::argument::answer;

/// `DATE_YEAR(date, timezone)`
pub(crate) fn date_year(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_YEAR", arguments, |date| Value::Int(date.year), context)
}

/// `DATE_MONTH(date, timezone)`
pub(crate) fn date_month(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_MONTH", arguments, |date| Value::Int(date.month), context)
}

/// `DATE_DAY(date, timezone)`
pub(crate) fn date_day(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_DAY", arguments, |date| Value::Int(date.day), context)
}

/// `DATE_HOUR(date, timezone)`
pub(crate) fn date_hour(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_HOUR", arguments, |date| Value::Int(date.hour), context)
}

/// `DATE_MINUTE(date, timezone)`
pub(crate) fn date_minute(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_MINUTE", arguments, |date| Value::Int(date.minute), context)
}

/// `DATE_SECOND(date)`
pub(crate) fn date_second(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_SECOND", arguments, |date| Value::Int(date.second), context)
}

/// `DATE_MILLISECOND(date)`
pub(crate) fn date_millisecond(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_MILLISECOND", arguments, |date| Value::Int(date.millisecond), context)
}

/// `DATE_DAYOFWEEK(date, timezone)`: 0 for Sunday.
pub(crate) fn date_dayofweek(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_DAYOFWEEK", arguments, |date| Value::Int(date.day_of_week()), context)
}

/// `DATE_DAYOFYEAR(date, timezone)`
pub(crate) fn date_dayofyear(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_DAYOFYEAR", arguments, |date| Value::Int(date.day_of_year()), context)
}

/// `DATE_ISOWEEK(date, timezone)`
pub(crate) fn date_isoweek(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_ISOWEEK", arguments, |date| Value::Int(date.iso_week().0), context)
}

/// `DATE_ISOWEEKYEAR(date, timezone)`: `{week, year}`.
pub(crate) fn date_isoweekyear(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let week_and_year = |date: Civil| {
        let (week, year) = date.iso_week();
        Value::object(&[("week", Value::Int(week)), ("year", Value::Int(year))])
    };
    component("DATE_ISOWEEKYEAR", arguments, week_and_year, context)
}

/// `DATE_LEAPYEAR(date, timezone)`
pub(crate) fn date_leapyear(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_LEAPYEAR", arguments, |date| Value::Bool(is_leap_year(date.year)), context)
}

/// `DATE_QUARTER(date, timezone)`
pub(crate) fn date_quarter(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_QUARTER", arguments, |date| Value::Int(date.quarter()), context)
}

/// `DATE_DAYS_IN_MONTH(date, timezone)`
pub(crate) fn date_days_in_month(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    component("DATE_DAYS_IN_MONTH", arguments, |date| Value::Int(date.days_in_month()), context)
}

fn component(
    name: &str,
    arguments: &[Value],
    of: impl Fn(Civil) -> Value,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    answer(local_date(arguments, name, context).map(of))
}
