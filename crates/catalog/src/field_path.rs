//! Attribute paths in index definitions: `a`, `a.b.c`, `tags[*]`, `items[*].price`.

use std::fmt;

use errors::{Error, ErrorCode, Result};

/// The maximum length of a path in bytes; a bound on client input, far above any use.
pub const FIELD_PATH_MAX_BYTES: usize = 4096;
/// The maximum number of names in a path; the JSON parser refuses deeper documents.
pub const FIELD_PATH_MAX_NAMES: usize = 100;

/// A path from a document's top level to an attribute, with at most one array expansion.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath {
    /// The attribute names from the outside in; at least one.
    pub names: Vec<String>,
    /// The position in `names` of the name before `[*]`.
    pub expand_at: Option<usize>,
}

impl FieldPath {
    /// Returns a path of one name without expansion.
    pub fn attribute(name: &str) -> Self {
        FieldPath { names: vec![name.to_owned()], expand_at: None }
    }

    /// Parses a path.
    ///
    /// Errors: 1220 for a path that is empty or too long, for a name that is empty or starts or
    /// ends with a colon, and for `[*]` that occurs twice or not after a name.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() > FIELD_PATH_MAX_BYTES {
            return Err(unparsable("is too long"));
        }
        let mut names = Vec::new();
        let mut expand_at = None;
        for part in text.split('.') {
            let name = match part.strip_suffix("[*]") {
                Some(_) if expand_at.is_some() => return Err(unparsable("has more than one [*] operator")),
                Some(name) => {
                    expand_at = Some(names.len());
                    name
                }
                None => part,
            };
            check_name(name)?;
            names.push(name.to_owned());
        }
        if names.len() > FIELD_PATH_MAX_NAMES {
            return Err(unparsable("has too many parts"));
        }
        Ok(FieldPath { names, expand_at })
    }

    /// Returns true if the path has an array expansion.
    pub fn is_expanded(&self) -> bool {
        self.expand_at.is_some()
    }

    /// Returns the first name.
    pub fn first(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// Returns the names up to the expanded array, and those after it.
    ///
    /// Without an expansion, the first part holds all names.
    pub fn around_expansion(&self) -> (&[String], &[String]) {
        match self.expand_at {
            Some(at) => self.names.split_at_checked(at + 1).unwrap_or((&self.names, &[])),
            None => (&self.names, &[]),
        }
    }
}

fn check_name(name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(unparsable("has an empty part"));
    }
    if name.contains("[*]") || name.contains('[') || name.contains(']') {
        return Err(unparsable("may have [*] only after a name"));
    }
    if name.starts_with(':') || name.ends_with(':') {
        return Err(unparsable("may not have parts that start or end with ':'"));
    }
    Ok(())
}

fn unparsable(what: &str) -> Error {
    let message = format!("parsing attribute name definition failed: an attribute path {what}");
    Error::new(ErrorCode::AttributeParserFailed, message)
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, name) in self.names.iter().enumerate() {
            if position > 0 {
                f.write_str(".")?;
            }
            f.write_str(name)?;
            if self.expand_at == Some(position) {
                f.write_str("[*]")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_prints_as_it_was_written() {
        for text in ["a", "a.b.c", "tags[*]", "items[*].price", "a.items[*].b.c", "_key"] {
            assert_eq!(FieldPath::parse(text).unwrap().to_string(), text);
        }
        let path = FieldPath::parse("a.items[*].b").unwrap();
        assert_eq!(path.expand_at, Some(1));
        assert_eq!(path.around_expansion().0, ["a", "items"]);
        assert_eq!(path.around_expansion().1, ["b"]);
    }

    #[test]
    fn other_texts_are_refused() {
        let long = "x".repeat(FIELD_PATH_MAX_BYTES + 1);
        let deep = vec!["x"; FIELD_PATH_MAX_NAMES + 1].join(".");
        for text in
            ["", ".", "a.", ".a", "a..b", "a[*].b[*]", "[*]", "a[*]b", "a[0]", "a:", ":a", &long, &deep]
        {
            let error = FieldPath::parse(text).unwrap_err();
            assert_eq!(error.code(), ErrorCode::AttributeParserFailed, "{text}");
        }
    }
}
