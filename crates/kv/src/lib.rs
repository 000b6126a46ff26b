//! The ordered, transactional key-value store that Persea's storage layer is written against.
//!
//! This crate knows no engine. An engine implements [`Engine`], [`Snapshot`], [`Scan`], [`WriteTransaction`] and
//! [`BulkLoad`]; the conformance suite in [`conformance`] is the definition of what they must do.
//!
//! The trait is batch-first, so that an engine in microseconds and one in milliseconds both do well: look-ups take many
//! keys, scans return blocks of pairs, and neither costs a virtual call or an allocation a row.
//!
//! Keys are compared byte by byte. An engine never looks inside a key or a value.

pub mod conformance;
mod block;
mod conflict;
mod engine;
mod error;
pub mod memory;
mod overlay;
mod range;

pub use block::{Block, Values};
pub use conflict::ConflictTable;
pub use engine::{
    BlockLimits, BulkLoad, Durability, Engine, EngineStatistics, Savepoint, Scan, ScanSpec, Snapshot,
    TransactionOptions, WriteTransaction,
};
pub use error::{Error, Result};
pub use overlay::Overlay;
pub use range::KeyRange;
