//! Entries of a vector index:
//!
//! - the training, if there was one: `object id · 0 (1 byte)` → `documents (8 bytes, big-endian)`
//! - its centroids: `object id · 0 (1 byte) · list (4 bytes, big-endian)` → `floats`
//! - documents: `object id · 1 (1 byte) · list (4 bytes, big-endian) · _key · length of _key (1
//!   byte)` → `floats · covered values`
//!
//! A float has 4 bytes, little-endian. The covered values are a VelocyPack array of null, for the
//! vector, and the stored values. Without a training all documents are in list 0.

use std::ops::Range;

use catalog::ObjectId;
use kv::KeyRange;

use crate::encoding::{OBJECT_ID_BYTES, entry};

const TRAINING: u8 = 0;
const DOCUMENTS: u8 = 1;
const LIST_BYTES: usize = 4;
/// Bytes of a float.
pub(super) const FLOAT_BYTES: usize = 4;

/// Appends the key of the record of the training.
pub(super) fn write_training_key(object: ObjectId, bytes: &mut Vec<u8>) {
    entry::start_key(object, bytes);
    bytes.push(TRAINING);
}

/// Appends the key of a centroid.
pub(super) fn write_centroid_key(object: ObjectId, list: u32, bytes: &mut Vec<u8>) {
    write_training_key(object, bytes);
    bytes.extend_from_slice(&list.to_be_bytes());
}

/// Returns the range of the training and its centroids.
pub(super) fn training_range(object: ObjectId) -> KeyRange {
    let mut prefix = Vec::new();
    write_training_key(object, &mut prefix);
    KeyRange::prefix(&prefix)
}

/// Returns true if a key in that range is the record of the training.
pub(super) fn is_training(key: &[u8]) -> bool {
    key.len() == OBJECT_ID_BYTES + 1
}

/// Appends the start of the keys of a list.
pub(super) fn write_list_prefix(object: ObjectId, list: u32, bytes: &mut Vec<u8>) {
    entry::start_key(object, bytes);
    bytes.push(DOCUMENTS);
    bytes.extend_from_slice(&list.to_be_bytes());
}

/// Appends the key of a document's entry. Returns the position in `bytes` at which the list ends.
pub(super) fn write_key(object: ObjectId, list: u32, document_key: &str, bytes: &mut Vec<u8>) -> usize {
    write_list_prefix(object, list, bytes);
    let end = bytes.len();
    entry::finish_key(document_key, bytes);
    end
}

/// Returns the position of the document's key in the key of an entry; `None` if the bytes cannot be
/// one.
pub(super) fn key_range(key: &[u8]) -> Option<Range<usize>> {
    let layout = entry::layout(key, key.len(), false)?;
    (layout.key.start == OBJECT_ID_BYTES + 1 + LIST_BYTES).then_some(layout.key)
}

pub(super) fn write_floats(floats: &[f32], bytes: &mut Vec<u8>) {
    bytes.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
}

/// Divides the value of an entry into the elements of the vector and the covered values.
pub(super) fn read_value(value: &[u8], dimension: usize) -> Option<(&[[u8; FLOAT_BYTES]], &[u8])> {
    let (floats, covered) = value.split_at_checked(dimension.checked_mul(FLOAT_BYTES)?)?;
    Some((floats.as_chunks().0, covered))
}
