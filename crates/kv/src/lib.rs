//! The ordered, transactional key-value store that Persea's storage layer is written against.
//!
//! This crate knows no engine. An engine implements [`Engine`], [`Snapshot`], [`Scan`], [`WriteTransaction`] and
//! [`BulkLoad`]; the conformance suite (module `conformance`, feature of the same name) is the definition of what
//! they must do.
//!
//! The trait is batch-first, so that an engine in microseconds and one in milliseconds both do well: look-ups take many
//! keys, scans return blocks of pairs, and neither costs a virtual call or an allocation a row.
//!
//! Keys are compared byte by byte. An engine never looks inside a key or a value.
//!
//! Engines in this process share their transactions: [`LocalTransaction`] is one over a [`LocalStore`], with its writes
//! in an [`Overlay`] and its conflicts in a [`ConflictTable`].

mod block;
pub mod bulk;
pub mod conflict;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod engine;
mod error;
mod local;
mod memory_engine;
mod overlay;
mod range;
mod tree;

pub use block::{BLOCK_BYTES_MAX, Block, Pair, Values};
pub use conflict::ConflictTable;
pub use engine::{
    BLOCK_LIMIT_BYTES_MAX, BlockLimits, BulkLoad, Durability, Engine, EngineStatistics, LoadHint, LoadKind,
    PAIR_BYTES_MAX, PrefixScan, Savepoint, Scan, ScanSpec, Snapshot, SnapshotAt, TransactionOptions,
    WaitPolicy, WriteTransaction,
};
pub use error::{Error, Result};
pub use local::{LocalStore, LocalTransaction};
pub use memory_engine::MemoryEngine;
pub use overlay::Overlay;
pub use range::{KeyRange, prefix_end, successor};
pub use tree::Entry;
