//! The bytes of a record.
//!
//! ```text
//! record  = header · body · CRC-32C of header and body (u32le)
//! header  = "PLOG" · kind (1 byte) · 0 0 0 · bytes of the body (u64le) · sequence (u64le)
//!           · synced (u64le)
//! kind 1  = writes: key bytes (u32le) · value bytes (u32le, FFFFFFFF: removed) · key · value, ...
//! kind 2  = a dropped range: start bytes (u32le) · end bytes (u32le) · start · end
//! ```
//!
//! Sequences ascend by one. `synced` is a sequence up to which everything was durable when the
//! record was written.

use std::io::{self, Read};

/// The first bytes of each record.
pub(super) const MAGIC: [u8; 4] = *b"PLOG";

/// The length of a header in bytes.
pub(super) const HEADER_BYTES: usize = 32;

/// The length of the checksum in bytes.
pub(super) const CHECKSUM_BYTES: usize = 4;

/// The bytes of a write in addition to its key and value.
pub(super) const ENTRY_BYTES: usize = 8;

const REMOVED: u32 = u32::MAX;

/// The content of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Writes,
    DroppedRange,
}

/// A record's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) body_bytes: u64,
    pub(super) sequence: u64,
    pub(super) synced: u64,
}

impl Header {
    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let kind = match self.kind {
            Kind::Writes => 1,
            Kind::DroppedRange => 2,
        };
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4] = kind;
        bytes[8..16].copy_from_slice(&self.body_bytes.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[24..].copy_from_slice(&self.synced.to_le_bytes());
        bytes
    }

    /// Returns the header, or `None` if the bytes are none.
    pub(super) fn decode(bytes: &[u8; HEADER_BYTES]) -> Option<Header> {
        let kind = match bytes.first_chunk::<8>()? {
            [b'P', b'L', b'O', b'G', 1, 0, 0, 0] => Kind::Writes,
            [b'P', b'L', b'O', b'G', 2, 0, 0, 0] => Kind::DroppedRange,
            _ => return None,
        };
        let number = |at: usize| bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        Some(Header { kind, body_bytes: number(8)?, sequence: number(16)?, synced: number(24)? })
    }
}

/// Returns the bytes before a write's key and value.
pub(super) fn entry_header(key: &[u8], value: Option<&[u8]>) -> [u8; ENTRY_BYTES] {
    // Both are at most `kv::PAIR_BYTES_MAX`.
    pair_header(key.len() as u32, value.map_or(REMOVED, |value| value.len() as u32))
}

pub(super) fn pair_header(first: u32, second: u32) -> [u8; ENTRY_BYTES] {
    let mut bytes = [0; ENTRY_BYTES];
    bytes[..4].copy_from_slice(&first.to_le_bytes());
    bytes[4..].copy_from_slice(&second.to_le_bytes());
    bytes
}

/// A key and its value, `None` if the key was removed; or the start and the end of a range.
pub(super) type EntryParts<'a> = (&'a [u8], Option<&'a [u8]>);

/// The entries of a body, read one after another.
pub(super) struct Entries<R> {
    body: R,
    rest_bytes: u64,
    first: Vec<u8>,
    second: Vec<u8>,
}

impl<R: Read> Entries<R> {
    pub(super) fn new(body: R, body_bytes: u64) -> Self {
        Entries { body, rest_bytes: body_bytes, first: Vec::new(), second: Vec::new() }
    }

    /// Returns the next entry, or `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<EntryParts<'_>>> {
        if self.rest_bytes == 0 {
            return Ok(None);
        }
        let (first, second) = (self.number()?, self.number()?);
        let is_removed = second == REMOVED;
        read_exactly(&mut self.body, &mut self.rest_bytes, first, &mut self.first)?;
        let second = if is_removed { 0 } else { second };
        read_exactly(&mut self.body, &mut self.rest_bytes, second, &mut self.second)?;
        Ok(Some((&self.first, (!is_removed).then_some(self.second.as_slice()))))
    }

    fn number(&mut self) -> io::Result<u32> {
        read_exactly(&mut self.body, &mut self.rest_bytes, 4, &mut self.first)?;
        Ok(self.first.as_slice().try_into().map_or(0, u32::from_le_bytes))
    }
}

fn read_exactly(
    source: &mut impl Read,
    rest_bytes: &mut u64,
    length: u32,
    target: &mut Vec<u8>,
) -> io::Result<()> {
    let rest = rest_bytes.checked_sub(u64::from(length));
    *rest_bytes = rest.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "an entry is too long"))?;
    target.resize(length as usize, 0);
    source.read_exact(target)
}
