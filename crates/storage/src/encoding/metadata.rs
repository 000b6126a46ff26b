//! The server's own records, all under [`META`]: `0 (8 bytes) · kind (1 byte) · ...`; and the
//! counters of collections.

use catalog::{CollectionId, DatabaseId, ObjectId, ViewId};
use errors::{Error, Result};
use kv::{KeyRange, MEMBER_NUMBER_MAX, MemberNumber};

use super::{COUNTERS, ESTIMATES, META, OBJECT_ID_BYTES};

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// One record: the format of everything and the server's id.
    Server = 1,
    /// One record: the limit below which ticks may have been issued.
    Tick = 2,
    /// By database id.
    Database = 3,
    /// By database id and collection id.
    Collection = 4,
    /// By name.
    User = 5,
    /// By object id: a range of keys that nothing owns any more, or nothing owns yet.
    PendingDeletion = 6,
    /// By name: small values that upper layers store (configuration, secrets).
    Setting = 7,
    /// By database id and view id.
    View = 8,
    /// One record: the last announcements of the servers that share the store.
    Announcement = 9,
    /// By collection id: the server that has the collection alone.
    CollectionLock = 10,
    /// By collection id: the last value of a key generator that counts for several servers.
    KeyCounter = 11,
    /// One record: the identity and the first position of the change log.
    ChangeLog = 12,
    /// One record: the positions of the change log that starts have skipped.
    ChangeLogHoles = 13,
    /// By place in a ring: the keys of the records that a change of definitions has written.
    ChangedRecords = 14,
    /// By member number: how far the commits of a server that shares the store have come.
    ChangeLogProgress = 15,
    /// By number of a cursor and part: what other servers need to go on with it.
    Cursor = 16,
}

fn key(kind: Kind) -> Vec<u8> {
    let mut bytes = META.0.to_be_bytes().to_vec();
    bytes.push(kind as u8);
    bytes
}

fn key_with(kind: Kind, rest: &[u8]) -> Vec<u8> {
    let mut bytes = key(kind);
    bytes.extend_from_slice(rest);
    bytes
}

/// Returns the range of all records of a kind.
pub(crate) fn kind_range(kind: Kind) -> KeyRange {
    KeyRange::prefix(&key(kind))
}

pub(crate) fn server_key() -> Vec<u8> {
    key(Kind::Server)
}

pub(crate) fn tick_key() -> Vec<u8> {
    key(Kind::Tick)
}

pub(crate) fn database_key(database: DatabaseId) -> Vec<u8> {
    key_with(Kind::Database, &database.0.to_be_bytes())
}

pub(crate) fn collection_key(database: DatabaseId, collection: CollectionId) -> Vec<u8> {
    let mut bytes = key_with(Kind::Collection, &database.0.to_be_bytes());
    bytes.extend_from_slice(&collection.0.to_be_bytes());
    bytes
}

pub(crate) fn view_key(database: DatabaseId, view: ViewId) -> Vec<u8> {
    let mut bytes = key_with(Kind::View, &database.0.to_be_bytes());
    bytes.extend_from_slice(&view.0.to_be_bytes());
    bytes
}

pub(crate) fn user_key(name: &str) -> Vec<u8> {
    key_with(Kind::User, name.as_bytes())
}

/// The definition that a record has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefinitionKey<'a> {
    Database(DatabaseId),
    Collection(DatabaseId, CollectionId),
    View(DatabaseId, ViewId),
    User(&'a str),
}

/// Returns the definition whose record has this key; `None` for other records.
pub(crate) fn definition_of_key(bytes: &[u8]) -> Option<DefinitionKey<'_>> {
    let (prefix, rest) = bytes.split_at_checked(OBJECT_ID_BYTES)?;
    let (kind, rest) = rest.split_first()?;
    if prefix != META.0.to_be_bytes() {
        return None;
    }
    let database = || number_at(rest, 0).map(DatabaseId);
    let second = || number_at(rest, OBJECT_ID_BYTES);
    match *kind {
        kind if kind == Kind::Database as u8 => database().map(DefinitionKey::Database),
        kind if kind == Kind::Collection as u8 => {
            Some(DefinitionKey::Collection(database()?, CollectionId(second()?)))
        }
        kind if kind == Kind::View as u8 => Some(DefinitionKey::View(database()?, ViewId(second()?))),
        kind if kind == Kind::User as u8 => std::str::from_utf8(rest).ok().map(DefinitionKey::User),
        _ => None,
    }
}

/// Returns the key of the record at a place of the ring.
pub(crate) fn changed_records_key(place: u64) -> Vec<u8> {
    key_with(Kind::ChangedRecords, &place.to_be_bytes())
}

pub(crate) fn setting_key(name: &str) -> Vec<u8> {
    key_with(Kind::Setting, name.as_bytes())
}

pub(crate) fn pending_deletion_key(object: ObjectId) -> Vec<u8> {
    key_with(Kind::PendingDeletion, &object.0.to_be_bytes())
}

/// Returns the object of a pending deletion.
pub(crate) fn object_of_pending_deletion(bytes: &[u8]) -> Option<ObjectId> {
    number_at(bytes, OBJECT_ID_BYTES + 1).map(ObjectId)
}

pub(crate) fn announcement_key() -> Vec<u8> {
    key(Kind::Announcement)
}

pub(crate) fn collection_lock_key(collection: CollectionId) -> Vec<u8> {
    key_with(Kind::CollectionLock, &collection.0.to_be_bytes())
}

