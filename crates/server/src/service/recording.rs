//! Recordings of the last requests and queries for the diagnosis of faults, in a limited number of
//! bytes.
//!
//! Every request pays for this, so an entry only copies its texts to the end of a buffer. It
//! allocates no memory of its own and searches for nothing to evict. There are two buffers. When
//! the newer one is full, the older one is emptied and takes its place. The entries therefore take
//! between half of the bytes and all of them.

use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of an encoded length.
const LENGTH_BYTES: usize = size_of::<u32>();
/// Bytes of an encoded time.
const TIME_BYTES: usize = size_of::<u64>();

/// The last entries of one kind, each with `PARTS` texts.
#[derive(Debug)]
pub struct Recording<const PARTS: usize> {
    buffer_max_bytes: usize,
    buffers: Mutex<Buffers>,
}

/// Entries one after another: the length of the rest, the time, and each part after its length.
#[derive(Debug, Default)]
struct Buffers {
    older: Vec<u8>,
    newer: Vec<u8>,
}

/// A decoded entry.
#[derive(Debug, PartialEq, Eq)]
pub struct Recorded<const PARTS: usize> {
    /// Seconds since 1970.
    pub seconds: u64,
    /// The texts.
    pub parts: [Vec<u8>; PARTS],
}

impl<const PARTS: usize> Recording<PARTS> {
    /// Returns a recording of at most `max_bytes`; 0 records nothing.
    pub fn new(max_bytes: usize) -> Self {
        Recording { buffer_max_bytes: max_bytes / 2, buffers: Mutex::default() }
    }

    /// Adds an entry, and evicts old ones if necessary. An entry larger than half of the bytes is
    /// skipped.
    pub fn add(&self, parts: [&[u8]; PARTS]) {
        let rest = TIME_BYTES + parts.iter().map(|part| LENGTH_BYTES + part.len()).sum::<usize>();
        let whole = LENGTH_BYTES + rest;
        let (Ok(length), true) = (u32::try_from(rest), whole <= self.buffer_max_bytes) else { return };
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let mut buffers = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        if buffers.newer.len() + whole > self.buffer_max_bytes {
            let Buffers { older, newer } = &mut *buffers;
            std::mem::swap(older, newer);
            newer.clear();
        }
        let bytes = &mut buffers.newer;
        bytes.reserve(whole);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&seconds.to_le_bytes());
        for part in parts {
            // Shorter than the whole entry, whose length fits.
            bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
            bytes.extend_from_slice(part);
        }
    }

    /// Returns all entries, newest first.
    pub fn entries(&self) -> Vec<Recorded<PARTS>> {
        let bytes = {
            let buffers = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
            [buffers.older.as_slice(), &buffers.newer].concat()
        };
        let mut left = bytes.as_slice();
        let mut entries = Vec::new();
        while let Some(entry) = take_part(&mut left).and_then(read) {
            entries.push(entry);
        }
        entries.reverse();
        entries
    }
}

fn take_part<'a>(left: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = left.split_first_chunk()?;
    let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *left = rest;
    Some(part)
}

fn read<const PARTS: usize>(entry: &[u8]) -> Option<Recorded<PARTS>> {
    let (seconds, mut left) = entry.split_first_chunk()?;
    let mut parts = [const { Vec::new() }; PARTS];
    for part in &mut parts {
        *part = take_part(&mut left)?.to_vec();
    }
    Some(Recorded { seconds: u64::from_le_bytes(*seconds), parts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(recording: &Recording<2>) -> Vec<String> {
        let join = |entry: Recorded<2>| entry.parts.map(|part| String::from_utf8(part).unwrap()).join(" ");
        recording.entries().into_iter().map(join).collect()
    }

    #[test]
    fn the_last_entries_are_kept_as_far_as_there_is_room() {
        // An entry takes 4 bytes for its length, 8 for its time, and twice 4 + 3 for its texts.
        // Three entries fill a buffer.
        let recording = Recording::new(2 * 3 * 26);
        assert!(texts(&recording).is_empty());
        for number in 10..21 {
            recording.add([b"GET", format!("/{number}").as_bytes()]);
        }
        assert_eq!(texts(&recording), ["GET /20", "GET /19", "GET /18", "GET /17", "GET /16"]);
        assert!(recording.entries()[0].seconds > 1_600_000_000);
        recording.add([b"", &[b'x'; 60]]);
        assert_eq!(texts(&recording).len(), 5, "an entry that never fits evicts no other");
        recording.add([b"", &[b'x'; 58]]);
        assert_eq!(texts(&recording), [&format!(" {}", "x".repeat(58)), "GET /20", "GET /19"]);
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let recording = Recording::new(0);
        recording.add([b"", b""]);
        assert!(texts(&recording).is_empty());
    }
}
