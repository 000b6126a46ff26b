//! Mistakes in a command line.

use std::fmt;

/// Options that cannot be used: a sentence for a person, and an exit code for a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The kind of the error.
    pub kind: MistakeKind,
    /// The sentence for a person: the error, its place, and a value that would be right.
    pub text: String,
}

/// Kinds of mistakes, each with ArangoDB's exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MistakeKind {
    /// A name that no option has.
    Name,
    /// A value that the option cannot have.
    Value,
    /// A configuration file that cannot be read or understood.
    File,
}

impl Mistake {
    pub(crate) fn name(text: String) -> Self {
        Mistake { kind: MistakeKind::Name, text }
    }

    /// Returns the error of a well-formed value that the program cannot use.
    pub fn value(text: impl Into<String>) -> Self {
        Mistake { kind: MistakeKind::Value, text: text.into() }
    }

    pub(crate) fn file(text: String) -> Self {
        Mistake { kind: MistakeKind::File, text }
    }

    /// Returns the process's exit code, as ArangoDB's programs have them since 3.10.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            MistakeKind::Name => 3,
            MistakeKind::Value => 4,
            MistakeKind::File => 6,
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Mistake {}
