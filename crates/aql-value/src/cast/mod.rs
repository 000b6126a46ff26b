//! AQL's casts. Operators apply them, and so do `TO_BOOL()`, `TO_NUMBER()`, `TO_STRING()` and
//! `TO_ARRAY()`.

mod long_json;

use std::borrow::Cow;

use errors::Result;
use owner::{Interrupt, MemoryAccount};

use crate::value::{Kind, Value};

/// The size from which on the text of an array or object is made in pieces.
const LARGE_BYTES: usize = 32 << 10;

impl Value {
    /// Returns false for null, false, 0 and the empty string, and true for everything else.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Int(number) => *number != 0,
            Self::UInt(_) => true,
            Self::Double(number) => *number != 0.0,
            Self::Short(text) => !text.as_bytes().is_empty(),
            // A packed value is an array, an object, or a string too long to be empty.
            Self::Packed { .. } => true,
        }
    }

    /// Returns the cast to bool.
    pub fn to_bool(&self) -> bool {
        self.is_truthy()
    }

    /// Returns the cast to a number.
    ///
    /// Null and false are 0, and true is 1. A string is parsed; it is 0 if it is not a number. An
    /// array of one member is that member's cast. Everything else is 0.
    pub fn to_number(&self) -> Self {
        match self {
            Self::Int(_) | Self::UInt(_) | Self::Double(_) => self.clone(),
            Self::Null => Self::Int(0),
            Self::Bool(value) => Self::Int(i64::from(*value)),
            Self::Short(text) => parse_number(text.as_str()).unwrap_or(Self::Int(0)),
            Self::Packed { .. } => {
                // A loop instead of a recursion, since data may nest deeply.
                let mut value = self.clone();
                while value.is_array() {
                    if value.len() != 1 {
                        return Self::Int(0);
                    }
                    value = value.at(0);
                }
                match value.as_str() {
                    Some(text) => parse_number(text).unwrap_or(Self::Int(0)),
                    None if value.is_object() => Self::Int(0),
                    None => value.to_number(),
                }
            }
        }
    }

    /// Returns the cast to a number, as a double.
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Double(number) => *number,
            Self::Int(number) => *number as f64,
            other => other.to_number().as_f64().unwrap_or(0.0),
        }
    }

    /// Returns the cast to a number, truncated to an integer. It saturates at the bounds of `i64`.
    pub fn to_i64(&self) -> i64 {
        match self {
            Self::Int(number) => *number,
            Self::UInt(_) => i64::MAX,
            Self::Double(number) => *number as i64,
            other => match other.to_number() {
                Self::Int(number) => number,
                Self::UInt(_) => i64::MAX,
                number => number.as_f64().unwrap_or(0.0) as i64,
            },
        }
    }

    /// Returns the cast to a string.
    ///
    /// Null is empty, numbers have their shortest form, arrays and objects are compact JSON.
    pub fn cast_string(&self) -> Cow<'_, str> {
        match self {
            Self::Null => Cow::Borrowed(""),
            Self::Bool(true) => Cow::Borrowed("true"),
            Self::Bool(false) => Cow::Borrowed("false"),
            Self::Short(text) => Cow::Borrowed(text.as_str()),
            Self::Int(number) => Cow::Owned(number.to_string()),
            Self::UInt(number) => Cow::Owned(number.to_string()),
            Self::Double(_) => Cow::Owned(self.to_json()),
            Self::Packed { .. } => self.as_str().map_or_else(|| Cow::Owned(self.to_json()), Cow::Borrowed),
        }
    }

    /// Returns the cast to a string within a query's memory and time.
    ///
    /// The text of a large array or object is built in pieces. Errors: 32 if it would exceed the
    /// query's limit, 1500 if the query is ended.
    pub fn text(&self, memory: &MemoryAccount, interrupt: &Interrupt) -> Result<Cow<'_, str>> {
        match self {
            Self::Packed { .. } if self.memory_bytes() >= LARGE_BYTES && !self.is_string() => {
                long_json::of(self, memory, interrupt).map(Cow::Owned)
            }
            _ => Ok(self.cast_string()),
        }
    }

    /// Returns the cast to an array.
    ///
    /// Null is empty, an array is itself, and an object is its attribute values. Anything else is
    /// an array of this one member.
    pub fn to_array(&self) -> Self {
        match self.kind() {
            Kind::Null => Self::empty_array(),
            Kind::Array => self.clone(),
            Kind::Object => Self::array(&self.entries().map(|(_, value)| value).collect::<Vec<_>>()),
            Kind::Bool | Kind::Number | Kind::String => Self::array(std::slice::from_ref(self)),
        }
    }

    /// Returns compact JSON text.
    pub fn to_json(&self) -> String {
        let mut text = Vec::new();
        self.write_json(&mut text);
        String::from_utf8(text).unwrap_or_default()
    }
}

