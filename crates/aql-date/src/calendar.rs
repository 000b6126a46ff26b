//! The proleptic Gregorian calendar over milliseconds since 1970-01-01T00:00:00.000.
//!
//! The calendar is jiff's. Local times reach beyond its last year, but the calendar repeats after
//! each cycle of 400 years. Nothing here knows time zones: the caller decides if a count of
//! milliseconds is UTC or local time.

use jiff::Timestamp;
use jiff::civil;
use jiff::tz::Offset;

/// The first moment of AQL's dates: 0000-01-01T00:00:00.000Z.
pub const MIN_MS: i64 = -62_167_219_200_000;
/// The last moment of AQL's dates: 9999-12-31T23:59:59.999Z.
pub const MAX_MS: i64 = 253_402_300_799_999;

/// Milliseconds in a second.
pub(crate) const SECOND_MS: i64 = 1000;
/// Milliseconds in a minute.
pub(crate) const MINUTE_MS: i64 = 60 * SECOND_MS;
/// Milliseconds in an hour.
pub(crate) const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Milliseconds in a day.
pub(crate) const DAY_MS: i64 = 24 * HOUR_MS;

/// The years of a cycle, after which weekdays and leap days repeat.
const CYCLE_YEARS: i64 = 400;
/// The days of a cycle.
const CYCLE_DAYS: i64 = 146_097;
/// The first year of the cycle in which jiff computes for all others.
const BASE_YEAR: i64 = 2000;

/// The maximum absolute value of a component.
///
/// A date with a larger one is out of range anyway. Below it, no product of components overflows.
const MAX_COMPONENT: i64 = 1 << 40;

/// A date and a time of day.
///
/// Callers may build it with components beyond their usual ranges (`day: 32`). The components of a
/// count of milliseconds are always within them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Civil {
    /// The year.
    pub year: i64,
    /// The month, 1 to 12.
    pub month: i64,
    /// The day of the month, 1 to 31.
    pub day: i64,
    /// The hour, 0 to 23.
    pub hour: i64,
    /// The minute, 0 to 59.
    pub minute: i64,
    /// The second, 0 to 59.
    pub second: i64,
    /// The millisecond, 0 to 999.
    pub millisecond: i64,
}

impl Civil {
    /// Returns the date and time of a count of milliseconds.
    pub fn from_ms(ms: i64) -> Self {
        let cycle_ms = CYCLE_DAYS * DAY_MS;
        let moment = Timestamp::from_millisecond(ms.rem_euclid(cycle_ms)).unwrap_or_default();
        let found = Offset::UTC.to_datetime(moment);
        Self {
            year: i64::from(found.year()) + ms.div_euclid(cycle_ms) * CYCLE_YEARS,
            month: i64::from(found.month()),
            day: i64::from(found.day()),
            hour: i64::from(found.hour()),
            minute: i64::from(found.minute()),
            second: i64::from(found.second()),
            millisecond: i64::from(found.millisecond()),
        }
    }

    /// Returns the count of milliseconds; `None` if the moment is outside of AQL's range.
    ///
    /// Components beyond their usual ranges carry over: February 31st is March 2nd or 3rd, month 13
    /// is January of the next year.
    pub fn to_ms(self) -> Option<i64> {
        let Self { year, month, day, hour, minute, second, millisecond } = self;
        let components = [year, month, day, hour, minute, second, millisecond];
        if components.iter().any(|component| component.abs() > MAX_COMPONENT) {
            return None;
        }
        let months = year * 12 + (month - 1);
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        let days = Self { year, month, day: 1, ..self }.days() + day - 1;
        let ms = i128::from(days) * i128::from(DAY_MS)
            + i128::from(hour) * i128::from(HOUR_MS)
            + i128::from(minute) * i128::from(MINUTE_MS)
            + i128::from(second) * i128::from(SECOND_MS)
            + i128::from(millisecond);
        i64::try_from(ms).ok().filter(|ms| in_range(*ms))
    }

    /// Returns the day of the week, 0 for Sunday to 6 for Saturday.
    pub fn day_of_week(self) -> i64 {
        i64::from(self.in_base_cycle().weekday().to_sunday_zero_offset())
    }

    /// Returns the day of the year, 1 to 366.
    pub fn day_of_year(self) -> i64 {
        i64::from(self.in_base_cycle().day_of_year())
    }

