//! Records of the change log.
//!
//! A commit is one record, or several *parts* if it is large. A part has a header, the collections
//! that it names, and entries. `docs/storage-format.md` describes the bytes.
//!
//! Positions count the steps of commits. A commit of one entry takes one position. A commit of `n`
//! entries takes `n + 2`: its begin, its entries, and its end.

mod read;
mod thin;
mod thinned_to;
mod write;
#[cfg(test)]
mod tests;

use catalog::DatabaseId;
use errors::{Error, Result};
use kv::{BlockLimits, KeyRange, ScanSpec, Snapshot};

use super::CHANGES;

pub(crate) use read::ChangePart;
pub use read::{Change, ChangedCollection};
pub(crate) use thin::Thinned;
pub(crate) use thinned_to::{OTHERS, ThinnedTo};
pub(crate) use write::{ChangeBuffer, ChangeSavepoint, Origin};

/// The log that has databases and users: it belongs to no database.
pub const SERVER_LOG: DatabaseId = DatabaseId(0);

/// The kinds of entries.
///
/// The numbers are part of the storage format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ChangeKind {
    /// A document was inserted.
    Inserted = 1,
    /// A document was changed by an update.
    Updated = 2,
    /// A document was changed by a replacement.
    Replaced = 3,
    /// A document was removed. The entry has its `_key` and `_rev`.
    Removed = 4,
    /// A database was created.
    DatabaseCreated = 16,
    /// A database was dropped with everything in it.
    DatabaseDropped = 17,
    /// A collection was created.
    CollectionCreated = 18,
    /// A collection was dropped.
    CollectionDropped = 19,
    /// A collection has another name. The entry names it as it was called before.
    CollectionRenamed = 20,
    /// Properties of a collection were changed.
    CollectionChanged = 21,
    /// All documents of a collection were removed in one step.
    Truncated = 22,
    /// An index was created.
    IndexCreated = 23,
    /// An index was dropped.
    IndexDropped = 24,
    /// A view was created.
    ViewCreated = 25,
    /// A view was dropped.
    ViewDropped = 26,
    /// A view has other properties, or another name.
    ViewChanged = 27,
    /// A user was created or changed.
    UserChanged = 28,
    /// A user was removed.
    UserRemoved = 29,
}

impl ChangeKind {
    /// All kinds.
    pub const ALL: [ChangeKind; 18] = [
        ChangeKind::Inserted,
        ChangeKind::Updated,
        ChangeKind::Replaced,
        ChangeKind::Removed,
        ChangeKind::DatabaseCreated,
        ChangeKind::DatabaseDropped,
        ChangeKind::CollectionCreated,
        ChangeKind::CollectionDropped,
        ChangeKind::CollectionRenamed,
        ChangeKind::CollectionChanged,
        ChangeKind::Truncated,
        ChangeKind::IndexCreated,
        ChangeKind::IndexDropped,
        ChangeKind::ViewCreated,
        ChangeKind::ViewDropped,
        ChangeKind::ViewChanged,
        ChangeKind::UserChanged,
        ChangeKind::UserRemoved,
    ];

    /// Returns true for an entry about one document.
    pub fn is_of_document(self) -> bool {
        (self as u8) < ChangeKind::DatabaseCreated as u8
    }

    fn from_number(number: u8) -> Option<ChangeKind> {
        ChangeKind::ALL.into_iter().find(|kind| *kind as u8 == number)
    }
}

/// Returns the number of positions that a commit with this many entries takes.
pub(crate) fn steps(entries: u64) -> u64 {
    if entries == 1 { 1 } else { entries.saturating_add(2) }
}

/// Returns the key of a part: `4 · database · first position of the commit · part`, all
/// big-endian: 8, 8, 8 and 4 bytes.
pub(crate) fn part_key(database: DatabaseId, first: u64, part: u32) -> Vec<u8> {
    let mut key = position_key(database, first);
    key.extend_from_slice(&part.to_be_bytes());
    key
}

/// Returns the key under which a database's log has its first position. No commit has position 0.
pub(crate) fn start_key(database: DatabaseId) -> Vec<u8> {
    part_key(database, 0, 0)
}

/// Returns the key under which a database's log has the positions up to which it was thinned.
pub(crate) fn thinned_key(database: DatabaseId) -> Vec<u8> {
    part_key(database, 0, 1)
}

/// Returns the range of all logs.
pub(crate) fn all_logs() -> KeyRange {
    super::object_range(CHANGES)
}

/// Returns the range of a database's log, without the record of its first position.
pub(crate) fn log_range(database: DatabaseId) -> KeyRange {
    KeyRange { start: position_key(database, 1), end: whole_log(database).end }
}

/// Returns the range of everything that a database's log has.
pub(crate) fn whole_log(database: DatabaseId) -> KeyRange {
    KeyRange::prefix(&database_prefix(database))
}

/// Returns the range of the commits whose first positions are at least `first`.
pub(crate) fn log_from(database: DatabaseId, first: u64) -> KeyRange {
    KeyRange { start: position_key(database, first.max(1)), end: whole_log(database).end }
}

/// Returns the range of the commits whose first positions are below `first`.
pub(crate) fn log_before(database: DatabaseId, first: u64) -> KeyRange {
    KeyRange { start: position_key(database, 1), end: position_key(database, first.max(1)) }
}

/// Returns the database, the first position and the part of a key; `None` if it is not one of the
/// change log.
pub(crate) fn part_of_key(key: &[u8]) -> Option<(DatabaseId, u64, u32)> {
    let rest = key.strip_prefix(&CHANGES.0.to_be_bytes())?;
    let (database, rest) = rest.split_first_chunk::<8>()?;
    let (first, rest) = rest.split_first_chunk::<8>()?;
    let part = u32::from_be_bytes(rest.try_into().ok()?);
    Some((DatabaseId(u64::from_be_bytes(*database)), u64::from_be_bytes(*first), part))
}

/// Returns the databases that have a log, by one lookup for each.
///
/// Errors: 1102 for damage, those of the engine.
pub(crate) fn logged_databases(snapshot: &dyn Snapshot) -> Result<Vec<DatabaseId>> {
    let mut databases = Vec::new();
    let mut range = all_logs();
    loop {
        let mut scan = snapshot.scan(ScanSpec::forward(range.clone()).keys_only())?;
        let Some(block) = scan.next_block(BlockLimits { rows: 1, bytes: 1 })? else { return Ok(databases) };
        let Some((database, ..)) = block.iter().next().and_then(|(key, _)| part_of_key(key)) else {
            return Err(Error::corrupt("a key of the change log is damaged"));
        };
        databases.push(database);
        range.start = whole_log(database).end;
    }
}

fn database_prefix(database: DatabaseId) -> Vec<u8> {
    let mut key = Vec::with_capacity(28);
    key.extend_from_slice(&CHANGES.0.to_be_bytes());
    key.extend_from_slice(&database.0.to_be_bytes());
    key
}

fn position_key(database: DatabaseId, position: u64) -> Vec<u8> {
    let mut key = database_prefix(database);
    key.extend_from_slice(&position.to_be_bytes());
    key
}
