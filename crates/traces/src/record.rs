//! The facts about a span: its time, its parent and its attributes.

use std::borrow::Cow;

use crate::context::Context;

/// Maximum size in bytes of a text in a span.
pub(crate) const TEXT_BYTES_MAX: usize = 4_096;

/// The role of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A part of the work of this program.
    Internal,
    /// The answer to a request.
    Server,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text of at most 4 KiB; longer ones are cut.
    Text(String),
    /// A number.
    Number(i64),
    /// True or false.
    Bool(bool),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.get(..text.floor_char_boundary(TEXT_BYTES_MAX)).unwrap_or_default().to_owned())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Value::Number(number.try_into().unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

/// The facts about a span.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) context: Context,
    pub(crate) parent: Option<u64>,
    pub(crate) kind: Kind,
    pub(crate) name: Cow<'static, str>,
    /// Nanoseconds since 1970.
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) attributes: Vec<(&'static str, Value)>,
    /// The reason why the work has failed.
    pub(crate) error: Option<String>,
}
