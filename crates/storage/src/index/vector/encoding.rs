//! Entries of a vector index:
//!
//! - the training, if there was one: `object id · 0 (1 byte)` → `documents (8 bytes, big-endian)`,
//!   and the byte 1 if there is a quantizer
//! - its centroids: `object id · 0 (1 byte) · list (4 bytes, big-endian)` → `floats`
//! - the rows of the quantizer: `object id · 2 (1 byte) · row (4 bytes, big-endian)` → `floats`
//! - documents: `object id · 1 (1 byte) · list (4 bytes, big-endian) · _key · length of _key (1
//!   byte)` → `floats · covered values`; with a quantizer `code · covered values`, and for `l2` a
//!   float before the code (see [`super::quantizer`])
//!
//! A float has 4 bytes, little-endian. The covered values are a VelocyPack array of null, for the
//! vector, and the stored values. Without a training all documents are in list 0.

use std::ops::Range;

use catalog::ObjectId;
use catalog::index::Metric;
use kv::KeyRange;

use crate::encoding::{OBJECT_ID_BYTES, entry};

const TRAINING: u8 = 0;
const DOCUMENTS: u8 = 1;
const QUANTIZER: u8 = 2;
const LIST_BYTES: usize = 4;
/// Bytes of a float.
const FLOAT_BYTES: usize = 4;

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

/// Appends the key of a row of the quantizer.
pub(super) fn write_quantizer_key(object: ObjectId, row: u32, bytes: &mut Vec<u8>) {
    entry::start_key(object, bytes);
    bytes.push(QUANTIZER);
    bytes.extend_from_slice(&row.to_be_bytes());
}

/// Returns the range of the quantizer.
pub(super) fn quantizer_range(object: ObjectId) -> KeyRange {
    let mut prefix = Vec::new();
    entry::start_key(object, &mut prefix);
    prefix.push(QUANTIZER);
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
pub(super) fn read_floats(value: &[u8], dimension: usize) -> Option<(&[[u8; FLOAT_BYTES]], &[u8])> {
    let (floats, covered) = value.split_at_checked(dimension.checked_mul(FLOAT_BYTES)?)?;
    Some((floats.as_chunks().0, covered))
}

/// Appends what precedes a code. Returns the position at which the code begins.
pub(super) fn start_code(metric: Metric, bytes: &mut Vec<u8>) -> usize {
    if has_bias(metric) {
        bytes.extend_from_slice(&[0; FLOAT_BYTES]);
    }
    bytes.len()
}

/// Sets the float before the code that begins at `start`.
pub(super) fn set_bias(bias: f32, start: usize, bytes: &mut [u8]) {
    if let Some((_, place)) = bytes.get_mut(..start).and_then(<[u8]>::split_last_chunk_mut) {
        *place = bias.to_le_bytes();
    }
}

/// Divides the value of an entry into the float before the code, or 0, the code, and the covered
/// values.
pub(super) fn read_code(value: &[u8], metric: Metric, code_bytes: usize) -> Option<(f32, &[u8], &[u8])> {
    let (bias, value) = match has_bias(metric) {
        true => value.split_first_chunk().map(|(bias, rest)| (f32::from_le_bytes(*bias), rest))?,
        false => (0.0, value),
    };
    let (code, covered) = value.split_at_checked(code_bytes)?;
    Some((bias, code, covered))
}

fn has_bias(metric: Metric) -> bool {
    metric == Metric::L2
}
