//! The functions of AQL.
//!
//! One folder a family, one file a function or a tight group. A family's `mod.rs` lists its functions; [`lookup`] and
//! [`all`] see nothing but these lists, so a function is added by writing it and listing it.
//!
//! Conventions, which follow ArangoDB 3.12:
//! - An argument of a wrong type makes the result null and registers warning 1542 (1563 where an array was expected,
//!   1572 for dates, 1543 for regular expressions); only few functions end the query by an error.
//! - Texts are counted and cut by Unicode code points. Arguments of string functions are cast to strings, those of
//!   numeric functions to numbers; a result that is not a finite number is null.
//! - What an argument could make large is bounded by a constant and drawn from the query's memory account.

mod argument;
mod array;
mod bit;
mod date;
mod define;
mod document;
mod fulltext;
mod geo;
mod hashing;
mod memory;
mod misc;
mod numeric;
mod search;
mod similarity;
mod statistics;
mod string;
mod type_cast;
mod type_check;

use aql_value::Function;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The families' lists, in the order of ArangoDB's documentation.
static FAMILIES: &[&[Function]] = &[
    array::FUNCTIONS,
    bit::FUNCTIONS,
    date::FUNCTIONS,
    document::FUNCTIONS,
    fulltext::FUNCTIONS,
    geo::FUNCTIONS,
    hashing::FUNCTIONS,
    misc::FUNCTIONS,
    numeric::FUNCTIONS,
    search::FUNCTIONS,
    similarity::FUNCTIONS,
    statistics::FUNCTIONS,
    string::FUNCTIONS,
    type_cast::FUNCTIONS,
    type_check::FUNCTIONS,
];

/// Longest name of a function, so that looking up a hostile name costs nothing.
const MAX_NAME_BYTES: usize = 64;

static BY_NAME: LazyLock<HashMap<&'static str, &'static Function>> =
    LazyLock::new(|| all().map(|function| (function.name, function)).collect());

/// The function with this name, written in any case. Aliases are functions of their own.
pub fn lookup(name: &str) -> Option<&'static Function> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    BY_NAME.get(name.to_ascii_uppercase().as_str()).copied()
}

/// Whether the text is an ISO 8601 duration, as functions of dates take them.
pub fn is_duration(text: &str) -> bool {
    date::parse_duration(text).is_some()
}

/// Adds an ISO 8601 duration to a date in milliseconds since 1970-01-01 UTC, or subtracts it if `sign` is -1. `None` if
/// the text is no duration, or if the result is no date of AQL.
pub fn shift_date(ms: i64, duration: &str, sign: i64) -> Option<i64> {
    date::add_duration(ms, date::parse_duration(duration)?, sign)
}

/// The moment that a date in ISO 8601 form names, in milliseconds since 1970-01-01 UTC, as `DATE_TIMESTAMP()` reads it.
pub fn parse_date(text: &str) -> Option<i64> {
    date::parse_date(text)?.to_ms()
}

/// A moment in milliseconds since 1970-01-01 UTC, by the placeholders of `DATE_FORMAT()`.
pub fn format_date(format: &str, ms: i64) -> String {
    date::format_date(format, date::Civil::from_ms(ms), ms)
}

/// Every function, family by family.
pub fn all() -> impl Iterator<Item = &'static Function> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_names_in_any_case() {
        assert_eq!(lookup("concat_separator").map(|function| function.name), Some("CONCAT_SEPARATOR"));
        assert_eq!(lookup("Length").map(|function| function.name), Some("LENGTH"));
        assert!(lookup("NO_SUCH_FUNCTION").is_none());
        assert!(lookup(&"X".repeat(1_000_000)).is_none());
    }

    #[test]
    fn names_are_unique_and_upper_case_and_arities_make_sense() {
        assert_eq!(BY_NAME.len(), all().count());
        for function in all() {
            assert_eq!(function.name, function.name.to_ascii_uppercase());
            assert!(function.name.len() <= MAX_NAME_BYTES);
            assert!(function.max_args.is_none_or(|most| most >= function.min_args), "{}", function.name);
        }
    }
}
