//! Dumps: collections as of one moment, for ArangoDB's dump tool and our own.
//!
//! [`session`]: the clients' operations on batches, chunks and contexts. [`inventory`]: the
//! contents of a batch. [`users`]: users as documents of a dump.

mod inventory;
mod session;
pub(crate) mod users;

pub use crate::state::dump::{
    Batch, Batches, Chunk, ChunkRequest, DumpBatch, DumpContexts, DumpReadAhead, DumpRequest, Form,
};
pub use inventory::InventoryRequest;
pub use users::FOREIGN_HASH_PREFIX;

/// The system collection in which dumps show users. Users live in the catalog; the collection
/// itself is empty.
pub const USERS_COLLECTION: &str = "_users";
