//! Entries of a persistent index.
//!
//! - Not unique: `object id · sort keys of the fields · _key · length of _key (1 byte)` → `covered
//!   values`.
//! - Unique: `object id · sort keys of the fields` → `length of _key (1 byte) · _key · covered
//!   values`.
//!
//! The length follows the key because a reader cannot read sort keys backwards or skip them
//! cheaply. A `_key` has at most 254 bytes. The covered values are one VelocyPack array: the
//! fields, then the stored values.

use std::ops::Range;

use catalog::ObjectId;

/// Appends the start of an entry's key: the object id. The caller appends the fields' sort keys
/// after it.
pub(crate) fn start_key(object: ObjectId, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&object.0.to_be_bytes());
}

/// Ends the key of an entry that is not unique.
pub(crate) fn finish_key(document_key: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(document_key.as_bytes());
    bytes.push(key_length(document_key));
}

/// Starts the value of a unique entry; the covered values follow.
pub(crate) fn start_unique_value(document_key: &str, bytes: &mut Vec<u8>) {
    bytes.push(key_length(document_key));
    bytes.extend_from_slice(document_key.as_bytes());
}

/// Returns a key's length; valid keys have at most 254 bytes.
fn key_length(document_key: &str) -> u8 {
    u8::try_from(document_key.len()).unwrap_or(u8::MAX)
}

/// The position of an entry's `_key` and covered values in the bytes of `entry_key · value`, which
/// starts at 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryLayout {
    /// The document's key.
    pub(crate) key: Range<usize>,
    /// The first byte of the covered values.
    pub(crate) covered: usize,
}

/// Parses an entry. Returns `None` if the bytes cannot be an entry.
pub(crate) fn layout(pair: &[u8], value_start: usize, unique: bool) -> Option<EntryLayout> {
    if unique {
        let length = usize::from(*pair.get(value_start)?);
        let start = value_start + 1;
        let key = start..start + length;
        pair.get(key.clone())?;
        return Some(EntryLayout { covered: key.end, key });
    }
    let length_at = value_start.checked_sub(1)?;
    let length = usize::from(*pair.get(length_at)?);
    let start = length_at.checked_sub(length)?;
    Some(EntryLayout { key: start..length_at, covered: value_start })
}

/// Returns the part of the key of an entry that is not unique before the document's key; `None` if
/// the bytes cannot be one.
pub(crate) fn prefix_of_entry(entry_key: &[u8]) -> Option<&[u8]> {
    entry_key.get(..layout(entry_key, entry_key.len(), false)?.key.start)
}

/// Returns the document's key from the value of a unique entry.
pub(crate) fn key_of_unique_value(value: &[u8]) -> Option<&str> {
    let (length, rest) = value.split_first()?;
    std::str::from_utf8(rest.get(..usize::from(*length))?).ok()
}
