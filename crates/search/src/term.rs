//! Terms: what the dictionaries of a segment hold.
//!
//! ```text
//! path · NUL "v" · sort key                      null, a bool or a number
//! path · NUL "t" · analyzer · NUL "e" · token    a token of a text
//! path · NUL "x" · letter [· analyzer]           the path is present, with a value of this kind
//! NUL "k" · key                                  the document with this key
//! NUL "r"                                        every document that is not a nested one
//! ```
//! Sort keys have AQL's order and tokens have that of their bytes, so a range of values is a range
//! of terms.

use std::borrow::Cow;
use std::fmt::Write;

use velocypack::order::{sort_key_bool, sort_key_null, sort_key_number};
use velocypack::{Kind, Number};

use crate::path::{Path, push_escaped};

/// Maximum size in bytes of a term's value. The end of a longer one is replaced by its hash.
const VALUE_BYTES_MAX: usize = 32_000;

/// A value that a term stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// null
    Null,
    /// true or false
    Bool(bool),
    /// A number; all types of numbers compare with each other.
    Number(Number),
    /// A token as the field's analyzer makes it.
    Text(String),
}

impl Value {
    /// Returns the type; all numbers have that of a double.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Bool,
            Value::Number(_) => Kind::Double,
            Value::Text(_) => Kind::String,
        }
    }
}

/// The way in which a path is present.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// With any value, an array or an object.
    Any,
    /// With null.
    Null,
    /// With a bool.
    Bool,
    /// With a number.
    Numeric,
    /// With a text.
    String,
    /// With a text that this analyzer has processed.
    Analyzer(String),
    /// With an array whose elements are nested documents.
    Nested,
}

/// The term of every document that is not a nested one.
pub(crate) const ROOT: &str = "\0r";

/// Returns the term of a document's key.
pub(crate) fn key_term(key: &str) -> String {
    format!("\0k{key}")
}

/// Appends the prefix of the values at a path.
pub(crate) fn push_value_prefix(path: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(path.as_bytes());
    out.extend_from_slice(b"\0v");
}

/// Appends the sort key of a value; a text has none, because it is a token.
pub(crate) fn push_sort_key(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => sort_key_null(out),
        Value::Bool(value) => sort_key_bool(*value, out),
        Value::Number(value) => sort_key_number(*value, out),
        Value::Text(_) => {}
    }
}

/// Returns the prefix of the tokens of an analyzer at a path.
pub(crate) fn text_prefix(path: &str, analyzer: &str) -> String {
    let mut prefix = format!("{path}\0t");
    push_escaped(&mut prefix, analyzer);
    prefix.push_str("\0e");
    prefix
}

/// Returns the prefix of a token's term, as [`text_prefix`] makes it; `None` for other terms.
pub(crate) fn prefix_of_token(term: &[u8]) -> Option<&str> {
    let mut is_analyzer = false;
    let mut place = 0;
    while let [first, second, ..] = term.get(place..)? {
        match (first, second) {
            (0, b't') => is_analyzer = true,
            (0, b'e') if is_analyzer => return std::str::from_utf8(term.get(..place + 2)?).ok(),
            _ => {}
        }
        // A NUL within a name is doubled.
        place += if *first == 0 { 2 } else { 1 };
    }
    None
}

/// Returns the term that says how a path is present.
pub(crate) fn presence_term(path: &str, presence: &Presence) -> String {
    let mut term = format!("{path}\0x");
    match presence {
        Presence::Any => term.push('a'),
        Presence::Null => term.push('0'),
        Presence::Bool => term.push('b'),
        Presence::Numeric => term.push('d'),
        Presence::String => term.push('s'),
        Presence::Nested => term.push('n'),
        Presence::Analyzer(analyzer) => {
            term.push('z');
            push_escaped(&mut term, analyzer);
        }
    }
    term
}

/// Returns the term of each nested document in the array at a path; the path ends with its step.
pub(crate) fn element_term(path: &Path) -> String {
    presence_term(path.as_str(), &Presence::Any)
}

/// The most bytes of a token in a dictionary.
pub(crate) const TOKEN_BYTES_MAX: usize = VALUE_BYTES_MAX + 16;

/// Returns a token, or its beginning and hash if it is longer than terms may be.
pub(crate) fn bounded(token: &str) -> Cow<'_, str> {
    if token.len() <= VALUE_BYTES_MAX {
        return Cow::Borrowed(token);
    }
    let end = token.floor_char_boundary(VALUE_BYTES_MAX);
    let mut short = token.get(..end).unwrap_or_default().to_owned();
    let _ = write!(short, "{:016x}", rapidhash::v3::rapidhash_v3(token.as_bytes()));
    Cow::Owned(short)
}
