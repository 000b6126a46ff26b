//! Dumps: collections as of one moment, for ArangoDB's dump tool and our own.
//!
//! [`session`]: the clients' operations on batches, chunks and contexts. [`inventory`]: the
//! contents of a batch.

mod inventory;
mod session;

pub use crate::base::user_documents::{FOREIGN_HASH_PREFIX, USERS_COLLECTION};
pub use crate::state::dump::{
    Batch, Batches, Chunk, ChunkRequest, DumpBatch, DumpContexts, DumpReadAhead, DumpRequest, Form,
};
pub use inventory::InventoryRequest;
