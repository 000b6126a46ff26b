//! Errors that several layers report in the same words.

use std::borrow::Cow;
use std::fmt::Display;

use crate::{Error, ErrorCode};

impl Error {
    /// Returns an error for a broken invariant between two parts of the server; `what` names it.
    pub fn internal(what: impl Display) -> Self {
        Error::new(ErrorCode::Internal, format!("internal error: {what}"))
    }

    /// Returns an error for a parameter or property with a wrong type or value.
    pub fn bad_parameter(message: impl Into<Cow<'static, str>>) -> Self {
        Error::new(ErrorCode::BadParameter, message)
    }

    /// Returns an error for a feature that ArangoDB has and this server lacks.
    pub fn not_implemented(what: impl Display) -> Self {
        Error::new(ErrorCode::NotImplemented, format!("not implemented: {what}"))
    }

    /// Returns an error for stored bytes that are damaged or that this version cannot read.
    ///
    /// No client can cause it.
    pub fn corrupt(what: impl Display) -> Self {
        Error::new(ErrorCode::CorruptedCollection, format!("corrupted collection: {what}"))
    }

    /// Returns an error for an unknown collection or view.
    pub fn collection_not_found(name: impl Display) -> Self {
        Error::new(ErrorCode::DataSourceNotFound, format!("collection or view not found: {name}"))
    }

    /// Returns an error for an unknown graph.
    pub fn graph_not_found(name: impl Display) -> Self {
        Error::new(ErrorCode::GraphNotFound, format!("graph '{name}' not found"))
    }

    /// Returns an error for a query that was killed, or ran longer than its `maxRuntime`.
    pub fn killed() -> Self {
        Error::of(ErrorCode::QueryKilled)
    }

    /// Returns an error for work that took longer than its budget and is done again elsewhere.
    ///
    /// It never reaches a client.
    pub fn budget_exceeded() -> Self {
        Error::of(ErrorCode::BudgetExceeded)
    }

    /// Returns an error for an expression that asks the server and so has no value before the query
    /// runs.
    ///
    /// It never reaches a client: constant folding leaves such an expression as it is.
    pub fn not_constant() -> Self {
        Error::of(ErrorCode::NotConstant)
    }
}
