//! The work of clients: sessions, queries, cursors, exports, imports and documents, with the rights
//! of their users.
//!
//! Every request works through a [`Session`]: one database seen by one user, with checks of all
//! rights. The modules below it do not check rights. Those above it contain its methods, by topic.
//!
//! - `base`, `embedded_aql`, `query_request`: values, and AQL in definitions.
//! - `state`: everything that outlives a request. [`Instance`] owns it.
//! - [`transaction`]: transactions that span requests. [`documents`], `graph`: documents without a
//!   query.
//! - [`javascript`](mod@javascript): scripts of users. `definitions`: collections, indexes, views,
//!   Analyzers, users.
//! - [`changes`]: what the change log has. `maintenance`: the store as administrators see it.
//! - [`analytics`]: algorithms over whole graphs.
//! - [`query`]: from a request to a running plan. `transfer`: [`export`], [`import`], [`dump`] and
//!   [`restore`] of whole collections.
//! - [`foxx`](mod@foxx): services in JavaScript.
//! - [`follow`]: another server, copied to this one and followed. [`group`]: servers that elect the
//!   one that the others follow.
//! - `background`: the threads of an instance.
//!
//! Everything here is synchronous and independent of HTTP.

mod metrics;
mod base;
mod embedded_aql;
pub mod query_request;
mod state;
mod instance;
mod session;
pub mod transaction;
pub mod documents;
mod graph;
pub mod javascript;
mod definitions;
pub mod changes;
mod maintenance;
pub mod analytics;
pub mod query;
mod transfer;
pub mod foxx;
pub mod follow;
pub mod group;
mod background;

pub use crate::metrics::TransactionCounts;
pub use aql_exec::{Parallelism, SpillOptions};
pub use aql_value::budget::Limits;
pub use aql_value::{Budget, Charge, Interrupt, MemoryAccount, Waiting, activity, share, waiting};
pub use base::{LocalIds, Owner, SharingServer};
pub use definitions::{Grant, UserChanges};
pub use documents::{DocumentReader, Outcomes, WriteMode, WriteOperation};
pub use graph::{GraphWrite, StoredGraph};
pub use instance::{Instance, InstanceOptions, JavaScriptOptions};
pub use kv::{DataNode, NodeHealth, NodeRole, Nodes, PlacementNode};
pub use session::{ExternalIdentity, Identity, Session};
pub use state::cursor::encoder::Format;
pub use state::cursor::{Cursors, Reply};
pub use state::usage::UsageMode;
pub use state::{cursor, tasks, ttl};
pub use transfer::{dump, export, import, restore};
