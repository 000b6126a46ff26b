//! The key-value trait on RocksDB, Persea's default engine.
//!
//! All keys live in one column family, in byte order. This crate does not know the layout of keys.
//! Transactions are those of [`kv::LocalTransaction`]: RocksDB only reads from snapshots and
//! applies finished batches, and takes no part in finding conflicts. No type of RocksDB leaves this
//! crate.
//!
//! # The files of a store
//! ```text
//! FORMAT          one line, `persea rocksdb 1`: the writer of the folder and the format's
//!                 version, which is 2 if the files are encrypted
//! KEYRING         the key of encrypted files, wrapped by secrets; upper layers read and write it,
//!                 and it is copied with the store
//! SYNCED          one line: how much of the log was synced; locked while the store is open
//! damaged-logs/   the damaged files of logs that were cut by `LogRecovery::Salvage`
//! load/           tables of running bulk loads; emptied when the store is opened
//! backups/        written by upper layers; RocksDB ignores it
//! CURRENT, LOCK, MANIFEST-*, OPTIONS-*, *.log, *.sst   RocksDB's own files
//! ```

mod error;
mod handle;
mod write_admission;
mod write_stalls;
mod cache_use;
mod folder;
mod format;
mod encrypted_env;
mod options;
mod prefix_scan;
mod recovery;
mod merge;
mod scan;
mod snapshot;
mod store;
mod load;
mod ranges;
mod metrics;
mod engine;
mod checkpoint;

pub use checkpoint::verify;
pub use engine::RocksEngine;
pub use folder::{FolderLock, is_store_file};
pub use format::is_store;
pub use options::{Compression, RocksOptions};
pub use recovery::DroppedLog;
