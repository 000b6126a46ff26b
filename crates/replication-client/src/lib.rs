//! The client's side of ArangoDB's replication, for dumps and for servers that follow another one.
//!
//! Source of the protocol: ArangoDB 3.11 and 3.12 documentation, "HTTP interface for replication".
//!
//! - [`Snapshot`]: a state of a database that the server holds, and its inventory.
//! - [`Documents`]: the documents of one collection of a snapshot, fetched by one or many threads.
//! - [`for_each_revision`]: keys and revisions of a collection, for comparisons.
//! - [`Source`]: the server itself: what it is, its databases, its log, its mode.
//! - [`schedule`]: threads that process collections.

mod reply;
mod snapshot;
mod documents;
mod revisions;
mod source;
mod tail;
pub mod schedule;
#[cfg(test)]
mod tests;

pub use documents::{Documents, FetchOptions, Fetched, Position};
pub use revisions::for_each_revision;
pub use snapshot::Snapshot;
pub use source::{Product, Role, Source};
pub use tail::{Applied, TailPart, TailRequest};
