//! The pairs of a text index in the engine.
//!
//! - `object · 0` → format byte: the segments below hold all documents but those of the outbox.
//!   Without it, all documents must be indexed.
//! - `object · 0 · segment (8 bytes)` → format byte · the bits of the segment's living documents.
//! - `object · 1 · ticket (8 bytes) · _key` → nothing: the document was written or removed. Tickets
//!   make the pairs unique; they say nothing else. Where several servers share the store, the first
//!   byte of the ticket is the number of the server that indexes the pair, the last one that of its
//!   writer. The list is then that of the image, from which a server begins ([`super::image`]), and
//!   the pairs of the outbox with the number 255 are those of documents that the image may lack.
//! - `object · 2 · segment (8 bytes) · part (4 bytes)` → a part of a segment of the image.

use catalog::ObjectId;
use kv::{KeyRange, MEMBER_NUMBER_MAX, MemberNumber};

use crate::encoding::OBJECT_ID_BYTES;

const LIST: u8 = 0;
const OUTBOX: u8 = 1;
const PARTS: u8 = 2;
/// The number of the image among those of servers, which no server has.
pub(crate) const IMAGE: MemberNumber = MemberNumber::MAX;
const _: () = assert!(IMAGE > MEMBER_NUMBER_MAX);
const TICKET_BYTES: usize = 8;

fn prefix(object: ObjectId, kind: u8) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(OBJECT_ID_BYTES + 1 + TICKET_BYTES);
    bytes.extend_from_slice(&object.0.to_be_bytes());
    bytes.push(kind);
    bytes
}

/// Returns the key of the mark that says that the list is complete.
pub(crate) fn mark_key(object: ObjectId) -> Vec<u8> {
    prefix(object, LIST)
}

/// Returns the range of the mark and of all segments.
pub(crate) fn list_range(object: ObjectId) -> KeyRange {
    KeyRange::prefix(&prefix(object, LIST))
}

/// Returns the key of a segment.
pub(crate) fn segment_key(object: ObjectId, segment: u64) -> Vec<u8> {
    let mut bytes = prefix(object, LIST);
    bytes.extend_from_slice(&segment.to_be_bytes());
    bytes
}

/// Returns the segment of a key in the list; `None` for the mark.
pub(crate) fn segment_of(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.get(OBJECT_ID_BYTES + 1..)?.try_into().ok()?))
}

/// Returns the range of the outbox.
pub(crate) fn outbox_range(object: ObjectId) -> KeyRange {
    KeyRange::prefix(&prefix(object, OUTBOX))
}

/// The bits of a ticket after the number of the server that the outbox belongs to, and before that
/// of the writer, where several servers share the store.
const SHARED_COUNT_BITS: u32 = 48;

/// Returns the range of one server's outbox.
pub(crate) fn outbox_range_of(object: ObjectId, member: MemberNumber) -> KeyRange {
    let mut bytes = prefix(object, OUTBOX);
    bytes.push(member);
    KeyRange::prefix(&bytes)
}

/// Returns the range of the outbox of the image.
pub(crate) fn image_outbox(object: ObjectId) -> KeyRange {
    outbox_range_of(object, IMAGE)
}

/// Returns the range of the parts of all segments.
pub(crate) fn parts_range(object: ObjectId) -> KeyRange {
    KeyRange::prefix(&prefix(object, PARTS))
}

/// Returns the range of the parts of a segment.
pub(crate) fn parts_range_of(object: ObjectId, segment: u64) -> KeyRange {
    let mut bytes = prefix(object, PARTS);
    bytes.extend_from_slice(&segment.to_be_bytes());
    KeyRange::prefix(&bytes)
}

/// Returns the key of a part of a segment.
pub(crate) fn part_key(object: ObjectId, segment: u64, part: u32) -> Vec<u8> {
    let mut bytes = prefix(object, PARTS);
    bytes.extend_from_slice(&segment.to_be_bytes());
    bytes.extend_from_slice(&part.to_be_bytes());
    bytes
}

/// Returns the segment of a part's key.
pub(crate) fn segment_of_part(key: &[u8]) -> Option<u64> {
    let (segment, _) = key.get(OBJECT_ID_BYTES + 1..)?.split_first_chunk()?;
    Some(u64::from_be_bytes(*segment))
}

/// Returns a ticket of a server's outbox.
pub(crate) fn shared_ticket(target: MemberNumber, count: u64, writer: MemberNumber) -> u64 {
    let count = count & ((1 << SHARED_COUNT_BITS) - 1);
    (u64::from(target) << (SHARED_COUNT_BITS + u8::BITS)) | (count << u8::BITS) | u64::from(writer)
}

/// Appends the key of a pair of the outbox.
pub(crate) fn append_outbox_key(object: ObjectId, ticket: u64, key: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&object.0.to_be_bytes());
    bytes.push(OUTBOX);
    bytes.extend_from_slice(&ticket.to_be_bytes());
    bytes.extend_from_slice(key.as_bytes());
}

/// Returns the ticket and the `_key` of a pair of the outbox.
pub(crate) fn outbox_entry(pair: &[u8]) -> Option<(u64, &str)> {
    let (ticket, key) = pair.get(OBJECT_ID_BYTES + 1..)?.split_first_chunk()?;
    Some((u64::from_be_bytes(*ticket), std::str::from_utf8(key).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_taken_apart_as_they_were_put_together() {
        let object = ObjectId(7);
        let mut pair = Vec::new();
        append_outbox_key(object, 9, "a/b", &mut pair);
        assert_eq!(outbox_entry(&pair), Some((9, "a/b")));
        assert!(outbox_range(object).contains(&pair) && !list_range(object).contains(&pair));
        assert_eq!(segment_of(&segment_key(object, 3)), Some(3));
        assert_eq!(segment_of(&mark_key(object)), None);
        assert!(list_range(object).contains(&mark_key(object)));
        assert_eq!(outbox_entry(&mark_key(object)), None);
        pair.clear();
        append_outbox_key(object, shared_ticket(254, u64::MAX, 7), "a/b", &mut pair);
        assert!(outbox_range_of(object, 254).contains(&pair) && outbox_range(object).contains(&pair));
        assert!(!outbox_range_of(object, 253).contains(&pair));
        assert_ne!(shared_ticket(1, 0, 0), shared_ticket(0, 1, 0));
        let part = part_key(object, 5, 6);
        assert_eq!(segment_of_part(&part), Some(5));
        assert!(parts_range(object).contains(&part) && parts_range_of(object, 5).contains(&part));
        assert!(!parts_range_of(object, 6).contains(&part) && !outbox_range(object).contains(&part));
    }
}
