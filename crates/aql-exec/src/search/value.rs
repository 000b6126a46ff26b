//! Values of conditions.

use aql_value::Value;
use errors::{Error, Result};

/// Returns a value as terms have it; `None` for arrays and objects, which are not terms.
pub(super) fn term_value(value: &Value) -> Option<search::Value> {
    match value {
        Value::Null => Some(search::Value::Null),
        Value::Bool(value) => Some(search::Value::Bool(*value)),
        value => match value.as_number() {
            Some(number) => Some(search::Value::Number(number)),
            None => value.as_str().map(|text| search::Value::Text(text.to_owned())),
        },
    }
}

/// The arguments of a function after its field.
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
