//! Warnings of a query: problems with one value that make it null, without an error of the query.

use std::borrow::Cow;

use errors::{Error, ErrorCode, Result};

/// One warning, in the shape of `extra.warnings` of a cursor reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The problem.
    pub code: ErrorCode,
    /// The text for the client.
    pub message: String,
}

/// The warnings of one query.
///
/// The first `max` are kept and further ones dropped, so that a query over a billion bad values
/// does not fill the memory.
#[derive(Debug, Clone)]
pub struct Warnings {
    list: Vec<Warning>,
    max: usize,
    fail: bool,
}

impl Warnings {
    /// The default of the option `maxWarningCount`, as in ArangoDB.
    pub const DEFAULT_MAX: usize = 10;

    /// Returns a list of at most `max` warnings.
    ///
    /// With `fail_on_warning` the first warning becomes an error.
    pub fn new(max: usize, fail_on_warning: bool) -> Self {
        Self { list: Vec::new(), max, fail: fail_on_warning }
    }

    /// Records a warning.
    ///
    /// Errors: the warning's own code if the query has `failOnWarning`.
    pub fn register(&mut self, code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Result<()> {
        if self.fail {
            return Err(Error::new(code, message));
        }
        if self.list.len() < self.max {
            self.list.push(Warning { code, message: message.into().into_owned() });
        }
        Ok(())
    }

    /// Returns the kept warnings, oldest first.
    pub fn list(&self) -> &[Warning] {
        &self.list
    }

    /// Returns true if the first warning is an error.
    pub fn fails(&self) -> bool {
        self.fail
    }

    /// Returns an empty list with the same options.
    pub fn emptied(&self) -> Self {
        Self::new(self.max, self.fail)
    }

    /// Adds the warnings of a later part of the query, within the limit.
    pub fn append(&mut self, later: Vec<Warning>) {
        let room = self.max.saturating_sub(self.list.len());
        self.list.extend(later.into_iter().take(room));
    }

    /// Returns true if nothing was registered (or nothing may be kept).
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Inserts the warnings of an earlier stage (parsing, planning) before its own, within the
    /// limit.
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
