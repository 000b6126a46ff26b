//! Warnings of a query: things that went wrong with one value and made it null, not the query an error.

use std::borrow::Cow;

use crate::{Error, ErrorCode, Result};

/// One warning, in the shape of `extra.warnings` of a cursor reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What went wrong.
    pub code: ErrorCode,
    /// Text for the client.
    pub message: String,
}

/// The warnings of one query. The first `max` are kept, further ones are dropped, so that a query over a billion
/// bad values does not fill the memory.
#[derive(Debug, Clone)]
pub struct Warnings {
    list: Vec<Warning>,
    max: usize,
    fail: bool,
}

impl Warnings {
    /// How many warnings a query keeps unless its option `maxWarningCount` says otherwise (ArangoDB's default).
    pub const DEFAULT_MAX: usize = 10;

    /// Keeps at most `max` warnings; with `fail_on_warning` the first warning becomes an error.
    pub fn new(max: usize, fail_on_warning: bool) -> Self {
        Self { list: Vec::new(), max, fail: fail_on_warning }
    }

    /// Records a warning. An error (with the warning's own code) if the query has `failOnWarning`.
    pub fn register(&mut self, code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Result<()> {
        if self.fail {
            return Err(Error::new(code, message));
        }
        if self.list.len() < self.max {
            self.list.push(Warning { code, message: message.into().into_owned() });
        }
        Ok(())
    }

    /// The kept warnings, oldest first.
    pub fn list(&self) -> &[Warning] {
        &self.list
    }

    /// Whether nothing was registered (or nothing may be kept).
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes the warnings of another stage (parsing, planning) in front of one's own, within the limit.
    pub fn prepend(&mut self, mut earlier: Vec<Warning>) {
        earlier.append(&mut self.list);
        earlier.truncate(self.max);
        self.list = earlier;
    }
}

impl Default for Warnings {
    fn default() -> Self {
        Self::new(Self::DEFAULT_MAX, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_at_most_max() {
        let mut warnings = Warnings::new(2, false);
        for message in ["a", "b", "c"] {
            warnings.register(ErrorCode::QueryUserWarn, message).unwrap();
        }
        assert_eq!(messages(&warnings), ["a", "b"]);
    }

    #[test]
    fn fail_on_warning_turns_the_first_into_an_error() {
        let mut warnings = Warnings::new(10, true);
        assert_eq!(
            warnings.register(ErrorCode::QueryDivisionByZero, "division by zero").unwrap_err().code(),
            ErrorCode::QueryDivisionByZero
        );
        assert!(warnings.is_empty());
    }

    #[test]
    fn earlier_warnings_come_first_and_count_towards_the_limit() {
        let mut warnings = Warnings::new(2, false);
        warnings.register(ErrorCode::QueryUserWarn, "b").unwrap();
        warnings.register(ErrorCode::QueryUserWarn, "c").unwrap();
        warnings.prepend(vec![Warning { code: ErrorCode::QueryUserWarn, message: "a".into() }]);
        assert_eq!(messages(&warnings), ["a", "b"]);
    }

    fn messages(warnings: &Warnings) -> Vec<&str> {
        warnings.list().iter().map(|warning| warning.message.as_str()).collect()
    }
}
