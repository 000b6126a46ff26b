//! Errors that several layers report in the same words.

use std::borrow::Cow;
use std::fmt::Display;

use crate::{Error, ErrorCode};

impl Error {
    /// A broken promise between two parts of the server; `what` names it.
    pub fn internal(what: impl Display) -> Self {
        Error::new(ErrorCode::Internal, format!("internal error: {what}"))
    }

    /// A parameter or property with a wrong type or value.
    pub fn bad_parameter(message: impl Into<Cow<'static, str>>) -> Self {
        Error::new(ErrorCode::BadParameter, message)
    }

    /// A feature that ArangoDB has and this server lacks.
    pub fn not_implemented(what: impl Display) -> Self {
        Error::new(ErrorCode::NotImplemented, format!("not implemented: {what}"))
    }

    /// Stored bytes that cannot be what was written, or that this version cannot read. Never caused by a client.
    pub fn corrupt(what: impl Display) -> Self {
        Error::new(ErrorCode::CorruptedCollection, format!("corrupted collection: {what}"))
    }

    /// No collection or view of this name.
    pub fn collection_not_found(name: impl Display) -> Self {
        Error::new(ErrorCode::DataSourceNotFound, format!("collection or view not found: {name}"))
    }

    /// No graph of this name.
    pub fn graph_not_found(name: impl Display) -> Self {
        Error::new(ErrorCode::GraphNotFound, format!("graph '{name}' not found"))
    }

    /// A query that was killed, or ran longer than its `maxRuntime`.
    pub fn killed() -> Self {
        Error::of(ErrorCode::QueryKilled)
    }

    /// An expression that asks the server something, so that it has no value before the query runs. Never reaches a
    /// client: constant folding leaves such an expression as it is.
    pub fn not_constant() -> Self {
        Error::of(ErrorCode::NotConstant)
    }
}
