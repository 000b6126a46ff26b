//! The features of an analyzer: the facts about tokens that an index keeps.

use errors::{Error, Result};
use velocypack::{Builder, Slice};

/// The facts about an analyzer's tokens that an index keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Features {
    /// The number of times that a term occurs in a document.
    pub frequency: bool,
    /// The length of a document, by which scores are made fair.
    pub norm: bool,
    /// The positions of a term; requires `frequency`.
    pub position: bool,
    /// The places of a term in the text; requires `position`.
    pub offset: bool,
}

impl Features {
    /// No feature.
    pub const NONE: Self = Self { frequency: false, norm: false, position: false, offset: false };

    /// Reads an array of names; null is none. Repeated names count once.
    ///
    /// Errors: 10 for an unknown name, or one whose requirement is missing.
    pub fn parse(value: Slice<'_>) -> Result<Self> {
        let mut features = Self::default();
        if !value.is_array() && !value.is_null() && !value.is_none() {
            return Err(Error::bad_parameter("'features' must be an array of names"));
        }
        for name in value.elements() {
            match name.as_str() {
                Some("frequency") => features.frequency = true,
                Some("norm") => features.norm = true,
                Some("position") => features.position = true,
                Some("offset") => features.offset = true,
                other => {
                    let message = format!(
                        "'features' has {}; it may contain 'frequency', 'norm', 'position' and 'offset'",
                        other.map_or("a value that is not a string".to_owned(), |name| format!("'{name}'"))
                    );
                    return Err(Error::bad_parameter(message));
                }
            }
        }
        features.check()?;
        Ok(features)
    }

    fn check(self) -> Result<()> {
        let missing = |feature: &str, required: &str| {
            Err(Error::bad_parameter(format!("'features' has '{feature}', which requires '{required}'")))
        };
        if self.offset && !self.position {
            return missing("offset", "position");
        }
        if self.position && !self.frequency {
            return missing("position", "frequency");
        }
        Ok(())
    }

    /// Returns the names of the features, in the order in which ArangoDB prints them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.frequency, "frequency"),
            (self.position, "position"),
            (self.offset, "offset"),
            (self.norm, "norm"),
        ];
        all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name)
    }

    /// Returns true if these include all of `others`.
    pub fn includes(self, others: Self) -> bool {
        let covers = |own: bool, other: bool| own || !other;
        covers(self.frequency, others.frequency)
            && covers(self.norm, others.norm)
            && covers(self.position, others.position)
            && covers(self.offset, others.offset)
    }

    /// Adds an array of the names.
    ///
    /// Errors: 4 if the builder expects no value.
    pub fn print(self, out: &mut Builder) -> velocypack::Result<()> {
        out.open_array()?;
        for name in self.names() {
            out.add_str(name)?;
        }
        out.close()
    }
}
