//! Failures of the server to start.

/// The reason why the server could not start, in words for an operator.
pub(crate) type Failure = Box<dyn std::error::Error>;
