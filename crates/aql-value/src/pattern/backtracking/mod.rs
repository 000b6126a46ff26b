//! Regular expressions with look-around, references, possessive quantifiers and atomic groups.
//!
//! They need backtracking, whose time may grow with a power of the text, or exponentially. So the
//! machine counts its steps, checks the interrupt between them, and gives up after a limit. No
//! step takes longer than a comparison of two texts.

mod set;
mod syntax;
mod program;
mod machine;

use errors::Result;
use owner::Interrupt;

use self::program::Program;

pub(super) use machine::Outcome;

/// A compiled expression.
#[derive(Clone, Debug)]
pub(super) struct Backtracking(Program);

impl Backtracking {
    /// Compiles an expression; `None` if it is invalid or too large.
    pub(super) fn new(pattern: &str, ignores_case: bool) -> Option<Self> {
        Program::new(pattern, ignores_case).map(Backtracking)
    }

    /// Returns true if an expression has a quantifier like `*+`, which keeps all that it takes.
    /// Other engines read it as two quantifiers.
    pub(super) fn is_possessive(pattern: &str) -> bool {
        const ENDS: [&str; 4] = ["++", "*+", "?+", "}+"];
        ENDS.iter().any(|end| pattern.contains(end))
            && syntax::parse(pattern, false).is_some_and(|parsed| parsed.is_possessive)
    }

    /// Finds the first match from `start` on. Errors: 1500 if the query is ended during this.
    pub(super) fn find(&self, text: &str, start: usize, interrupt: &Interrupt) -> Result<Outcome> {
        machine::find(&self.0, text, start, interrupt)
    }

    /// Returns the number of groups, the whole match included.
    pub(super) fn group_count(&self) -> usize {
        self.0.groups
    }

    /// Returns the number of the group with this name.
    pub(super) fn group_named(&self, name: &str) -> Option<usize> {
        self.0.names.get(name).copied()
    }
}

#[cfg(test)]
mod tests;
