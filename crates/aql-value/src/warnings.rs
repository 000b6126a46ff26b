//! Warnings of a query: things that went wrong with one value and made it null, not the query an error.

use crate::error::{Error, Result};

/// One warning, in the shape of `extra.warnings` of a cursor reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// ArangoDB's error number.
    pub number: u32,
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

    /// Records a warning. An error (with the warning's own number) if the query has `failOnWarning`.
    pub fn register(&mut self, number: u32, message: impl Into<String>) -> Result<()> {
        if self.fail {
            return Err(Error::new(number, message));
        }
        if self.list.len() < self.max {
            self.list.push(Warning { number, message: message.into() });
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
        for number in 1..=5 {
            warnings.register(number, "w").unwrap();
        }
        assert_eq!(warnings.list().iter().map(|w| w.number).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn fail_on_warning_turns_the_first_into_an_error() {
        let mut warnings = Warnings::new(10, true);
        assert_eq!(warnings.register(1562, "division by zero").unwrap_err().number, 1562);
        assert!(warnings.is_empty());
    }

    #[test]
    fn earlier_warnings_come_first_and_count_towards_the_limit() {
        let mut warnings = Warnings::new(2, false);
        warnings.register(2, "b").unwrap();
        warnings.register(3, "c").unwrap();
        warnings.prepend(vec![Warning { number: 1, message: "a".into() }]);
        assert_eq!(warnings.list().iter().map(|w| w.number).collect::<Vec<_>>(), [1, 2]);
    }
}
