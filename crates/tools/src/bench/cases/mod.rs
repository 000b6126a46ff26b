//! Test cases: their collections and operations.

pub(super) mod crud;
pub(super) mod document;
pub(super) mod plain;
pub(super) mod query;
pub(super) mod seed;
pub(super) mod shapes;
pub(super) mod transaction;
