//! Dumps: collections as of one moment, as ArangoDB's dump tool fetches them.
//!
//! [`Batches`] are what a dump begins with: a snapshot with a time to live that counts idle time only. Within one,
//! [`inventory`] tells what there is, and documents are fetched either one collection after the other in chunks
//! ([`chunks`]), or by many requests at once ([`contexts`]), also of one collection, which is divided into ranges of
//! keys. All of them read the batch's one snapshot. Documents go from the storage block to lines of JSON, or
//! VelocyPack, in one walk ([`reader`]).

mod batches;
mod chunks;
mod context;
mod contexts;
mod inventory;
mod range;
mod reader;
mod registry;
pub(crate) mod users;

pub use batches::{Batch, Batches};
pub use chunks::{Chunk, ChunkRequest};
pub use contexts::{DumpBatch, DumpContexts, DumpReadAhead, DumpRequest};
pub use inventory::InventoryRequest;
pub use reader::Form;
pub use users::FOREIGN_HASH_PREFIX;

/// The system collection that dumps show users in. They live in the catalog; the collection itself is empty.
pub const USERS_COLLECTION: &str = "_users";
