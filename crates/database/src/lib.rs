//! What a client works in: sessions, queries, cursors, exports, imports and documents, with the rights of its user.
//!
//! - [`Instance`]: the server's one shared state. [`Session`]: one database seen by one user; every request works
//!   through one, and rights are checked nowhere else.
//! - [`query`]: from a request to a running plan; the plan cache; which queries run. [`cursor`]: results that are
//!   handed out batch by batch. [`export`], [`import`], [`documents`]: the ways in and out that need no query.
//!   [`dump`], [`restore`]: whole collections and databases as ArangoDB's tools move them. `graph`: named graphs.
//!   [`ttl`]: documents that expire.
//!
//! Everything here is synchronous and knows no HTTP.

mod access_tokens;
mod catalog_view;
mod computed_values;
pub mod cursor;
mod ddl;
pub mod documents;
pub mod dump;
pub mod export;
mod graph;
pub mod histogram;
mod housekeeping;
pub mod import;
mod instance;
mod maintenance;
pub mod query;
pub mod restore;
mod session;
pub mod ttl;
mod user_functions;
mod users;
mod views;

pub use aql_exec::SpillOptions;
pub use aql_value::budget::Limits;
pub use aql_value::{Budget, Interrupt};
pub use cursor::encoder::Format;
pub use cursor::{CursorOwner, Cursors, Reply};
pub use documents::{Outcomes, WriteMode, WriteOperation};
pub use errors::{Error, ErrorCode, Result};
pub use graph::{GraphWrite, StoredGraph};
pub use instance::{Instance, InstanceOptions};
pub use session::{Identity, Session};
pub use users::{Grant, UserChanges};
