//! The key-value trait on a TiKV cluster.
//!
//! # The client
//! The crate has a client of its own: gRPC over HTTP/2 ([`network`]), the messages that it needs
//! ([`protocol`]), and PD's timestamps and the places of keys ([`topology`]). Two modules make
//! transactions correct: [`locks`] resolves the locks of others, and [`commit`] runs the two phases
//! of a commit.
//!
//! # A snapshot
//! A snapshot is a timestamp of PD. It shows all commits with smaller ones.
//!
//! # A transaction
//! Writes are buffered. Conflicts within this process are found immediately by its conflict table;
//! those with other processes are found at the commit, which checks every written and locked key
//! against the timestamp that the transaction has read. A key that was inserted must still be
//! absent.
//!
//! # Threads
//! Two threads of a runtime of its own move messages. A caller blocks until its result arrives.

mod codec;
mod keys;
mod network;
mod outcomes;
mod protocol;
mod runtime;
mod values;
mod versions;
mod options;
mod topology;
mod refusals;
mod replica_reads;
mod locks;
mod commit;
mod fetch;
mod membership;
mod shared;
mod sharing;
mod load;
mod maintenance;
mod read;
mod store;
mod engine;
#[cfg(any(test, feature = "mock-cluster"))]
#[cfg_attr(not(test), expect(dead_code, reason = "other crates use a part of it"))]
mod mock_cluster;
#[cfg(feature = "mock-cluster")]
mod memory_cluster;
#[cfg(test)]
mod tests;

pub use engine::TikvEngine;
pub use membership::identity::Identity;
#[cfg(feature = "mock-cluster")]
pub use memory_cluster::MemoryCluster;
pub use network::TlsFiles;
pub use options::{DIRTY_READ_AGE_MAX, TikvOptions};
