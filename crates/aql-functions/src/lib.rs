//! The functions of AQL.
//!
//! A family has a folder, and a function or a small group has a file. A family's `mod.rs` lists its
//! functions. [`lookup`] and [`all`] see nothing but these lists, so a new function must be listed.
//!
//! Conventions, which follow ArangoDB 3.12:
//! - An argument of a wrong type makes the result null and registers warning 1542: 1563 where an
//!   array was expected, 1572 for dates, 1543 for regular expressions. Only a few functions end the
//!   query with an error.
//! - Texts are counted and cut by Unicode code points. Arguments of string functions are cast to
//!   strings, those of numeric functions to numbers. A result that is not a finite number is null.
//! - A constant bounds every result that an argument can make large. Its memory is charged to the
//!   query's account.

mod argument;
mod define;
mod bit;
mod hashing;
mod memory;
mod numeric;
mod search;
mod type_check;
mod array;
mod date;
mod fulltext;
mod geo;
mod misc;
mod statistics;
mod string;
mod type_cast;
mod document;
mod similarity;

use std::collections::HashMap;
use std::sync::LazyLock;

use aql_value::Function;

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

/// The longest name of a function, so that the lookup of a hostile name costs nothing.
const MAX_NAME_BYTES: usize = 64;

static BY_NAME: LazyLock<HashMap<&'static str, &'static Function>> =
    LazyLock::new(|| all().map(|function| (function.name, function)).collect());

/// Returns the function with this name, in any case. Aliases are functions of their own.
pub fn lookup(name: &str) -> Option<&'static Function> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    BY_NAME.get(name.to_ascii_uppercase().as_str()).copied()
}

/// Returns the function that calls one that a user wrote: its first argument is the name.
///
/// It has no name in AQL.
pub fn user_function() -> &'static Function {
    &misc::USER_FUNCTION
}

/// Returns the function that masks attributes of a stored document for the user of the query. The
/// arguments are the document and the name of its collection.
///
/// It has no name in AQL.
pub fn masked_document() -> &'static Function {
    &misc::MASKED_DOCUMENT
}

/// Returns the function that is true for a document, and needs it to be read.
///
/// It has no name in AQL.
pub fn visible_document() -> &'static Function {
    &misc::VISIBLE_DOCUMENT
}

/// Returns the function that puts the elements of arrays together, as `[...a, ...b]` does.
///
/// It has no name in AQL.
pub fn array_spread() -> &'static Function {
    &document::ARRAY_SPREAD
}

/// Returns the function that puts the attributes of objects together, as `{...a, ...b}` does.
///
/// It has no name in AQL.
pub fn object_spread() -> &'static Function {
    &document::OBJECT_SPREAD
}

/// Returns every function, family by family.
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