/// Returns the collection of a lock.
pub(crate) fn collection_of_lock(bytes: &[u8]) -> Option<CollectionId> {
    number_at(bytes, OBJECT_ID_BYTES + 1).map(CollectionId)
}

pub(crate) fn change_log_key() -> Vec<u8> {
    key(Kind::ChangeLog)
}

pub(crate) fn change_log_holes_key() -> Vec<u8> {
    key(Kind::ChangeLogHoles)
}

pub(crate) fn change_log_progress_key(member: MemberNumber) -> Vec<u8> {
    key_with(Kind::ChangeLogProgress, &[member])
}

/// Returns the member of a record of the change log's progress.
pub(crate) fn member_of_progress(bytes: &[u8]) -> Option<MemberNumber> {
    bytes.get(OBJECT_ID_BYTES + 1).copied()
}

/// The parts of what the store has of a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum CursorPart {
    /// The way to compute its rows.
    Description = 0,
    /// The rows that its client has.
    Progress = 1,
}

pub(crate) fn cursor_key(cursor: u64, part: CursorPart) -> Vec<u8> {
    let mut bytes = key_with(Kind::Cursor, &cursor.to_be_bytes());
    bytes.push(part as u8);
    bytes
}

/// Returns the cursor of a record.
pub(crate) fn cursor_of_record(bytes: &[u8]) -> Option<u64> {
    number_at(bytes, OBJECT_ID_BYTES + 1)
}

pub(crate) fn key_counter_key(collection: CollectionId) -> Vec<u8> {
    key_with(Kind::KeyCounter, &collection.0.to_be_bytes())
}

/// Returns the number of a member that a record holds.
///
/// Errors: 1102 if there is no such member.
pub(crate) fn member_of_record(number: u64) -> Result<MemberNumber> {
    let number = MemberNumber::try_from(number).ok().filter(|number| *number <= MEMBER_NUMBER_MAX);
    number.ok_or_else(|| Error::corrupt("a record names an impossible server"))
}

/// The slot byte of loads' records, beyond all slots.
const LOAD_SLOT: u8 = 0xff;
/// The slot byte of the records of servers that share the store.
const MEMBER_SLOT: u8 = 0xfe;
/// The slot byte of the bound below which no load's record counts.
const LOADS_FROM_SLOT: u8 = 0xfd;

/// The owner of a record of [`COUNTERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CounterRecord {
    /// The commits that held a slot, one after another.
    Slot(u8),
    /// One load, by its number.
    Load(u64),
    /// The commits of one server that held one of its slots, one after another.
    Member(MemberNumber, u8),
}

/// Returns the key of the least number of a load whose record may still count:
/// `1 (8 bytes) · the documents' object id · 253 (1 byte)`.
///
/// It is between the slots and the records of loads, so that one scan of all other records meets
/// it.
pub(crate) fn loads_from_key(object: ObjectId) -> Vec<u8> {
    let mut bytes = counter_prefix(object);
    bytes.push(LOADS_FROM_SLOT);
    bytes
}

/// Returns true for a key of [`loads_from_key`].
pub(crate) fn is_loads_from(bytes: &[u8]) -> bool {
    bytes.get(OBJECT_ID_BYTES * 2..) == Some(&[LOADS_FROM_SLOT])
}

/// Returns the key of a counter record of a collection.
///
/// Its layout is `1 (8 bytes) · the documents' object id · slot (1 byte)`, or `1 (8 bytes) · the
/// documents' object id · 255 (1 byte) · the load's number`, or `1 (8 bytes) · the documents'
/// object id · 254 (1 byte) · the server's number (1 byte) · slot (1 byte)`.
pub(crate) fn counter_key(object: ObjectId, record: CounterRecord) -> Vec<u8> {
    let mut bytes = counter_prefix(object);
    match record {
        CounterRecord::Slot(slot) => bytes.push(slot),
        CounterRecord::Load(number) => {
            bytes.push(LOAD_SLOT);
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        CounterRecord::Member(member, slot) => bytes.extend_from_slice(&[MEMBER_SLOT, member, slot]),
    }
    bytes
}

/// Returns the range of all records of a collection's counters.
pub(crate) fn counter_range(object: ObjectId) -> KeyRange {
    KeyRange::prefix(&counter_prefix(object))
}

fn counter_prefix(object: ObjectId) -> Vec<u8> {
    let mut prefix = COUNTERS.0.to_be_bytes().to_vec();
    prefix.extend_from_slice(&object.0.to_be_bytes());
    prefix
}

/// Returns the owner of the record with this key.
pub(crate) fn counter_record(bytes: &[u8]) -> Option<CounterRecord> {
    match *bytes.get(OBJECT_ID_BYTES * 2..)? {
        [slot] if slot < LOADS_FROM_SLOT => Some(CounterRecord::Slot(slot)),
        [LOAD_SLOT, ref number @ ..] => {
            Some(CounterRecord::Load(u64::from_be_bytes(number.try_into().ok()?)))
        }
        [MEMBER_SLOT, member, slot] => Some(CounterRecord::Member(member, slot)),
        _ => None,
    }
}

/// Returns the key of an index's estimate: `2 (8 bytes) · the index's object id`.
pub(crate) fn estimate_key(object: ObjectId) -> Vec<u8> {
    let mut bytes = ESTIMATES.0.to_be_bytes().to_vec();
    bytes.extend_from_slice(&object.0.to_be_bytes());
    bytes
}

fn number_at(bytes: &[u8], start: usize) -> Option<u64> {
    let bytes = bytes.get(start..start.checked_add(OBJECT_ID_BYTES)?)?;
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}
