//! Entries of a geo-spatial index:
//!
//! - key: `object id · kind (1 byte) · cell (8 bytes, big-endian) · _key · length of _key (1 byte)`
//! - value: `longitude · latitude (8 bytes each, big-endian doubles) · 1 for a single place, 0 for
//!   a shape (1 byte)`

use std::ops::Range;

use catalog::ObjectId;
use geometry::{CellRange, Position};
use kv::KeyRange;

use crate::encoding::{OBJECT_ID_BYTES, entry};

/// The meaning of an entry's cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum CellKind {
    /// The smallest cell that contains the document's place.
    Place = 0,
    /// One of the cells that cover the document's shape.
    Cover = 1,
}

const CELL_BYTES: usize = 8;
const VALUE_BYTES: usize = 17;

/// Appends the key of an entry. Returns the position in `bytes` at which the cell ends.
pub(super) fn write_key(
    object: ObjectId,
    kind: CellKind,
    cell: u64,
    document_key: &str,
    bytes: &mut Vec<u8>,
) -> usize {
    write_prefix(object, kind, cell, bytes);
    let end = bytes.len();
    entry::finish_key(document_key, bytes);
    end
}

fn write_prefix(object: ObjectId, kind: CellKind, cell: u64, bytes: &mut Vec<u8>) {
    entry::start_key(object, bytes);
    bytes.push(kind as u8);
    bytes.extend_from_slice(&cell.to_be_bytes());
}

pub(super) fn write_value(place: Position, is_place: bool, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&place.longitude.to_be_bytes());
    bytes.extend_from_slice(&place.latitude.to_be_bytes());
    bytes.push(u8::from(is_place));
}

/// Returns the key range of the entries of some cells.
pub(super) fn cell_range(object: ObjectId, kind: CellKind, cells: CellRange) -> KeyRange {
    let prefix = |cell| {
        let mut bytes = Vec::with_capacity(OBJECT_ID_BYTES + 1 + CELL_BYTES);
        write_prefix(object, kind, cell, &mut bytes);
        bytes
    };
    KeyRange { start: prefix(cells.first), end: KeyRange::prefix(&prefix(cells.last)).end }
}

/// Returns the position of the document's key in the key of an entry; `None` if the bytes cannot be
/// one.
pub(super) fn key_range(key: &[u8]) -> Option<Range<usize>> {
    let layout = entry::layout(key, key.len(), false)?;
    (layout.key.start == OBJECT_ID_BYTES + 1 + CELL_BYTES).then_some(layout.key)
}

/// Returns the place, and true if that place is the document's whole shape.
pub(super) fn read_value(value: &[u8]) -> Option<(Position, bool)> {
    let value: &[u8; VALUE_BYTES] = value.try_into().ok()?;
    let (longitude, rest) = value.split_first_chunk::<8>()?;
    let (latitude, rest) = rest.split_first_chunk::<8>()?;
    let place = Position::new(f64::from_be_bytes(*longitude), f64::from_be_bytes(*latitude));
    Some((place, rest == [1]))
}
