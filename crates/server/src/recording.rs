//! What happened lately, for those who look for a fault: the last requests and queries, in a bounded number of bytes.
//!
//! An entry costs the copy of its texts, and no memory of its own.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of a length.
const LENGTH_BYTES: usize = size_of::<u32>();
/// Bytes of a time.
const TIME_BYTES: usize = size_of::<u64>();

/// The last entries of one kind, each with `PARTS` texts.
#[derive(Debug)]
pub struct Recording<const PARTS: usize> {
    max_bytes: usize,
    /// One entry after the other: the length of its rest, its time, and each part behind its length.
    bytes: Mutex<VecDeque<u8>>,
}

/// An entry that was read.
#[derive(Debug, PartialEq, Eq)]
pub struct Recorded<const PARTS: usize> {
    /// Seconds since 1970.
    pub seconds: u64,
    /// Its texts.
    pub parts: [Vec<u8>; PARTS],
}

impl<const PARTS: usize> Recording<PARTS> {
    /// Keeps at most `max_bytes`; 0 keeps nothing.
    pub fn new(max_bytes: usize) -> Self {
        Recording { max_bytes, bytes: Mutex::default() }
    }

    /// Adds an entry; the oldest ones go where there is no more room. One that has no room at all is left out.
    pub fn add(&self, parts: [&[u8]; PARTS]) {
        let rest = TIME_BYTES + parts.iter().map(|part| LENGTH_BYTES + part.len()).sum::<usize>();
        let (Ok(length), true) = (u32::try_from(rest), LENGTH_BYTES + rest <= self.max_bytes) else { return };
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        while bytes.len() + LENGTH_BYTES + rest > self.max_bytes {
            forget_oldest(&mut bytes);
        }
        bytes.extend(&length.to_le_bytes());
        bytes.extend(&seconds.to_le_bytes());
        for part in parts {
            // Shorter than the whole, whose length fits.
            bytes.extend(&(part.len() as u32).to_le_bytes());
            bytes.extend(part);
        }
    }

    /// All entries, the last first.
    pub fn entries(&self) -> Vec<Recorded<PARTS>> {
        let bytes: Vec<u8> = {
            let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            let (first, second) = bytes.as_slices();
            [first, second].concat()
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

fn forget_oldest(bytes: &mut VecDeque<u8>) {
    let mut length = [0; LENGTH_BYTES];
    length.iter_mut().zip(bytes.iter()).for_each(|(to, from)| *to = *from);
    let end = LENGTH_BYTES.saturating_add(u32::from_le_bytes(length) as usize);
    bytes.drain(..end.min(bytes.len()));
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
        let recording = Recording::new(100);
        assert!(texts(&recording).is_empty());
        for number in 0..50 {
            recording.add([b"GET", format!("/{number}").as_bytes()]);
        }
        // 4 bytes of length, 8 of time, 4 + 3 and 4 + 3 of texts.
        assert_eq!(texts(&recording), ["GET /49", "GET /48", "GET /47"]);
        assert!(recording.entries()[0].seconds > 1_600_000_000);
        recording.add([b"", &[b'x'; 100]]);
        assert_eq!(texts(&recording).len(), 3, "one that never fits takes nobody's room");
        recording.add([b"", &[b'x'; 80]]);
        assert_eq!(texts(&recording), [format!(" {}", "x".repeat(80))]);
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let recording = Recording::new(0);
        recording.add([b"", b""]);
        assert!(texts(&recording).is_empty());
    }
}
