//! Members of bodies. Each has a name in snake case, and is also accepted in camel case, as older
//! engines print it.

use errors::{Error, Result};
use velocypack::{Builder, Slice};

/// Maximum number of elements of an array of names or numbers.
const ELEMENTS_MAX: usize = 2_048;

/// The members of a body.
pub(super) struct Body<'b>(Slice<'b>);

impl<'b> Body<'b> {
    /// Reads a body that may have members with these names in snake case.
    ///
    /// Errors: 10 for another member.
    pub(super) fn of(body: Slice<'b>, known: &[&str]) -> Result<Self> {
        for (name, _) in body.entries() {
            if !known.iter().any(|known| *known == name || camel_case(known) == name) {
                return Err(Error::bad_parameter(format!(
                    "unknown member '{name}' of the body; known are: {}",
                    known.join(", ")
                )));
            }
        }
        Ok(Body(body))
    }

    /// Returns the members of a body that is checked elsewhere.
    pub(super) fn of_any(body: Slice<'b>) -> Self {
        Body(body)
    }

    /// Returns a member; `None` if it is missing or null.
    pub(super) fn get(&self, name: &str) -> Option<Slice<'b>> {
        let member = self.0.get(name).or_else(|| self.0.get(&camel_case(name)));
        member.filter(|value| !value.is_null())
    }

    /// Returns a text that is not empty. Errors: 10 for any other value.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'b str>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = value.as_str().filter(|text| !text.is_empty());
        text.map(Some).ok_or_else(|| wrong(name, "a text that is not empty"))
    }

    /// Returns a text that must be there. Errors: 10.
    pub(super) fn required_text(&self, name: &str) -> Result<&'b str> {
        self.text(name)?.ok_or_else(|| missing(name, "a text"))
    }

    /// Returns an integer from 1. Errors: 10 for any other value.
    pub(super) fn count(&self, name: &str) -> Result<Option<u64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        number(value).filter(|number| *number > 0).map(Some).ok_or_else(|| wrong(name, "an integer from 1"))
    }

    /// Returns a truth value. Errors: 10 for any other value.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        value.as_bool().map(Some).ok_or_else(|| wrong(name, "true or false"))
    }

    /// Returns the number of an object, which may be a text. Errors: 10.
    pub(super) fn id(&self, name: &str) -> Result<u64> {
        let value = self.get(name).ok_or_else(|| missing(name, "a number"))?;
        number(value).ok_or_else(|| wrong(name, "a number"))
    }

    /// Returns the numbers of objects. Errors: 10.
    pub(super) fn ids(&self, name: &str) -> Result<Vec<u64>> {
        let wrong = || wrong(name, "an array of numbers");
        self.array(name)?.map(|value| number(value).ok_or_else(wrong)).collect()
    }

    /// Returns an array of texts; an empty one if it is missing. Errors: 10.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<&'b str>> {
        let wrong = || wrong(name, "an array of texts");
        self.array(name)?.map(|value| value.as_str().ok_or_else(wrong)).collect()
    }

    /// Returns the elements of an array; none if it is missing. Errors: 10.
    pub(super) fn array(&self, name: &str) -> Result<impl Iterator<Item = Slice<'b>> + use<'b>> {
        let array = self.get(name).unwrap_or(Slice::EMPTY_ARRAY);
        if !array.is_array() || array.elements().count() > ELEMENTS_MAX {
            return Err(wrong(name, &format!("an array of at most {ELEMENTS_MAX} elements")));
        }
        Ok(array.elements())
    }

    /// Checks members that have no effect: all algorithms share the server's threads, and documents
    /// do not travel in batches. Errors: 10 for wrong types.
    pub(super) fn check_without_effect(&self) -> Result<()> {
        self.count("parallelism")?;
        self.count("batch_size")?;
        for name in ["custom_fields", "vertex_collections"] {
            if let Some(fields) = self.get(name).filter(|fields| fields.is_object())
                && fields.entries().next().is_some()
            {
                return Err(Error::bad_parameter(format!("'{name}' has entries; none are supported")));
            }
        }
        Ok(())
    }
}

/// Adds an array of texts to an open object.
pub(super) fn add_texts(out: &mut Builder, name: &str, texts: &[&str]) -> Result<()> {
    out.key(name)?;
    out.open_array()?;
    texts.iter().try_for_each(|text| out.add_str(text))?;
    Ok(out.close()?)
}

/// Returns the number that a value is, as a number or a text.
fn number(value: Slice<'_>) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn missing(name: &str, right: &str) -> Error {
    Error::bad_parameter(format!("'{name}' is missing; it must be {right}"))
}

fn wrong(name: &str, right: &str) -> Error {
    Error::bad_parameter(format!("'{name}' must be {right}"))
}

/// Returns a name in camel case: `graphId` of `graph_id`.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

#[cfg(test)]
mod tests {
    use velocypack::{Limits, json};

    use super::*;

    #[test]
    fn names_are_accepted_in_both_cases() {
        let mut value = Builder::new();
        json::parse(br#"{"graphId": "7", "job_ids": [1, "2"]}"#, &Limits::default(), &mut value).unwrap();
        let body = Body::of(value.as_slice(), &["graph_id", "job_ids"]).unwrap();
        assert_eq!(body.id("graph_id").unwrap(), 7);
        assert_eq!(body.ids("job_ids").unwrap(), [1, 2]);
        assert_eq!(body.id("database").unwrap_err().number(), 10);
        assert_eq!(Body::of(value.as_slice(), &["graph_id"]).map(drop).unwrap_err().number(), 10);
    }
}
