//! The paths of values that a rule applies to.

use std::fmt;

/// The path of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// `*`: every value.
    Any,
    /// `.a.b`: values whose path ends with these names.
    End(Vec<String>),
    /// `a.b`: values with this path.
    Whole(Vec<String>),
}

impl Path {
    /// Parses a path. Names with dots, and the name `*`, are enclosed in backticks or acute
    /// accents.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Ok(Path::Any);
        }
        let (is_end, rest) = match text.strip_prefix('.') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut parts = Vec::new();
        let mut rest = rest;
        loop {
            let quote = rest.chars().next().filter(|first| matches!(first, '`' | '´'));
            let (part, behind) = match quote {
                Some(quote) => {
                    let inner = rest.strip_prefix(quote).unwrap_or_default();
                    inner.split_once(quote).ok_or_else(|| format!("path {text:?}: a quote is not closed"))?
                }
                None => rest.split_at(rest.find('.').unwrap_or(rest.len())),
            };
            if part.is_empty() {
                return Err(format!("path {text:?}: a name is empty"));
            }
            parts.push(part.to_owned());
            match behind.strip_prefix('.') {
                Some(next) => rest = next,
                None if behind.is_empty() => break,
                None => return Err(format!("path {text:?}: expecting a dot behind the quote")),
            }
        }
        Ok(if is_end { Path::End(parts) } else { Path::Whole(parts) })
    }

    /// Returns the top-level attribute below which all values lie that the path can match; `None`
    /// if they may lie below any.
    pub fn top_level(&self) -> Option<&str> {
        match self {
            Path::Any | Path::End(_) => None,
            Path::Whole(parts) => parts.first().map(String::as_str),
        }
    }

    pub(crate) fn matches(&self, path: &[&str]) -> bool {
        match self {
            Path::Any => true,
            Path::Whole(parts) => parts.iter().eq(path.iter()),
            Path::End(parts) => {
                parts.len() <= path.len()
                    && parts.iter().rev().zip(path.iter().rev()).all(|(part, name)| part == name)
            }
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Any => formatter.write_str("*"),
            Path::End(parts) => write!(formatter, ".{}", parts.join(".")),
            Path::Whole(parts) => formatter.write_str(&parts.join(".")),
        }
    }
}
