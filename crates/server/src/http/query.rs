//! The query parameters of a request.

use std::borrow::Cow;
use std::str::FromStr;

use errors::{Error, Result};

use super::percent;

/// The maximum number of parameters of one request. More are a mistake or an attack.
pub const MAX_PARAMETERS: usize = 1_000;

/// The parameters of a request, decoded on each access: most requests have none, the others a few.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    text: &'a str,
}

impl<'a> Query<'a> {
    /// Wraps the text after the question mark, which is empty if there is none.
    pub fn new(text: &'a str) -> Self {
        Query { text }
    }

    /// Returns all parameters in their order, decoded. Those that cannot be decoded are omitted.
    pub fn iter(self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> {
        self.raw().filter_map(|(name, value)| {
            Some((percent::decode_parameter(name).ok()?, percent::decode_parameter(value).ok()?))
        })
    }

    fn raw(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let pairs = self.text.split('&').filter(|pair| !pair.is_empty()).take(MAX_PARAMETERS);
        pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")))
    }

    /// Returns a parameter's text. If it occurs more than once, the last one counts.
    ///
    /// Errors: 10 if it cannot be decoded.
    pub fn text(self, name: &str) -> Result<Option<Cow<'a, str>>> {
        if self.text.is_empty() {
            return Ok(None);
        }
        let named = |found: &str| percent::decode_parameter(found).is_ok_and(|found| found == name);
        let Some((_, value)) = self.raw().filter(|(found, _)| named(found)).last() else { return Ok(None) };
        let malformed = |_| Error::bad_parameter(format!("parameter '{name}' is not encoded as UTF-8"));
        percent::decode_parameter(value).map(Some).map_err(malformed)
    }

    /// Returns a parameter's text. Errors: 10 if it is missing or empty.
    pub fn required(self, name: &str) -> Result<Cow<'a, str>> {
        let value = self.text(name)?.filter(|value| !value.is_empty());
        value.ok_or_else(|| Error::bad_parameter(format!("parameter '{name}' is missing")))
    }

    /// Returns true if the parameter occurs, with any value.
    pub fn has(self, name: &str) -> bool {
        matches!(self.text(name), Ok(Some(_)) | Err(_))
    }

    /// Returns a bool. As in ArangoDB, `true`, `yes`, `on`, `y` and `1` in any case are true, and
    /// all other texts are false.
    pub fn bool(self, name: &str) -> Result<Option<bool>> {
        Ok(self.text(name)?.map(|value| is_true(&value)))
    }

    /// Returns a number of any type that Rust parses from text. Errors: 10 for any other text.
    pub fn number<T: FromStr>(self, name: &str) -> Result<Option<T>> {
        let Some(value) = self.text(name)? else { return Ok(None) };
        value.trim().parse().map(Some).map_err(|_| {
            Error::bad_parameter(format!(
                "parameter '{name}' must be a number within its range, not '{value}'"
            ))
        })
    }
}

/// Returns true for the texts that ArangoDB reads as true.
pub fn is_true(text: &str) -> bool {
    let text = text.trim();
    ["true", "yes", "on", "y", "1"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_and_decoded() {
        let query = Query::new("a=1&b=x%20y&&c&a=2&d%5F=e+f");
        assert_eq!(query.text("a").unwrap().as_deref(), Some("2"));
        assert_eq!(query.text("b").unwrap().as_deref(), Some("x y"));
        assert_eq!(query.text("c").unwrap().as_deref(), Some(""));
        assert_eq!(query.text("d_").unwrap().as_deref(), Some("e f"));
        assert_eq!(query.text("e").unwrap(), None);
        assert!(query.has("c") && !query.has("e"));
        assert_eq!(query.iter().count(), 5);
    }

    #[test]
    fn bools_have_many_forms() {
        for text in ["true", "TRUE", "yes", "on", "y", "1"] {
            assert_eq!(Query::new(&format!("q={text}")).bool("q").unwrap(), Some(true), "{text}");
        }
        for text in ["false", "no", "0", "", "maybe"] {
            assert_eq!(Query::new(&format!("q={text}")).bool("q").unwrap(), Some(false), "{text}");
        }
        assert_eq!(Query::new("").bool("q").unwrap(), None);
    }

    #[test]
    fn a_number_must_be_one() {
        assert_eq!(Query::new("n=12").number::<u64>("n").unwrap(), Some(12));
        assert_eq!(Query::new("n=1.5").number::<f64>("n").unwrap(), Some(1.5));
        for text in ["n=", "n=x", "n=-1", "n=99999999999999999999"] {
            assert_eq!(Query::new(text).number::<u64>("n").unwrap_err().number(), 10, "{text}");
        }
    }

    #[test]
    fn what_is_not_utf8_is_an_error() {
        assert_eq!(Query::new("n=%ff").text("n").unwrap_err().number(), 10);
        assert_eq!(Query::new("n=").required("n").unwrap_err().number(), 10);
    }
}
