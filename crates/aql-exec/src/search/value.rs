//! Values of conditions.

use aql_value::Value;
use errors::{Error, Result};
use velocypack::Number;

/// Returns a value as terms have it; `None` for arrays and objects, which are no terms.
pub(super) fn term_value(value: &Value) -> Option<search::Value> {
    match value {
        Value::Null => Some(search::Value::Null),
        Value::Bool(value) => Some(search::Value::Bool(*value)),
        Value::Int(value) => Some(search::Value::Number(Number::Int(*value))),
        Value::UInt(value) => Some(search::Value::Number(Number::from_u64(*value))),
        Value::Double(value) => Some(search::Value::Number(Number::Double(*value))),
        value if value.is_null() => Some(search::Value::Null),
        value => match (value.as_bool(), value.as_str()) {
            (Some(value), _) => Some(search::Value::Bool(value)),
            (_, Some(text)) => Some(search::Value::Text(text.to_owned())),
            _ if value.is_number() => {
                let number = value.as_i64().map_or_else(|| Number::Double(value.to_f64()), Number::Int);
                Some(search::Value::Number(number))
            }
            _ => None,
        },
    }
}

/// Returns the text, if the value is one.
pub(super) fn text_of(value: &Value) -> Option<&str> {
    value.as_str()
}

/// Returns the position in an array that a value names.
pub(super) fn position(value: &Value) -> Option<usize> {
    if !value.is_number() {
        return None;
    }
    usize::try_from(value.to_i64()).ok()
}

/// The arguments of a function behind its field.
pub(super) struct Arguments<'v> {
    pub(super) function: &'static str,
    pub(super) values: &'v [Value],
}

impl<'v> Arguments<'v> {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns an argument; `None` if it is missing or null.
    pub(super) fn given(&self, index: usize) -> Option<&'v Value> {
        self.values.get(index).filter(|value| !value.is_null())
    }

    /// Returns the text of an argument. Errors: 10.
    pub(super) fn text(&self, index: usize) -> Result<&'v str> {
        self.given(index).and_then(Value::as_str).ok_or_else(|| self.invalid(index, "a string"))
    }

    /// Returns the number of an argument. Errors: 10.
    pub(super) fn number(&self, index: usize) -> Result<f64> {
        self.given(index)
            .filter(|value| value.is_number())
            .map(Value::to_f64)
            .ok_or_else(|| self.invalid(index, "a number"))
    }

    /// Returns the bool of an argument, or a default without it. Errors: 10.
    pub(super) fn flag(&self, index: usize, default: bool) -> Result<bool> {
        match self.given(index) {
            Some(value) => value.as_bool().ok_or_else(|| self.invalid(index, "a boolean")),
            None => Ok(default),
        }
    }

    /// Returns the error for an argument of the wrong type.
    pub(super) fn invalid(&self, index: usize, expected: &str) -> Error {
        // The field is the first argument.
        invalid_argument(self.function, index + 2, expected)
    }
}

/// Returns the error for an argument, counted from 1, of the wrong type.
pub(super) fn invalid_argument(function: &str, number: usize, expected: &str) -> Error {
    Error::bad_parameter(format!("argument {number} of {function}() in a search must be {expected}"))
}
