//! Entries of the edge index, two for each edge:
//!
//! - key: `object id · direction (1 byte) · vertex · 0x00 · _key of the edge`
//! - value: `the other vertex`
//!
//! Neither vertices, which are document identifiers, nor keys contain a zero byte.

use std::ops::Range;

use catalog::ObjectId;
use kv::KeyRange;

use crate::encoding::OBJECT_ID_BYTES;

/// The end of an edge at which a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeDirection {
    /// The vertex is the edge's `_from`.
    Outbound,
    /// The vertex is the edge's `_to`.
    Inbound,
}

/// The byte between the vertex and the edge's key.
const END_OF_VERTEX: u8 = 0;

fn direction_byte(direction: EdgeDirection) -> u8 {
    match direction {
        EdgeDirection::Outbound => 0,
        EdgeDirection::Inbound => 1,
    }
}

/// Returns the prefix of all entries of a vertex in one direction.
pub(crate) fn vertex_prefix(object: ObjectId, direction: EdgeDirection, vertex: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(OBJECT_ID_BYTES + 2 + vertex.len());
    write_vertex_prefix(object, direction, vertex, &mut bytes);
    bytes
}

fn write_vertex_prefix(object: ObjectId, direction: EdgeDirection, vertex: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&object.0.to_be_bytes());
    bytes.push(direction_byte(direction));
    append_vertex(vertex.as_bytes(), bytes);
}

/// Returns the prefix of all entries in one direction.
pub(crate) fn direction_prefix(object: ObjectId, direction: EdgeDirection) -> Vec<u8> {
    let mut bytes = object.0.to_be_bytes().to_vec();
    bytes.push(direction_byte(direction));
    bytes
}

/// Appends a vertex to a [`direction_prefix`], which makes it a [`vertex_prefix`].
pub(crate) fn append_vertex(vertex: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(vertex);
    bytes.push(END_OF_VERTEX);
}

/// Appends the key of an entry. Returns the position in `bytes` at which the vertex ends.
pub(crate) fn append_key(
    object: ObjectId,
    direction: EdgeDirection,
    vertex: &str,
    edge_key: &str,
    bytes: &mut Vec<u8>,
) -> usize {
    write_vertex_prefix(object, direction, vertex, bytes);
    let end = bytes.len().saturating_sub(1);
    bytes.extend_from_slice(edge_key.as_bytes());
    end
}

/// Returns the range of all entries of a vertex in one direction.
pub(crate) fn vertex_range(object: ObjectId, direction: EdgeDirection, vertex: &str) -> KeyRange {
    KeyRange::prefix(&vertex_prefix(object, direction, vertex))
}

/// Returns the [`vertex_prefix`] of an entry's key; `None` if the bytes cannot be such a key.
pub(crate) fn prefix_of_entry(key: &[u8]) -> Option<&[u8]> {
    key.get(..layout(key)?.1.start)
}

/// Returns the positions of the vertex and the edge's key in an entry's key; `None` if the bytes
/// cannot be one.
pub(crate) fn layout(key: &[u8]) -> Option<(Range<usize>, Range<usize>)> {
    let start = OBJECT_ID_BYTES + 1;
    let length = key.get(start..)?.iter().position(|byte| *byte == END_OF_VERTEX)?;
    let end = start + length;
    Some((start..end, end + 1..key.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_entries_are_recognized() {
        assert_eq!(layout(&[0; 5]), None);
        assert_eq!(layout(b"12345678dvertex"), None);
    }

    #[test]
    fn edges_of_one_vertex_are_one_range() {
        let object = ObjectId(9);
        let key = |direction, vertex, edge: &str| {
            let mut bytes = Vec::new();
            let end = append_key(object, direction, vertex, edge, &mut bytes);
            assert_eq!(&bytes[end - vertex.len()..end], vertex.as_bytes());
            bytes
        };
        let range = vertex_range(object, EdgeDirection::Outbound, "v/1");
        assert!(range.contains(&key(EdgeDirection::Outbound, "v/1", "e")));
        assert!(!range.contains(&key(EdgeDirection::Outbound, "v/11", "e")));
        assert!(!range.contains(&key(EdgeDirection::Outbound, "v/", "1")));
        assert!(!range.contains(&key(EdgeDirection::Inbound, "v/1", "e")));
        let bytes = key(EdgeDirection::Inbound, "v/1", "e");
        let (vertex, edge) = layout(&bytes).unwrap();
        assert_eq!((&bytes[vertex], &bytes[edge]), (&b"v/1"[..], &b"e"[..]));
    }
}
