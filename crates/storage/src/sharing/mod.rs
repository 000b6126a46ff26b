//! The servers that share a store: what they announce to each other, and the locks that all of them
//! respect. `docs/architecture/cluster.md` has the rules.

mod coordination;
mod cursor_records;
mod members;

pub(crate) use coordination::Coordination;
pub use cursor_records::{CursorProgress, CursorRecord, CursorRecords};
pub(crate) use members::{Announced, LockRecord, Members, Owner, announced, read_locks};
