//! Dates and times of Arrow as texts of ISO 8601.

use arrow_schema::TimeUnit;

const DAY_MS: i64 = 86_400_000;

/// Returns the milliseconds since 1970 of a moment, rounded down.
pub(crate) fn to_ms(value: i64, unit: TimeUnit) -> Option<i64> {
    match unit {
        TimeUnit::Second => value.checked_mul(1_000),
        TimeUnit::Millisecond => Some(value),
        TimeUnit::Microsecond => Some(value.div_euclid(1_000)),
        TimeUnit::Nanosecond => Some(value.div_euclid(1_000_000)),
    }
}

/// Returns a moment as `YYYY-MM-DDTHH:MM:SS.mmmZ`, if it is in the years 0 to 9999.
pub(crate) fn moment(ms: i64) -> Option<String> {
    aql_date::in_range(ms).then(|| aql_date::to_iso_utc(ms))
}

/// Returns a date as `YYYY-MM-DD`, if it is in the years 0 to 9999.
pub(crate) fn date(ms: i64) -> Option<String> {
    let mut text = moment(ms)?;
    text.truncate(text.find('T')?);
    Some(text)
}

/// Returns a time of day as `HH:MM:SS.mmm`.
pub(crate) fn time(ms: i64) -> Option<String> {
    if !(0..DAY_MS).contains(&ms) {
        return None;
    }
    let (seconds, ms) = (ms / 1_000, ms % 1_000);
    Some(format!("{:02}:{:02}:{:02}.{ms:03}", seconds / 3_600, seconds / 60 % 60, seconds % 60))
}

/// Returns the milliseconds since 1970 at the beginning of a day.
pub(crate) fn day_to_ms(day: i32) -> i64 {
    i64::from(day) * DAY_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_iso_8601() {
        let ms = to_ms(1_700_000_000_123_456, TimeUnit::Microsecond).unwrap();
        assert_eq!(moment(ms).unwrap(), "2023-11-14T22:13:20.123Z");
        assert_eq!(moment(to_ms(-1, TimeUnit::Nanosecond).unwrap()).unwrap(), "1969-12-31T23:59:59.999Z");
        assert_eq!(date(day_to_ms(19_675)).unwrap(), "2023-11-14");
        assert_eq!(time(80_000_123).unwrap(), "22:13:20.123");
        assert_eq!(to_ms(i64::MAX, TimeUnit::Second), None);
        assert_eq!((moment(i64::MAX), date(day_to_ms(i32::MAX)), time(DAY_MS)), (None, None, None));
    }
}