    /// Returns the ISO 8601 week (1 to 53) and the year it belongs to.
    ///
    /// Weeks begin on Mondays; the first week of a year is the one with its first Thursday.
    pub fn iso_week(self) -> (i64, i64) {
        let date = self.in_base_cycle();
        let week = date.iso_week_date();
        (i64::from(week.week()), self.year + i64::from(week.year() - date.year()))
    }

    /// Returns the quarter, 1 to 4.
    pub fn quarter(self) -> i64 {
        (self.month - 1) / 3 + 1
    }

    /// Returns the number of days in the month, 28 to 31.
    pub fn days_in_month(self) -> i64 {
        i64::from(self.in_base_cycle().days_in_month())
    }

    /// Returns the days since 1970-01-01.
    fn days(self) -> i64 {
        let date = self.in_base_cycle();
        let midnight = Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).unwrap_or_default();
        let cycles = (self.year - i64::from(date.year())) / CYCLE_YEARS;
        midnight.as_millisecond() / DAY_MS + cycles * CYCLE_DAYS
    }

    /// Returns the date at the same place of jiff's cycle. The components must be in their usual
    /// ranges.
    fn in_base_cycle(self) -> civil::Date {
        let year = BASE_YEAR + self.year.rem_euclid(CYCLE_YEARS);
        civil::Date::new(year as i16, self.month as i8, self.day as i8).unwrap_or_default()
    }

    /// Returns `YYYY-MM-DDTHH:MM:SS.mmm`, without a zone.
    pub fn to_iso_local(self) -> String {
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}",
            self.year, self.month, self.day, self.hour, self.minute, self.second, self.millisecond
        )
    }
}

/// Returns true if the moment is within AQL's range.
pub fn in_range(ms: i64) -> bool {
    (MIN_MS..=MAX_MS).contains(&ms)
}

/// Returns true if February of this year has 29 days.
pub fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns `YYYY-MM-DDTHH:MM:SS.mmmZ`.
pub fn to_iso_utc(ms: i64) -> String {
    let mut text = Civil::from_ms(ms).to_iso_local();
    text.push('Z');
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn limits_are_the_documented_ones() {
        assert_eq!(to_iso_utc(MIN_MS), "0000-01-01T00:00:00.000Z");
        assert_eq!(to_iso_utc(MAX_MS), "9999-12-31T23:59:59.999Z");
        assert_eq!(to_iso_utc(0), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn excess_carries_over() {
        let date = Civil { year: 2016, month: 2, day: 32, ..Civil::default() };
        assert_eq!(date.to_ms(), Some(1_456_963_200_000));
        assert_eq!(Civil { year: 10_000, month: 1, day: 1, ..Civil::default() }.to_ms(), None);
        assert_eq!(Civil { year: i64::MAX, month: i64::MIN, day: 1, ..Civil::default() }.to_ms(), None);
    }

    #[test]
    fn iso_weeks_at_the_turn_of_the_year() {
        let week = |year, month, day| Civil { year, month, day, ..Civil::default() }.iso_week();
        assert_eq!(week(2023, 1, 1), (52, 2022));
        assert_eq!(week(2019, 12, 30), (1, 2020));
        assert_eq!(week(2020, 12, 31), (53, 2020));
        assert_eq!(week(2021, 1, 3), (53, 2020));
        assert_eq!(week(2021, 1, 4), (1, 2021));
    }

    #[test]
    fn local_times_reach_beyond_the_last_year() {
        let late = Civil::from_ms(MAX_MS + HOUR_MS);
        assert_eq!(late.to_iso_local(), "10000-01-01T00:59:59.999");
        assert_eq!((late.day_of_week(), late.day_of_year(), late.iso_week()), (6, 1, (52, 9999)));
        let early = Civil::from_ms(MIN_MS - HOUR_MS);
        assert_eq!((early.year, early.month, early.day, early.hour), (-1, 12, 31, 23));
        assert_eq!((early.day_of_week(), early.day_of_year(), early.iso_week()), (5, 365, (52, -1)));
    }

    proptest! {
        #[test]
        fn dates_and_milliseconds_convert_back(ms in MIN_MS..=MAX_MS) {
            let civil = Civil::from_ms(ms);
            prop_assert_eq!(civil.to_ms(), Some(ms));
            prop_assert!((1..=12).contains(&civil.month) && (1..=civil.days_in_month()).contains(&civil.day));
        }
    }
}
