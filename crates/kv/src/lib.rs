//! The ordered, transactional key-value store under Persea's storage layer.
//!
//! This crate knows no engine. An engine implements [`Engine`], [`Snapshot`], [`Scan`],
//! [`WriteTransaction`] and [`BulkLoad`]. The conformance suite (module `conformance`, feature of
//! the same name) defines their behaviour.
//!
//! The traits work on batches, so they suit engines that answer in microseconds and engines that
//! answer in milliseconds. Lookups take many keys, scans return blocks of pairs, and neither costs
//! a virtual call or an allocation per row.
//!
//! Keys are compared byte by byte. An engine never looks inside a key or a value.
//!
//! Engines in this process share the code of transactions. A [`LocalTransaction`] over a
//! [`LocalStore`] keeps its writes in an [`Overlay`] and finds its conflicts in a
//! [`ConflictTable`].

mod block;
pub mod damaged_logs;
mod error;
mod large_writes;
mod living_snapshots;
mod range;
mod tree;
pub mod background;
mod closed;
mod nodes;
pub mod metrics;
mod open_store;
mod sharing;
mod engine;
pub mod bulk;
pub mod conflict;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod overlay;
mod local;
mod log_sync;
mod memory_engine;

pub use crate::metrics::{ColumnFamilyStatistics, EngineStatistics, NodeStatistics, REPLY_CUTS};
pub use block::{BLOCK_BYTES_MAX, Block, LOOKUP_BYTES, Pair, Values};
pub use closed::ClosedFlag;
pub use conflict::ConflictTable;
pub use damaged_logs::LogRecovery;
pub use engine::{
    BLOCK_LIMIT_BYTES_MAX, BlockLimits, BulkLoad, Durability, Engine, LoadHint, LoadKind, PAIR_BYTES_MAX,
    PrefixScan, Savepoint, Scan, ScanSpec, Snapshot, SnapshotAt, TransactionOptions, WaitPolicy,
    WriteTransaction,
};
pub use error::{Error, Result};
pub use large_writes::{LargeWrite, LargeWrites};
pub use living_snapshots::{LivingSnapshot, LivingSnapshots};
pub use local::{Guards, LocalStore, LocalTransaction, Writes};
pub use log_sync::LogSync;
pub use memory_engine::MemoryEngine;
pub use nodes::{DataNode, NodeHealth, NodeRole, Nodes, PlacementNode};
pub use open_store::OpenStore;
pub use overlay::{Overlay, layered};
pub use owner::Interrupt;
pub use range::{KeyRange, prefix_end, successor};
pub use sharing::{MEMBER_NUMBER_MAX, Member, MemberNumber, Sharing, TIMESTAMPS_MAX};
pub use tree::{Cursor, Entry, Tree};
