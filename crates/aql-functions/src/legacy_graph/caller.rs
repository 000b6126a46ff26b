//! Reading the arguments and options of a call.

use super::examples::Examples;
use super::network::MAX_ITERATIONS;
use crate::argument::{Outcome, invalid, stop, value};
use aql_value::{EdgeDirection, Error, EvaluationContext, Value};

/// `ERROR_QUERY_FUNCTION_NOT_FOUND`, of functions that users wrote.
const FUNCTION_NOT_FOUND: u32 = 1582;

/// The function that is called and the query that calls it. What cannot be read stops the call with warning 1542.
pub(super) struct Caller<'c, 'e> {
    name: &'static str,
    pub(super) context: &'c mut EvaluationContext<'e>,
    pub(super) arguments: &'c [Value],
}

impl<'c, 'e> Caller<'c, 'e> {
    pub(super) fn new(
        name: &'static str,
        arguments: &'c [Value],
        context: &'c mut EvaluationContext<'e>,
    ) -> Self {
        Self { name, context, arguments }
    }

    /// Stops with null and warning 1542.
    pub(super) fn invalid<T>(&mut self) -> Outcome<T> {
        stop(invalid(self.context, self.name))
    }

    /// The argument; null if it was not given.
    pub(super) fn argument(&self, index: usize) -> &'c Value {
        value(self.arguments, index)
    }

    /// An argument that must be a text, as names of collections and graphs are.
    pub(super) fn text(&mut self, index: usize) -> Outcome<&'c str> {
        match value(self.arguments, index).as_str() {
            Some(text) => Ok(text),
            None => self.invalid(),
        }
    }

    /// An argument that is an object, or left out.
    pub(super) fn options(&mut self, index: usize) -> Outcome<&'c Value> {
        let options = value(self.arguments, index);
        if options.is_null() || options.is_object() { Ok(options) } else { self.invalid() }
    }

    /// A direction, in any case.
    pub(super) fn direction(&mut self, value: &Value, default: EdgeDirection) -> Outcome<EdgeDirection> {
        if value.is_null() {
            return Ok(default);
        }
        let choices = [
            ("outbound", EdgeDirection::Outbound),
            ("inbound", EdgeDirection::Inbound),
            ("any", EdgeDirection::Any),
        ];
        self.choice(value, &choices, default)
    }

    /// One of some words, in any case.
    pub(super) fn choice<T: Copy>(&mut self, value: &Value, choices: &[(&str, T)], default: T) -> Outcome<T> {
        if value.is_null() {
            return Ok(default);
        }
        let word = value.as_str().unwrap_or_default();
        match choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)) {
            Some((_, choice)) => Ok(*choice),
            None => self.invalid(),
        }
    }

    /// Examples of vertices or edges.
    pub(super) fn examples(&mut self, value: &Value) -> Outcome<Examples> {
        match Examples::parse(value) {
            Some(examples) => Ok(examples),
            None => self.invalid(),
        }
    }

    /// Examples by which a search filters, where a text is the name of a function that a user wrote.
    pub(super) fn filter(&mut self, value: &Value) -> Outcome<Examples> {
        refuse_user_function(value)?;
        self.examples(value)
    }

    /// A name or an array of names; `None` if it was not given.
    pub(super) fn names(&mut self, value: &Value) -> Outcome<Option<Vec<String>>> {
        if value.is_null() {
            return Ok(None);
        }
        if let Some(name) = value.as_str() {
            return Ok(Some(vec![name.to_owned()]));
        }
        let names: Option<Vec<String>> =
            value.elements().map(|name| name.as_str().map(str::to_owned)).collect();
        match names.filter(|_| value.is_array()) {
            Some(names) => Ok(Some(names)),
            None => self.invalid(),
        }
    }

    /// A number that is not negative, cut to an integer.
    pub(super) fn count(&mut self, value: &Value, default: u64) -> Outcome<u64> {
        match value.as_f64() {
            // What is too large becomes the largest count, what is negative 0.
            Some(number) => Ok(number as u64),
            None if value.is_null() => Ok(default),
            None => self.invalid(),
        }
    }

    /// A length of paths.
    pub(super) fn depth(&mut self, value: &Value, default: usize) -> Outcome<usize> {
        let depth = self.count(value, default as u64)?;
        Ok(usize::try_from(depth).unwrap_or(usize::MAX))
    }

    /// The option `maxIterations`.
    pub(super) fn max_iterations(&mut self, options: &Value) -> Outcome<u64> {
        self.count(&options.get("maxIterations"), MAX_ITERATIONS)
    }
}

/// Error 1582 for a text where an option may name a function that a user wrote: there is nothing to run it.
pub(super) fn refuse_user_function(value: &Value) -> Outcome<()> {
    match value.as_str() {
        Some(name) => {
            let message = format!("user function '{}()' not found", name.to_ascii_uppercase());
            Err(Error::new(FUNCTION_NOT_FOUND, message).into())
        }
        None => Ok(()),
    }
}
