//! The work of clients: sessions, queries, cursors, exports, imports and documents, with the rights
//! of their users.
//!
//! - [`Instance`]: the server's shared state. [`Session`]: one database seen by one user. Every
//!   request works through a session, which checks all rights.
//! - [`query`]: from a request to a running plan, the plan cache, and the list of running queries.
//!   [`cursor`]: results that are delivered batch by batch. [`export`], [`import`], [`documents`]:
//!   reads and writes without a query. [`dump`], [`restore`]: whole collections and databases for
//!   ArangoDB's tools. `graph`: named graphs. `analyzer`: analyzers of users. [`transaction`]:
//!   transactions that span requests. [`ttl`]: expiry of documents.
//!   [`javascript`](mod@javascript): scripts of users. [`tasks`]: scripts that run later.
//!
//! Everything here is synchronous and independent of HTTP.

mod access_tokens;
mod analyzer;
mod catalog_view;
mod computed_values;
pub mod cursor;
mod ddl;
pub mod documents;
pub mod dump;
pub mod export;
mod graph;
mod housekeeping;
pub mod import;
mod index_training;
mod instance;
pub mod javascript;
mod local_ids;
mod maintenance;
mod owner;
pub mod query;
pub mod restore;
mod restricted;
mod search_upkeep;
mod session;
pub mod tasks;
pub mod transaction;
pub mod ttl;
mod user_functions;
mod users;
mod view;

pub use crate::javascript::options::JavaScriptOptions;
pub use aql_exec::SpillOptions;
pub use aql_value::budget::Limits;
pub use aql_value::{Budget, Charge, Interrupt, MemoryAccount};
pub use cursor::encoder::Format;
pub use cursor::{Cursors, Reply};
pub use documents::{DocumentReader, Outcomes, WriteMode, WriteOperation};
pub use graph::{GraphWrite, StoredGraph};
pub use instance::{Instance, InstanceOptions};
pub use kv::{DataNode, NodeHealth, NodeRole, NodeStatistics, Nodes, PlacementNode, REPLY_CUTS};
pub use local_ids::{LocalIds, SharingServer};
pub use owner::Owner;
pub use session::{Identity, Session};
pub use storage::histogram;
pub use users::{Grant, UserChanges};
