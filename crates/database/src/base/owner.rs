//! The owners of things that outlive a request.

use std::sync::Arc;

/// The owner of a cursor or a transaction: a user in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The database.
    pub database: Arc<str>,
    /// The user; `None` without authentication.
    pub user: Option<Arc<str>>,
}
