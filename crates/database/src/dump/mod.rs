//! Dumps: collections as of one moment, for ArangoDB's dump tool and our own.
//!
//! A dump begins with a batch ([`Batches`]): a snapshot that expires after an idle time.
//! [`inventory`] lists the contents of a batch. Clients fetch documents in chunks, one collection
//! after the other ([`chunks`]), or with concurrent requests that share ranges of keys
//! ([`contexts`]). All of them read the batch's one snapshot. Documents are written from the
//! storage block as lines of JSON or as VelocyPack in one pass ([`reader`]). The clients'
//! operations stand in [`session`].

mod batches;
mod chunks;
mod context;
mod contexts;
mod inventory;
mod range;
mod reader;
mod registry;
mod session;
pub(crate) mod users;

pub use batches::{Batch, Batches};
pub use chunks::{Chunk, ChunkRequest};
pub use context::DumpBatch;
pub use contexts::{DumpContexts, DumpReadAhead, DumpRequest};
pub use inventory::InventoryRequest;
pub use reader::Form;
pub use users::FOREIGN_HASH_PREFIX;

/// The system collection in which dumps show users. Users live in the catalog; the collection
/// itself is empty.
pub const USERS_COLLECTION: &str = "_users";
