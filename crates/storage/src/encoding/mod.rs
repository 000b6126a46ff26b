//! Keys and values as the engine stores them. Only this module knows the layout, and each type of
//! index that of its own entries. `docs/storage-format.md` describes it byte by byte.
//!
//! Every key starts with an object id, 8 bytes, big-endian. An object is the documents of a
//! collection, the entries of an index, or one of the server's own areas ([`META`], [`COUNTERS`],
//! [`ESTIMATES`], [`CHANGES`]). So an object is one contiguous range of keys, and dropping the
//! object drops the range.

pub(crate) mod change;
pub(crate) mod entry;
pub(crate) mod metadata;
pub(crate) mod pack;
#[cfg(test)]
mod tests;

use catalog::ObjectId;
use kv::KeyRange;

/// The server's own records: format, ticks, definitions, pending deletions.
pub(crate) const META: ObjectId = ObjectId(0);
/// Counters of collections.
pub(crate) const COUNTERS: ObjectId = ObjectId(1);
/// Estimates of indexes.
pub(crate) const ESTIMATES: ObjectId = ObjectId(2);
/// An object that is always empty: its readers find no records.
pub(crate) const EMPTY: ObjectId = ObjectId(3);
/// The change log of each database.
pub(crate) const CHANGES: ObjectId = ObjectId(4);
/// The first number for a database, collection or object. Smaller numbers are reserved for the
/// server's areas.
pub(crate) const FIRST_TICK: u64 = 1024;

/// Bytes of the object id that every key starts with.
pub(crate) const OBJECT_ID_BYTES: usize = 8;

/// Returns the object that a key belongs to; `None` if the bytes cannot be a key.
pub(crate) fn object_of(key: &[u8]) -> Option<ObjectId> {
    Some(ObjectId(u64::from_be_bytes(*key.first_chunk()?)))
}

/// Returns the range of all keys of an object.
pub(crate) fn object_range(object: ObjectId) -> KeyRange {
    KeyRange::prefix(&object.0.to_be_bytes())
}

/// Returns the key of a document.
pub(crate) fn document_key(object: ObjectId, key: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(OBJECT_ID_BYTES + key.len());
    append_document_key(object, key, &mut bytes);
    bytes
}

/// Appends the key of a document.
pub(crate) fn append_document_key(object: ObjectId, key: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&object.0.to_be_bytes());
    bytes.extend_from_slice(key.as_bytes());
}

/// Returns the `_key` of a document from its engine key.
pub(crate) fn key_of_document(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes.get(OBJECT_ID_BYTES..)?).ok()
}

/// Returns the range of documents with keys between two bounds. A bound is a key and whether it is
/// included.
pub(crate) fn document_range(
    object: ObjectId,
    lower: Option<(&str, bool)>,
    upper: Option<(&str, bool)>,
) -> KeyRange {
    let whole = object_range(object);
    let start = match lower {
        None => whole.start,
        Some((key, true)) => document_key(object, key),
        Some((key, false)) => successor(document_key(object, key)),
    };
    let end = match upper {
        None => whole.end,
        Some((key, true)) => successor(document_key(object, key)),
        Some((key, false)) => document_key(object, key),
    };
    KeyRange { start, end }
}

/// Returns the smallest key after `key`.
pub(crate) fn successor(mut key: Vec<u8>) -> Vec<u8> {
    key.push(0);
    key
}
