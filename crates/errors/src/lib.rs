//! The one error type of every layer above the key-value engine.
//!
//! [`ErrorCode`] lists the reasons of failures. One table holds their numbers, names and HTTP
//! statuses, which are ArangoDB's. [`Error`] is a code with a message and
//! [details](Error::document) for the client and for the layers that decide what to do next.
//! Decisions match codes; only replies and the log print numbers.

mod code;
mod error;
mod common;

pub use code::ErrorCode;
pub use error::{ConflictingDocument, Error, Position, Result};
