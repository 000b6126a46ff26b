//! The key-value trait on a B+-tree in one file, with a log in front of it: LMDB's memory-mapped
//! file, or redb's if the store is encrypted.
//!
//! # A commit
//! A commit appends one record to the log and becomes visible as a part of the active layer, an
//! ordered map in memory. About once a second, or when it is full, the layer is frozen, and its
//! writes are merged into the tables in one synced transaction. The part of the log that has the
//! same writes is then removed. A tree alone would require either a sync for each commit or a file
//! that a power failure can damage.
//!
//! # A snapshot
//! A snapshot is a read transaction of the tree, shared by all snapshots of the same version, and
//! both layers of that moment. It copies nothing.
//!
//! # Encryption
//! LMDB maps its file, so it cannot encrypt it. redb reads and writes pages through a trait, below
//! which every page is encrypted (module `encrypted`). The log is encrypted too. A plain store does
//! not know of either.
//!
//! # The files of a store
//! ```text
//! FORMAT              one line: the writer of the folder, the version, the kind of machine or
//!                     `encrypted`
//! KEYRING             the key of encrypted files, wrapped by secrets; upper layers read and write
//!                     it
//! LOCK                locked while the store is open
//! pairs.N.mdb         the mapped file, with LMDB's own file `-lock` next to it
//! pairs.N.redb        or the encrypted file
//! log/NNNNNNNNNN.log  the log (module `log::record`)
//! load/               pairs of running bulk loads, in files without names
//! damaged-logs/       the damaged files of logs that were cut by `LogRecovery::Salvage`
//! ```

mod error;
mod flush_signal;
mod options;
mod data_files;
mod samples;
mod mapped;
mod encrypted;
mod environment;
mod format;
mod version;
mod layers;
mod old_versions;
mod scan;
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