/// Parses the number in a string, which white space may surround.
///
/// It is decimal, with optional sign, fraction and exponent. Returns `None` for anything else and
/// for a number beyond the range of a double.
fn parse_number(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Some(Value::Int(number));
    }
    // Rust's grammar of numbers, without its words for infinity and NaN.
    if !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
        return None;
    }
    if let Ok(number) = text.parse() {
        return Some(Value::from_u64(number));
    }
    text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Double)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_bool() {
        for (value, expected) in [
            (Value::Null, false),
            (Value::Int(0), false),
            (Value::Double(0.0), false),
            (Value::Double(-0.0), false),
            (Value::from_str(""), false),
            (Value::from_str("0"), true),
            (Value::Int(-1), true),
            (Value::empty_array(), true),
            (Value::empty_object(), true),
        ] {
            assert_eq!(value.to_bool(), expected, "{value:?}");
        }
    }

    #[test]
    fn to_number() {
        for (value, expected) in [
            (Value::from_str("  -12 "), Value::Int(-12)),
            (Value::from_str("1.5e1"), Value::Double(15.0)),
            (Value::from_str("18446744073709551615"), Value::UInt(u64::MAX)),
            (Value::from_str("12abc"), Value::Int(0)),
            (Value::from_str("inf"), Value::Int(0)),
            (Value::from_str("NaN"), Value::Int(0)),
            (Value::from_str("1e999"), Value::Int(0)),
            (Value::from_str("123456789012345678901234567890"), Value::Double(1.2345678901234568e29)),
            (Value::array(&[Value::array(&[Value::Bool(true)])]), Value::Int(1)),
            (Value::array(&[Value::Int(1), Value::Int(2)]), Value::Int(0)),
            (Value::array(&[Value::empty_object()]), Value::Int(0)),
            (Value::empty_object(), Value::Int(0)),
        ] {
            assert_eq!(value.to_number(), expected, "{value:?}");
        }
    }

    #[test]
    fn to_integer_saturates() {
        assert_eq!(Value::Double(1e300).to_i64(), i64::MAX);
        assert_eq!(Value::Double(-2.9).to_i64(), -2);
        assert_eq!(Value::UInt(u64::MAX).to_i64(), i64::MAX);
        assert_eq!(Value::from_str("7.9").to_i64(), 7);
    }

    #[test]
    fn to_string() {
        for (value, expected) in [
            (Value::Null, ""),
            (Value::Bool(true), "true"),
            (Value::Int(-3), "-3"),
            (Value::Double(0.5), "0.5"),
            (Value::Double(2.0), "2"),
            (Value::array(&[Value::Int(1), Value::from_str("x"), Value::Null]), "[1,\"x\",null]"),
            (Value::object(&[("a", Value::empty_array())]), "{\"a\":[]}"),
            (Value::from_str("a string longer than fourteen bytes"), "a string longer than fourteen bytes"),
        ] {
            assert_eq!(value.cast_string(), expected);
        }
    }

    #[test]
    fn to_array() {
        assert_eq!(Value::Null.to_array(), Value::empty_array());
        assert_eq!(Value::Int(1).to_array(), Value::array(&[Value::Int(1)]));
        let object = Value::object(&[("b", Value::Int(1)), ("a", Value::Int(2))]);
        assert_eq!(object.to_array(), Value::array(&[Value::Int(1), Value::Int(2)]));
    }
}
