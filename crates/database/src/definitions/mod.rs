//! Definitions of databases, collections, indexes, views, Analyzers, users, access tokens and
//! sessions: they are read, made, changed and dropped with checks of rights.

mod access_tokens;
mod analyzer;
mod ddl;
mod user_sessions;
mod users;
pub(crate) mod view;

pub use users::{Grant, UserChanges};
