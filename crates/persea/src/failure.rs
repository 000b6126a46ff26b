//! Why the server could not start.

/// The reason why the server could not start, for a person.
pub(crate) type Failure = Box<dyn std::error::Error>;
