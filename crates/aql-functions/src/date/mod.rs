//! Date functions: over numbers (milliseconds since 1970-01-01 UTC) and ISO 8601 texts.
//!
//! A value that cannot be read as a date gives null with warning 1572, and so does a result outside
//! of the years 0 to 9999. An argument that is neither number nor text gives null with warning
//! 1542. An unknown time zone ends the query with error 1572. With a time zone, calculations run on
//! the clock of that zone.

mod argument;
mod check;
mod compare;
mod components;
mod convert;
mod difference;
mod local;
mod now;
mod round;
mod shift;

use aql_value::Function;

use crate::define::{per_query, pure};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("DATE_ADD", 2, 4, shift::date_add),
    pure("DATE_COMPARE", 3, 6, compare::date_compare),
    pure("DATE_DAY", 1, 2, components::date_day),
    pure("DATE_DAYOFWEEK", 1, 2, components::date_dayofweek),
    pure("DATE_DAYOFYEAR", 1, 2, components::date_dayofyear),
    pure("DATE_DAYS_IN_MONTH", 1, 2, components::date_days_in_month),
    pure("DATE_DIFF", 3, 6, difference::date_diff),
    pure("DATE_FORMAT", 2, 3, convert::date_format),
    pure("DATE_HOUR", 1, 2, components::date_hour),
    pure("DATE_ISO8601", 1, 7, convert::date_iso8601),
    pure("DATE_ISOWEEK", 1, 2, components::date_isoweek),
    pure("DATE_ISOWEEKYEAR", 1, 2, components::date_isoweekyear),
    pure("DATE_LEAPYEAR", 1, 2, components::date_leapyear),
    pure("DATE_LOCALTOUTC", 2, 3, local::date_localtoutc),
    pure("DATE_MILLISECOND", 1, 1, components::date_millisecond),
    pure("DATE_MINUTE", 1, 2, components::date_minute),
    pure("DATE_MONTH", 1, 2, components::date_month),
    per_query("DATE_NOW", 0, 0, now::date_now),
    pure("DATE_QUARTER", 1, 2, components::date_quarter),
    pure("DATE_ROUND", 3, 4, round::date_round),
    pure("DATE_SECOND", 1, 1, components::date_second),
    pure("DATE_SUBTRACT", 2, 4, shift::date_subtract),
    pure("DATE_TIMESTAMP", 1, 7, convert::date_timestamp),
    pure("DATE_TIMEZONE", 0, 0, now::date_timezone),
    pure("DATE_TIMEZONES", 0, 0, now::date_timezones),
    pure("DATE_TRUNC", 2, 3, round::date_trunc),
    pure("DATE_UTCTOLOCAL", 2, 3, local::date_utctolocal),
    pure("DATE_YEAR", 1, 2, components::date_year),
    pure("IS_DATESTRING", 1, 1, check::is_datestring),
];
