//! The proleptic Gregorian calendar over milliseconds since 1970-01-01T00:00:00.000.
//!
//! The conversions between days and dates are the era-based ones of Howard Hinnant's "chrono-compatible low-level
//! date algorithms" (public domain). Nothing here knows time zones: a count of milliseconds is UTC or local time as
//! its caller says.

/// First moment that AQL's dates reach: 0000-01-01T00:00:00.000Z.
pub(crate) const MIN_MS: i64 = -62_167_219_200_000;
/// Last moment that AQL's dates reach: 9999-12-31T23:59:59.999Z.
pub(crate) const MAX_MS: i64 = 253_402_300_799_999;

/// Milliseconds in a second.
pub(crate) const SECOND_MS: i64 = 1000;
/// Milliseconds in a minute.
pub(crate) const MINUTE_MS: i64 = 60 * SECOND_MS;
/// Milliseconds in an hour.
pub(crate) const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Milliseconds in a day.
pub(crate) const DAY_MS: i64 = 24 * HOUR_MS;

/// Largest absolute value of a component that is calculated with; beyond it a date is out of range anyway, and
/// below it no product of components overflows.
const MAX_COMPONENT: i64 = 1 << 40;

/// A date and a time of day. Components may exceed their usual ranges where they are built (`day: 32`); those read
/// from a count of milliseconds never do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// 1 to 12.
    pub(crate) month: i64,
    /// 1 to 31.
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    pub(crate) millisecond: i64,
}

impl Civil {
    /// The date and time of a count of milliseconds within about a million years of 1970.
    pub(crate) fn from_ms(ms: i64) -> Self {
        let days = ms.div_euclid(DAY_MS);
        let of_day = ms.rem_euclid(DAY_MS);
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Self {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * shifted_month + 2) / 5 + 1,
            hour: of_day / HOUR_MS,
            minute: of_day % HOUR_MS / MINUTE_MS,
            second: of_day % MINUTE_MS / SECOND_MS,
            millisecond: of_day % SECOND_MS,
        }
    }

    /// The count of milliseconds. Components beyond their usual ranges carry over: February 31st is March 2nd or
    /// 3rd, month 13 is January of the next year. `None` if the moment is outside of AQL's range.
    pub(crate) fn to_ms(self) -> Option<i64> {
        let Self { year, month, day, hour, minute, second, millisecond } = self;
        let components = [year, month, day, hour, minute, second, millisecond];
        if components.iter().any(|component| component.abs() > MAX_COMPONENT) {
            return None;
        }
        let months = year * 12 + (month - 1);
        let days = days_from_civil(months.div_euclid(12), months.rem_euclid(12) + 1, day);
        let ms = i128::from(days) * i128::from(DAY_MS)
            + i128::from(hour) * i128::from(HOUR_MS)
            + i128::from(minute) * i128::from(MINUTE_MS)
            + i128::from(second) * i128::from(SECOND_MS)
            + i128::from(millisecond);
        i64::try_from(ms).ok().filter(|ms| in_range(*ms))
    }

    /// 0 for Sunday to 6 for Saturday.
    pub(crate) fn day_of_week(self) -> i64 {
        // 1970-01-01 was a Thursday.
        (self.days() + 4).rem_euclid(7)
    }

    /// 1 to 366.
    pub(crate) fn day_of_year(self) -> i64 {
        self.days() - days_from_civil(self.year, 1, 1) + 1
    }

    /// The ISO 8601 week (1 to 53) and the year it belongs to. Weeks begin on Mondays; the first week of a year is
    /// the one with its first Thursday.
    pub(crate) fn iso_week(self) -> (i64, i64) {
        let day_from_monday = (self.day_of_week() + 6) % 7;
        // The year of the week's Thursday is the week's year.
        let thursday = Self::from_ms((self.days() - day_from_monday + 3) * DAY_MS);
        ((thursday.day_of_year() - 1) / 7 + 1, thursday.year)
    }

    /// 1 to 4.
    pub(crate) fn quarter(self) -> i64 {
        (self.month - 1) / 3 + 1
    }

    /// 28 to 31.
    pub(crate) fn days_in_month(self) -> i64 {
        match self.month {
            4 | 6 | 9 | 11 => 30,
            2 if is_leap_year(self.year) => 29,
            2 => 28,
            _ => 31,
        }
    }

    /// Days since 1970-01-01.
    fn days(self) -> i64 {
        days_from_civil(self.year, self.month, self.day)
    }

    /// `YYYY-MM-DDTHH:MM:SS.mmm`, without a zone.
    pub(crate) fn to_iso_local(self) -> String {
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}",
            self.year, self.month, self.day, self.hour, self.minute, self.second, self.millisecond
        )
    }
}

/// Whether AQL's dates reach this moment.
pub(crate) fn in_range(ms: i64) -> bool {
    (MIN_MS..=MAX_MS).contains(&ms)
}

/// Whether February of this year has 29 days.
pub(crate) fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// `YYYY-MM-DDTHH:MM:SS.mmmZ`.
pub(crate) fn to_iso_utc(ms: i64) -> String {
    let mut text = Civil::from_ms(ms).to_iso_local();
    text.push('Z');
    text
}

/// Days from 1970-01-01 to a date whose month is 1 to 12; days beyond the month's end count on.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // The calculation's years begin in March, so that the leap day is a year's last day.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn dates_and_milliseconds_convert_back(ms in MIN_MS..=MAX_MS) {
            let civil = Civil::from_ms(ms);
            prop_assert_eq!(civil.to_ms(), Some(ms));
            prop_assert!((1..=12).contains(&civil.month) && (1..=civil.days_in_month()).contains(&civil.day));
        }
    }
}
