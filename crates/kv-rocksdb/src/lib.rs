//! The key-value trait on RocksDB, Persea's default engine.
//!
//! All keys live in one column family; their order is byte order and their layout is none of this crate's business.
//! Transactions are those of [`kv::LocalTransaction`]: RocksDB is asked to read from snapshots and to apply finished
//! batches, and takes no part in finding conflicts. No type of RocksDB leaves this crate.
//!
//! # The files of a store
//! ```text
//! FORMAT          one line, `persea rocksdb 1`: who wrote the folder, and the format's version
//! load/           tables of bulk loads that are being written; emptied when the store is opened
//! CURRENT, LOCK, MANIFEST-*, OPTIONS-*, *.log, *.sst   RocksDB's own
//! ```

mod background;
mod cache_use;
mod closed;
mod engine;
mod error;
mod format;
mod handle;
mod load;
mod merge;
mod options;
mod prefix_scan;
mod ranges;
mod scan;
mod snapshot;
mod statistics;
mod store;
mod wal_sync;
mod write_admission;

pub use engine::RocksEngine;
pub use options::{Compression, RocksOptions};
