//! The arguments of a tool, with errors that a model can repair.

use std::ops::RangeInclusive;

use velocypack::Slice;

use crate::definition::Tool;

/// An argument that is missing, wrong or unknown. The text says what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentError(pub String);

/// The arguments of one call.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a>(Slice<'a>);

impl<'a> Arguments<'a> {
    /// Checks that the tool has all of the arguments.
    pub fn new(tool: &Tool, given: Slice<'a>) -> Result<Self, ArgumentError> {
        for (name, _) in given.entries() {
            if tool.parameters.iter().all(|parameter| parameter.name != name) {
                let names: Vec<&str> = tool.parameters.iter().map(|parameter| parameter.name).collect();
                let names = names.join(", ");
                return Err(ArgumentError(format!(
                    "'{}' is not an argument of '{}'; its arguments are: {names}",
                    shown(name),
                    tool.name
                )));
            }
        }
        Ok(Arguments(given))
    }

    /// Returns an argument that is not null.
    pub fn value(&self, name: &str) -> Option<Slice<'a>> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns a text, if it is given.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, ArgumentError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| wrong(name, "a string"))
    }

    /// Returns a text that must be given and not be empty.
    pub fn required_text(&self, name: &str) -> Result<&'a str, ArgumentError> {
        let text = self.text(name)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| {
            ArgumentError(format!("'{name}' is missing; it must be a string that is not empty"))
        })
    }

    /// Returns a whole number within a range, or its default.
    pub fn count(&self, name: &str, default: u64, range: RangeInclusive<u64>) -> Result<u64, ArgumentError> {
        let Some(value) = self.value(name) else { return Ok(default) };
        let number = value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0);
        let number = number.map(|number| number as u64).filter(|number| range.contains(number));
        number
            .ok_or_else(|| wrong(name, &format!("a whole number from {} to {}", range.start(), range.end())))
    }

    /// Returns a number within a range, or its default.
    pub fn number(&self, name: &str, default: f64, range: RangeInclusive<f64>) -> Result<f64, ArgumentError> {
        let Some(value) = self.value(name) else { return Ok(default) };
        let number = value.as_f64().filter(|number| range.contains(number));
        number.ok_or_else(|| wrong(name, &format!("a number from {} to {}", range.start(), range.end())))
    }

    /// Returns a bool, or its default.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, ArgumentError> {
        let Some(value) = self.value(name) else { return Ok(default) };
        value.as_bool().ok_or_else(|| wrong(name, "true or false"))
    }

    /// Returns one of some words, or the first of them.
    pub fn word(&self, name: &str, words: &[&'static str]) -> Result<&'static str, ArgumentError> {
        let first = words.first().copied().unwrap_or_default();
        let Some(value) = self.value(name) else { return Ok(first) };
        let word =
            value.as_str().and_then(|given| words.iter().find(|word| word.eq_ignore_ascii_case(given)));
        word.copied().ok_or_else(|| wrong(name, &format!("one of {}", words.join(", "))))
    }

    /// Returns an object, or the empty one.
    pub fn object(&self, name: &str) -> Result<Slice<'a>, ArgumentError> {
        let value = self.value(name).unwrap_or(Slice::EMPTY_OBJECT);
        if value.is_object() { Ok(value) } else { Err(wrong(name, "an object")) }
    }

    /// Returns texts: an array of at most `max` strings, or one string. Without the argument there
    /// are none.
    pub fn texts(&self, name: &str, max: usize) -> Result<Vec<&'a str>, ArgumentError> {
        let Some(value) = self.value(name) else { return Ok(Vec::new()) };
        if let Some(text) = value.as_str() {
            return Ok(vec![text]);
        }
        let expected = || wrong(name, &format!("an array of at most {max} strings"));
        if !value.is_array() || value.len() > max {
            return Err(expected());
        }
        value.elements().map(|element| element.as_str().ok_or_else(expected)).collect()
    }
}

fn wrong(name: &str, right: &str) -> ArgumentError {
    ArgumentError(format!("'{name}' has a wrong value; it must be {right}"))
}

/// Returns the beginning of a name that a client made up.
fn shown(name: &str) -> &str {
    const MAX_BYTES: usize = 64;
    name.get(..name.floor_char_boundary(MAX_BYTES)).unwrap_or_default()
}
