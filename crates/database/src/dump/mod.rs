//! Dumps: collections as of one moment, as ArangoDB's dump tool fetches them.
//!
//! A dump begins with a batch ([`Batches`]): a snapshot with a time to live that counts idle time only. Within one,
//! [`inventory`] lists what there is. Documents are fetched in chunks, one collection after the other ([`chunks`]), or by
//! many requests at once, which share out ranges of keys ([`contexts`]). All of them read the batch's one snapshot.
//! Documents go from the storage block to lines of JSON, or VelocyPack, in one walk ([`reader`]). The verbs of clients
//! stand in [`session`].

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

/// The system collection that dumps show users in. They live in the catalog; the collection itself is empty.
pub const USERS_COLLECTION: &str = "_users";
