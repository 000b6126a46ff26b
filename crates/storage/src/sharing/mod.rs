//! The servers that share a store: what they announce to each other, and the locks that all of them
//! respect. `docs/architecture/cluster.md` has the rules.

mod members;

pub(crate) use members::{Announced, LockRecord, Members, Owner, RemoteLock, announced, read_locks};
