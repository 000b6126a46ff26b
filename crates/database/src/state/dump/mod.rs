//! The state of dumps between requests: snapshots, and the progress of their clients.
//!
//! A dump begins with a batch ([`Batches`]): a snapshot that expires after an idle time. Clients
//! fetch documents in chunks, one collection after the other ([`chunks`]), or with concurrent
//! requests that share ranges of keys ([`contexts`]). All of them read the batch's one snapshot.
//! Documents are written from the storage block as lines of JSON or as VelocyPack in one pass
//! ([`reader`]).

pub(crate) mod batches;
pub(crate) mod chunks;
pub(crate) mod context;
pub(crate) mod contexts;
pub(crate) mod range;
pub(crate) mod reader;
pub(crate) mod registry;
mod work;

pub use batches::{Batch, Batches};
pub use chunks::{Chunk, ChunkRequest};
pub use contexts::{DumpContexts, DumpReadAhead, DumpRequest};
pub use reader::Form;
pub use work::DumpBatch;
pub(crate) use work::Limits;
