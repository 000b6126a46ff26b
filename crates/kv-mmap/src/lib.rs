//! The key-value trait on a memory-mapped B+-tree: LMDB, with a log in front of it.
//!
//! # A commit
//! A commit appends one record to the log and becomes visible as a part of the active layer, an
//! ordered map in memory. About once a second, or when it is full, the layer is frozen, and its
//! writes are merged into LMDB's file in one synced transaction. The part of the log that has the
//! same writes is then removed. LMDB alone would require either a sync for each commit or a file
//! that a power failure can damage.
//!
//! # A snapshot
//! A snapshot is a read transaction of LMDB, shared by all snapshots of the same version, and both
//! layers of that moment. It copies nothing.
//!
//! # The files of a store
//! ```text
//! FORMAT              one line: the writer of the folder, the version, the kind of machine
//! LOCK                locked while the store is open
//! pairs.N.mdb         the mapped file, with LMDB's own file `-lock` next to it
//! log/NNNNNNNNNN.log  the log (module `log::record`)
//! load/               pairs of running bulk loads; emptied when the store is opened
//! damaged-logs/       the damaged files of logs that were cut by `LogRecovery::Salvage`
//! ```

mod error;
mod flush_signal;
mod options;
mod environment;
mod format;
mod keys;
mod samples;
mod version;
mod layers;
mod old_versions;
mod scan;
mod tables;
mod log;
mod snapshot;
mod store;
mod flusher;
mod load;
mod ranges;
mod metrics;
mod engine;
mod folder;

pub use engine::MmapEngine;
pub use folder::{is_store_file, settle};
pub use format::{FolderLock, is_store};
pub use log::DroppedLog;
pub use options::MmapOptions;
