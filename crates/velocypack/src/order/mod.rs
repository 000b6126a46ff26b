//! AQL's total order: comparison, equality, hash and sort keys that agree with each other.
//!
//! - null < bool < number < string < array < object.
//! - Numbers compare by their exact value, whatever their encoding; -0.0 equals 0.
//! - Strings compare by Unicode's root collation, tertiary, upper case before lower case as
//!   ArangoDB sorts by default. Bytes order the strings that the collation cannot tell apart, plain
//!   ASCII first. So only identical strings are equal.
//! - Arrays compare element by element. Objects compare attribute by attribute in the bytewise
//!   order of their names. A value that one side lacks counts as null. So `[]` equals `[null]`, and
//!   `{}` equals `{"a": null}`.
//!
//! Types that JSON lacks count as null, as do doubles that are not finite, and no value at all. UTC
//! dates count as their milliseconds. The `_id` marker of a stored document counts as its text if
//! the collection is known, and as null if not.
//!
//! Comparison visits at most 500 levels, so that no value exhausts the stack.

mod collation;
mod compare;
mod hash;
mod number;
mod sort_key;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::document::resolve_id;
use crate::{Kind, Number, Slice};

pub use collation::compare_strings;
pub use compare::{compare, compare_with, equal, equal_with};
pub use hash::{hash, hash_bool, hash_null, hash_number, hash_str, hash_with};
pub use number::compare_numbers;
pub use sort_key::{
    sort_key, sort_key_bool, sort_key_null, sort_key_number, sort_key_str, sort_key_with, type_lower_bound,
    type_upper_bound,
};

/// The class of a value in the order.
#[derive(Clone, Copy)]
enum Class<'a> {
    Null,
    Bool(bool),
    Number(Number),
    String(&'a [u8]),
    /// The `_id` of this stored document.
    Id(Slice<'a>),
    Array(Slice<'a>),
    Object(Slice<'a>),
}

impl Class<'_> {
    /// Returns the position of the class in the order.
    #[inline]
    const fn rank(&self) -> u8 {
        match self {
            Class::Null => 0,
            Class::Bool(_) => 1,
            Class::Number(_) => 2,
            Class::String(_) | Class::Id(_) => 3,
            Class::Array(_) => 4,
            Class::Object(_) => 5,
        }
    }

    /// Returns the text of a string or of an `_id`.
    fn text(&self, context: Context<'_>) -> Cow<'_, [u8]> {
        match (self, context.collection) {
            (Class::String(text), _) => Cow::Borrowed(text),
            (Class::Id(document), Some(collection)) => {
                let mut id = String::new();
                resolve_id(*document, collection, &mut id);
                Cow::Owned(id.into_bytes())
            }
            _ => Cow::Borrowed(&[]),
        }
    }
}

/// The collection that gives `_id` markers their text.
#[derive(Clone, Copy)]
struct Context<'c> {
    collection: Option<&'c str>,
}

impl Context<'_> {
    /// Returns the class of `value`, which is a member of `parent` (or [`Slice::NONE`]).
    #[inline]
    fn classify<'a>(self, value: Slice<'a>, parent: Slice<'a>) -> Class<'a> {
        // The two most frequent classes come first, so that they need no jump table.
        if value.is_string() {
            value.str_bytes().map_or(Class::Null, Class::String)
        } else if value.is_integer() {
            value.as_number().map_or(Class::Null, Class::Number)
        } else {
            self.classify_other(value, parent)
        }
    }

    fn classify_other<'a>(self, value: Slice<'a>, parent: Slice<'a>) -> Class<'a> {
        match value.kind() {
            Kind::Double => match value.as_f64() {
                Some(double) if double.is_finite() => Class::Number(Number::Double(double)),
                _ => Class::Null,
            },
            Kind::Bool => Class::Bool(value.as_bool() == Some(true)),
            Kind::Array => Class::Array(value),
            Kind::Object => Class::Object(value),
            Kind::UtcDate => value.as_utc_date().map_or(Class::Null, |date| Class::Number(Number::Int(date))),
            Kind::IdMarker if self.collection.is_some() && parent.is_object() => Class::Id(parent),
            _ => Class::Null,
        }
    }
}
