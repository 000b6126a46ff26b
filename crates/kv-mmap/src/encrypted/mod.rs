//! The tables of an encrypted store: a file of redb, whose sectors are encrypted.
//!
//! redb is a copy-on-write B+-tree: a commit never overwrites a page that an earlier state needs.
//! It reads and writes through [`backend::SectorFile`], so it sees plain pages only, and keeps the
//! recent ones in its cache. Keys have any length there.

#[cfg(test)]
mod faults;
mod backend;
mod view;
mod writer;
mod environment;
mod shared_view;
#[cfg(test)]
mod tests;

pub(crate) use environment::{Environment, check_key};
pub(crate) use shared_view::SharedView;
pub(crate) use view::View;
pub(crate) use writer::Writer;

use std::panic::{AssertUnwindSafe, catch_unwind};

use redb::TableDefinition;

/// A table with keys and values of bytes.
type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

/// The pairs by key.
const PAIRS: Definition = TableDefinition::new("pairs");

/// Samples of the keys (module `samples`).
const SAMPLES: Definition = TableDefinition::new("samples");

/// The state of the store: numbers by name.
const STATE: Definition = TableDefinition::new("state");

/// The name of the sequence number of the last record of the log that is in the tables.
const APPLIED: &[u8] = b"applied";

/// The name of the number of bytes in keys and values of all pairs.
const PAIR_BYTES: &[u8] = b"pair bytes";

/// Returns the number in a value of the state; 0 if there is none.
fn number(value: Option<&[u8]>) -> kv::Result<u64> {
    let damaged = |_| kv::Error::Corrupt { reason: "a number in the tables has no 8 bytes".to_owned() };
    value.map_or(Ok(0), |value| value.try_into().map(u64::from_le_bytes).map_err(damaged))
}

/// Runs operations of redb, which panics on some damaged pages, and makes an error of that.
///
/// Errors: [`kv::Error::Corrupt`], those of `run`.
fn guarded<T>(run: impl FnOnce() -> kv::Result<T>) -> kv::Result<T> {
    // After an error, nothing that `run` has changed is used.
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| Err(kv::Error::Corrupt { reason: "a page of the tables is damaged".to_owned() }))
}
