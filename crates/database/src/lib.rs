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

mod index_training;
mod local_ids;
mod owner;
mod restricted;
mod search_upkeep;
pub mod ttl;
mod computed_values;
mod analyzer;
mod catalog_view;
pub mod cursor;
pub mod documents;
pub mod dump;
mod graph;
mod instance;
pub mod javascript;
pub mod query;
pub mod restore;
mod session;
pub mod tasks;
pub mod transaction;
mod view;
mod access_tokens;
mod ddl;
pub mod export;
mod housekeeping;
pub mod import;
mod maintenance;
mod user_functions;
mod users;

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
