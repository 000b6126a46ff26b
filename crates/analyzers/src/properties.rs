//! The reader of the properties that a client gives to an analyzer.

use errors::{Error, Result};
use velocypack::Slice;

/// The properties of one analyzer. Null counts as missing; unknown names are ignored.
#[derive(Clone, Copy)]
pub(crate) struct Properties<'a> {
    object: Slice<'a>,
    /// The name of the analyzer's type, for messages.
    kind: &'a str,
    /// The number of analyzers around this one.
    depth: usize,
}

impl<'a> Properties<'a> {
    /// Returns the properties of an object; those of null are all missing. Errors: 10.
    pub(crate) fn of(object: Slice<'a>, kind: &'a str, depth: usize) -> Result<Self> {
        let is_missing = object.is_none() || object.is_null();
        if !is_missing && !object.is_object() {
            let message = format!("'properties' of an analyzer of type '{kind}' must be an object");
            return Err(Error::bad_parameter(message));
        }
        Ok(Self { object, kind, depth })
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn value(&self, name: &str) -> Option<Slice<'a>> {
        let object = self.object;
        if object.is_object() { object.get(name).filter(|value| !value.is_null()) } else { None }
    }

    /// Returns an error that names the property.
    pub(crate) fn wrong(&self, name: &str, expected: impl std::fmt::Display) -> Error {
        let Self { kind, .. } = self;
        Error::bad_parameter(format!("property '{name}' of an analyzer of type '{kind}' must be {expected}"))
    }

    fn typed<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl FnOnce(Slice<'a>) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.value(name) {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| self.wrong(name, expected)),
        }
    }

    pub(crate) fn boolean(&self, name: &str, default: bool) -> Result<bool> {
        Ok(self.typed(name, "a boolean", Slice::as_bool)?.unwrap_or(default))
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>> {
        self.typed(name, "a string", Slice::as_str)
    }

    pub(crate) fn required_text(&self, name: &str) -> Result<&'a str> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "a string"))
    }

    /// Reads one of several words.
    pub(crate) fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let text = value.as_str();
        let chosen = choices.iter().find(|(choice, _)| Some(*choice) == text);
        chosen.map(|(_, chosen)| Some(*chosen)).ok_or_else(|| {
            let quoted: Vec<_> = choices.iter().map(|(choice, _)| format!("'{choice}'")).collect();
            self.wrong(name, format!("one of {}", quoted.join(", ")))
        })
    }

    /// Reads a whole number within bounds.
    pub(crate) fn number(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>> {
        let whole = |value: Slice<'_>| {
            value.as_u64().or_else(|| {
                let number = value.as_f64()?;
                (number.fract() == 0.0 && (0.0..1e15).contains(&number)).then_some(number as u64)
            })
        };
        let Some(value) = self.value(name) else { return Ok(None) };
        match whole(value).filter(|number| (least..=most).contains(number)) {
            Some(number) => Ok(Some(number)),
            None if most == u64::MAX => {
                Err(self.wrong(name, format!("a whole number that is at least {least}")))
            }
            None => Err(self.wrong(name, format!("a whole number from {least} to {most}"))),
        }
    }

    pub(crate) fn required_number(&self, name: &str, least: u64, most: u64) -> Result<u64> {
        let missing = || self.wrong(name, format!("a whole number that is at least {least}"));
        self.number(name, least, most)?.ok_or_else(missing)
    }

    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<String>>> {
        let texts = |value: Slice<'_>| {
            let texts = || value.elements().map(|text| text.as_str().map(str::to_owned)).collect();
            if value.is_array() { texts() } else { None }
        };
        self.typed(name, "an array of strings", texts)
    }

    pub(crate) fn array(&self, name: &str) -> Result<Slice<'a>> {
        let array = self.value(name).filter(|value| value.is_array());
        array.ok_or_else(|| self.wrong(name, "an array"))
    }

    /// Returns the properties in an object; all are missing if it is.
    pub(crate) fn object(&self, name: &str) -> Result<Option<Properties<'a>>> {
        let object = self.typed(name, "an object", |value| value.is_object().then_some(value))?;
        Ok(object.map(|object| Properties { object, ..*self }))
    }
}
