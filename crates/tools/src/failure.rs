//! Failures of a tool.

use options::Mistake;

/// The exit code of most failures, as in ArangoDB's tools.
const EXIT_FAILED: u8 = 1;

/// The failure of a tool: a sentence for a person, and an exit code for a script.
#[derive(Clone, Debug)]
pub struct Failure {
    text: String,
    exit_code: u8,
}

impl Failure {
    /// Returns a failure with exit code 1.
    pub fn new(text: impl Into<String>) -> Self {
        Failure { text: text.into(), exit_code: EXIT_FAILED }
    }

    /// Returns the failure of an option with an unusable value; exit code 4.
    pub fn option(text: impl Into<String>) -> Self {
        Mistake::value(text).into()
    }

    /// Returns a failure without a sentence: everything has been said.
    pub(crate) fn silent(exit_code: u8) -> Self {
        Failure { text: String::new(), exit_code }
    }

    /// Returns the sentence for a person.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the process's exit code.
    pub fn exit_code(&self) -> u8 {
        self.exit_code
    }

    /// Returns the same failure with a description of the work before its text.
    #[must_use]
    pub fn during(self, what: &str) -> Self {
        Failure { text: format!("{what}: {}", self.text), ..self }
    }
}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Self {
        Failure { exit_code: mistake.exit_code(), text: mistake.text }
    }
}

impl From<client::Error> for Failure {
    fn from(error: client::Error) -> Self {
        Failure::new(error.to_string())
    }
}

impl From<errors::Error> for Failure {
    fn from(error: errors::Error) -> Self {
        Failure::new(error.to_string())
    }
}

impl From<gzip_members::Error> for Failure {
    fn from(error: gzip_members::Error) -> Self {
        Failure::new(error.to_string())
    }
}

impl From<velocypack::Error> for Failure {
    fn from(error: velocypack::Error) -> Self {
        Failure::new(error.to_string())
    }
}
