//! AQL's dates: milliseconds since 1970-01-01 UTC, in the years 0 to 9999.
//!
//! [`Civil`] is the calendar over them, [`Zone`] the clock of a time zone. [`parse_date`] and
//! [`parse_duration`] read ISO 8601 texts. [`format_date`] fills the placeholders of
//! `DATE_FORMAT()`. [`add_units`] and [`add_duration`] calculate. AQL's functions and the maskings
//! of dumps both use them.

mod calendar;
mod format;
mod parse;
mod unit;
mod zone;
mod arithmetic;

pub use arithmetic::{add_duration, add_units};
pub use calendar::{Civil, MAX_MS, MIN_MS, in_range, is_leap_year, to_iso_utc};
pub use format::{format_date, try_format_date};
pub use parse::{Duration, ParsedDate, parse_date, parse_duration};
pub use unit::Unit;
pub use zone::{Zone, ZoneInfo, database_version, system_zone_name, zone_names};
