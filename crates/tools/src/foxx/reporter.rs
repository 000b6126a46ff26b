//! The forms of the results of tests.

/// A form of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reporter {
    /// The suites with their tests.
    Spec,
    /// All tests.
    List,
    /// The failures.
    Min,
    /// The server's JSON.
    Json,
    /// The Test Anything Protocol.
    Tap,
    /// Events as lines of JSON.
    Stream,
    /// JUnit's XML.
    Xunit,
}

impl Reporter {
    /// Returns the reporter of the server that it is made of.
    pub(super) fn name(self) -> &'static str {
        match self {
            Reporter::Spec => "suite",
            Reporter::List | Reporter::Min | Reporter::Json => "default",
            Reporter::Tap => "tap",
            Reporter::Stream => "stream",
            Reporter::Xunit => "xunit",
        }
    }

    /// Returns true if the server makes the text.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Reporter::Tap | Reporter::Stream | Reporter::Xunit)
    }
}
