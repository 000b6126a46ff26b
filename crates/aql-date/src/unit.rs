//! The units of time of AQL's date functions.

use crate::calendar::{Civil, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS};

/// A unit of time. The order is from large to small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// A year of the calendar.
    Year,
    /// A month of the calendar.
    Month,
    /// Seven days.
    Week,
    /// 24 hours.
    Day,
    /// 60 minutes.
    Hour,
    /// 60 seconds.
    Minute,
    /// 1,000 milliseconds.
    Second,
    /// The smallest unit.
    Millisecond,
}

/// The length of "milliseconds".
const LONGEST_NAME: usize = 12;

impl Unit {
    /// Returns the unit with this name: letter, singular or plural, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        Some(match name.to_ascii_lowercase().as_str() {
            "y" | "year" | "years" => Self::Year,
            "m" | "month" | "months" => Self::Month,
            "w" | "week" | "weeks" => Self::Week,
            "d" | "day" | "days" => Self::Day,
            "h" | "hour" | "hours" => Self::Hour,
            "i" | "minute" | "minutes" => Self::Minute,
            "s" | "second" | "seconds" => Self::Second,
            "f" | "millisecond" | "milliseconds" => Self::Millisecond,
            _ => return None,
        })
    }

    /// Returns the length in milliseconds.
    ///
    /// A year is 365.2425 days and a month a twelfth of it, as ArangoDB documents.
    pub fn ms(self) -> i64 {
        match self {
            Self::Year => 31_556_952_000,
            Self::Month => 2_629_746_000,
            Self::Week => 7 * DAY_MS,
            Self::Day => DAY_MS,
            Self::Hour => HOUR_MS,
            Self::Minute => MINUTE_MS,
            Self::Second => SECOND_MS,
            Self::Millisecond => 1,
        }
    }

    /// Returns the beginning of the unit that the date is in; `None` for weeks.
    pub fn truncate(self, date: Civil) -> Option<Civil> {
        let midnight = Civil { hour: 0, minute: 0, second: 0, millisecond: 0, ..date };
        Some(match self {
            Self::Year => Civil { month: 1, day: 1, ..midnight },
            Self::Month => Civil { day: 1, ..midnight },
            Self::Week => return None,
            Self::Day => midnight,
            Self::Hour => Civil { minute: 0, second: 0, millisecond: 0, ..date },
            Self::Minute => Civil { second: 0, millisecond: 0, ..date },
            Self::Second => Civil { millisecond: 0, ..date },
            Self::Millisecond => date,
        })
    }

    /// Returns the component of a date that this unit names; `None` for weeks.
    pub fn component(self, date: Civil) -> Option<i64> {
        Some(match self {
            Self::Year => date.year,
            Self::Month => date.month,
            Self::Week => return None,
            Self::Day => date.day,
            Self::Hour => date.hour,
            Self::Minute => date.minute,
            Self::Second => date.second,
            Self::Millisecond => date.millisecond,
        })
    }
}
