//! `DATE_TRUNC()` and `DATE_ROUND()`.

use aql_date::{Civil, Unit};
use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::argument::{invalid_date, iso_of_local, local_ms, moment, unit, zone};
use crate::argument::{Outcome, answer, invalid, stop, value};

/// `DATE_TRUNC(date, unit, timezone)`: the beginning of the unit that the date is in.
pub(crate) fn date_trunc(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(truncated(arguments, context))
}

/// `DATE_ROUND(date, amount, unit, timezone)`: the beginning of the bucket that the date is in.
///
/// Buckets of `amount` units follow each other from 1970-01-01 on.
pub(crate) fn date_round(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(rounded(arguments, context))
}

fn truncated(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    const NAME: &str = "DATE_TRUNC";
    let ms = moment(arguments, 0, NAME, context)?;
    let unit = unit(arguments, 1, NAME, context)?;
    let zone = zone(arguments, 2, NAME, context)?;
    let begin = unit.truncate(Civil::from_ms(local_ms(ms, zone.as_ref()))).and_then(Civil::to_ms);
    Ok(iso_of_local(begin, zone.as_ref(), NAME, context)?)
}

fn rounded(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    const NAME: &str = "DATE_ROUND";
    let ms = moment(arguments, 0, NAME, context)?;
    let Some(amount) = value(arguments, 1).as_f64() else {
        return stop(invalid(context, NAME));
    };
    let unit = unit(arguments, 2, NAME, context)?;
    let zone = zone(arguments, 3, NAME, context)?;
    if amount < 1.0 || amount.fract() != 0.0 || unit <= Unit::Week {
        return stop(invalid_date(context, NAME));
    }
    // Casts saturate; a bucket wider than all of AQL's time begins before it.
    let bucket_ms = (amount as i64).saturating_mul(unit.ms());
    let local = local_ms(ms, zone.as_ref());
    let begin = local.checked_sub(local.rem_euclid(bucket_ms));
    Ok(iso_of_local(begin, zone.as_ref(), NAME, context)?)
}
