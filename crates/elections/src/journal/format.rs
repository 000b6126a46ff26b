//! The bytes of the file. All numbers are little-endian.
//!
//! The file begins with a head of 16 bytes:
//!
//! | bytes | content |
//! | --- | --- |
//! | 8 | `PERSEAEL` |
//! | 4 | the version, 1 |
//! | 4 | CRC-32C of the 12 bytes before |
//!
//! Frames follow it:
//!
//! | bytes | content |
//! | --- | --- |
//! | 4 | the length of the payload, at most [`FRAME_MAX`] |
//! | 4 | CRC-32C of kind and payload, xor the length |
//! | 1 | the kind |
//! | n | the payload |
//!
//! | kind | payload |
//! | --- | --- |
//! | 1 | identity: the member's id (8) and the random number of the folder (8). The first frame |
//! | 2 | vote: term (8), id of the candidate or leader (8), 1 if a majority granted it (1) |
//! | 3 | entries: their number (4), and each of them |
//! | 4 | truncation: the index (8) from which on entries are removed |
//! | 5 | purge: the log id up to which entries are removed |
//! | 6 | snapshot: the parts below, in this order |
//!
//! A snapshot is an optional log id of its last entry, an optional log id of its membership, the
//! membership, and the state.
//!
//! The parts of these payloads:
//!
//! | part | content |
//! | --- | --- |
//! | log id | term (8), id of Raft's leader (8), index (8) |
//! | entry | log id, kind (1): 0 blank, 1 command, 2 membership; the command or membership |
//! | command | kind (1), and numbers as the next table has them |
//! | holder | the member's id (8), the random number of its run (8) |
//! | membership | number of sets (4), sets, number of seats (4), seats |
//! | set | number of voters (4), and their ids (8) |
//! | seat | id (8), number of the folder (8), length of the endpoint (4), endpoint in UTF-8 |
//! | state | epoch (8), revision (8), optional holder, optional past |
//! | past | id (8) and epoch (8) of the leader before |
//! | optional | 0 or 1 (1), and the value after a 1 |
//!
//! | command | kind | content |
//! | --- | --- | --- |
//! | renew | 1 | epoch (8), holder |
//! | appoint | 2 | revision (8), new holder |
//! | hand over | 3 | epoch (8), holder, new holder |
//! | resign | 4 | epoch (8), holder |

use crate::codec::raft::{write_entry, write_log_id, write_snapshot, write_vote};
use crate::codec::writer::Writer;
use crate::types::{Entry, LogId, Snapshot, Vote};

/// The first bytes of the file.
const MAGIC: &[u8; 8] = b"PERSEAEL";
/// The version of the format.
const VERSION: u32 = 1;
/// The length of the head of the file.
pub(super) const HEAD: usize = 16;
/// The length of the head of a frame.
pub(super) const FRAME_HEAD: usize = 9;
/// The greatest length of a payload. A frame has at most one message of entries.
pub(super) const FRAME_MAX: usize = crate::codec::message::MESSAGE_MAX;

pub(super) const IDENTITY: u8 = 1;
pub(super) const VOTE: u8 = 2;
pub(super) const ENTRIES: u8 = 3;
pub(super) const TRUNCATE: u8 = 4;
pub(super) const PURGE: u8 = 5;
pub(super) const SNAPSHOT: u8 = 6;

/// Returns the head of the file.
pub(super) fn head() -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    let sum = crc32c::crc32c(&head[..12]);
    head[12..].copy_from_slice(&sum.to_le_bytes());
    head
}

/// A frame as it lies in the file.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    /// The kind of the payload.
    pub(super) kind: u8,
    /// The payload.
    pub(super) payload: &'a [u8],
}

/// Returns the whole frame at the beginning of these bytes, if there is one.
pub(super) fn frame(bytes: &[u8]) -> Option<Frame<'_>> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length);
    if length as usize > FRAME_MAX {
        return None;
    }
    let content = rest.get(..1 + length as usize)?;
    let (kind, payload) = content.split_first()?;
    let expected = crc32c::crc32c(content) ^ length;
    (u32::from_le_bytes(*sum) == expected).then_some(Frame { kind: *kind, payload })
}

/// Appends a frame to the bytes of a file.
fn push(to: &mut Vec<u8>, kind: u8, payload: &[u8]) {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let sum = crc32c::crc32c_append(crc32c::crc32c(&[kind]), payload) ^ length;
    to.extend_from_slice(&length.to_le_bytes());
    to.extend_from_slice(&sum.to_le_bytes());
    to.push(kind);
    to.extend_from_slice(payload);
}

fn payload(write: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut to = Writer::default();
    write(&mut to);
    to.finish()
}

pub(super) fn push_identity(to: &mut Vec<u8>, member: u64, folder: u64) {
    let payload = payload(|to| {
        to.number(member);
        to.number(folder);
    });
    push(to, IDENTITY, &payload);
}

pub(super) fn push_vote(to: &mut Vec<u8>, vote: &Vote) {
    push(to, VOTE, &payload(|to| write_vote(to, vote)));
}

pub(super) fn push_entries<'a>(to: &mut Vec<u8>, entries: impl ExactSizeIterator<Item = &'a Entry>) {
    push(to, ENTRIES, &payload(|to| to.list(entries, write_entry)));
}

pub(super) fn push_truncation(to: &mut Vec<u8>, index: u64) {
    push(to, TRUNCATE, &payload(|to| to.number(index)));
}

pub(super) fn push_purge(to: &mut Vec<u8>, id: LogId) {
    push(to, PURGE, &payload(|to| write_log_id(to, id)));
}

pub(super) fn push_snapshot(to: &mut Vec<u8>, snapshot: &Snapshot) {
    push(to, SNAPSHOT, &payload(|to| write_snapshot(to, snapshot)));
}
