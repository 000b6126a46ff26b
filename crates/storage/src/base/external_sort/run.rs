//! Sorted runs, one after another in temporary files, in groups of [`GROUP_BYTES`] or more.
//!
//! A pair consists of:
//!
//! ```text
//! length of the prefix that the key shares with the previous key, 0 for the first of a group
//! length of the rest of the key
//! length of the value
//! rest of the key, value
//! ```
//!
//! Numbers are LEB128: groups of seven bits, the lowest first. The highest bit is set in all but
//! the last. The position and first key of each group stay in memory, so that several readers can
//! start at any key.

use std::ops::Range;
use std::sync::Arc;

use encryption::TemporaryFile;
use errors::{Error, Result};

use super::failed;
use super::pairs::shared_length;

/// The minimum distance between the starts of two groups.
const GROUP_BYTES: u64 = 16 << 10;
/// Maximum number of groups of a run, so that their starts take little memory compared to the sort,
/// whatever the data.
const GROUPS_MAX: usize = 64;
/// Maximum number of bytes that are kept of a group's first key.
const GROUP_KEY_BYTES_MAX: usize = 512;
/// Maximum size in bytes of a number: lengths are less than 2^32.
const NUMBER_BYTES_MAX: usize = 5;
const HEADER_BYTES_MAX: usize = 3 * NUMBER_BYTES_MAX;

/// Returns the part of a key that is kept where a group or a range begins.
pub(super) fn start_of(key: &[u8]) -> &[u8] {
    key.get(..GROUP_KEY_BYTES_MAX).unwrap_or(key)
}

/// A run that was written: a part of a file.
pub(super) struct Run {
    file: Arc<TemporaryFile>,
    range: Range<u64>,
    groups: Vec<Group>,
    pairs: usize,
}

struct Group {
    /// The position in the file.
    start: u64,
    /// The start of its first key.
    key: Box<[u8]>,
}

impl Run {
    /// Returns the position in the file at which the run ends.
    pub(super) fn end(&self) -> u64 {
        self.range.end
    }

    /// Iterates over the first keys of all groups, as far as they are kept.
    pub(super) fn samples(&self) -> impl Iterator<Item = &[u8]> {
        self.groups.iter().map(|group| group.key.as_ref())
    }

    /// Returns the approximate number of pairs in a group.
    pub(super) fn pairs_in_group(&self) -> usize {
        self.pairs / self.groups.len().max(1)
    }

    /// Returns the start of the last group before which all keys are less than `key`.
    fn start_for(&self, key: &[u8]) -> u64 {
        let key = start_of(key);
        // If keys are longer than the part that is kept, equal parts do not tell which key is less.
        let before = self.groups.partition_point(|group| group.key.as_ref() < key);
        let group = before.checked_sub(1).and_then(|last| self.groups.get(last));
        group.map_or(self.range.start, |group| group.start)
    }
}

/// A writer that appends a run to a file.
pub(super) struct RunWriter {
    file: Arc<TemporaryFile>,
    start: u64,
    /// The position in the file at which `buffer` is to be written.
    end: u64,
    buffer: Vec<u8>,
    buffer_bytes: usize,
    groups: Vec<Group>,
    group_bytes: u64,
    pairs: usize,
    last_key: Vec<u8>,
}

impl RunWriter {
    pub(super) fn new(file: Arc<TemporaryFile>, start: u64, buffer_bytes: usize) -> Self {
        RunWriter {
            file,
            start,
            end: start,
            buffer: Vec::with_capacity(buffer_bytes),
            buffer_bytes,
            groups: Vec::new(),
            group_bytes: GROUP_BYTES,
            pairs: 0,
            last_key: Vec::new(),
        }
    }

    /// Adds a pair. Keys must come in ascending order.
    pub(super) fn write(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let here = self.end + self.buffer.len() as u64;
        let mut shared = 0;
        if self.groups.last().is_some_and(|last| here - last.start < self.group_bytes) {
            shared = shared_length(&self.last_key, key);
        } else {
            self.begin_group(here, key);
        }
        let rest = key.get(shared..).unwrap_or_default();
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(rest);
        for length in [shared, rest.len(), value.len()] {
            push_number(length, &mut self.buffer);
        }
        self.buffer.extend_from_slice(rest);
        self.pairs += 1;
        if value.len() >= self.buffer_bytes {
            self.flush()?;
            return append(&self.file, value, &mut self.end);
        }
        self.buffer.extend_from_slice(value);
        if self.buffer.len() >= self.buffer_bytes { self.flush() } else { Ok(()) }
    }

    fn begin_group(&mut self, start: u64, key: &[u8]) {
        if self.groups.len() >= GROUPS_MAX {
            // Every two groups merge into one, and later groups are as long as the merged ones.
            self.group_bytes *= 2;
            let mut stays = false;
            self.groups.retain(|_| {
                stays = !stays;
                stays
            });
        }
        self.groups.push(Group { start, key: start_of(key).into() });
    }

    fn flush(&mut self) -> Result<()> {
        append(&self.file, &self.buffer, &mut self.end)?;
        self.buffer.clear();
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Run> {
        self.flush()?;
        Ok(Run { file: self.file, range: self.start..self.end, groups: self.groups, pairs: self.pairs })
    }
}

/// Writes bytes at `end` and advances it.
fn append(file: &TemporaryFile, bytes: &[u8], end: &mut u64) -> Result<()> {
    file.write_all_at(bytes, *end).map_err(|error| failed("writing", &error))?;
    *end += bytes.len() as u64;
    Ok(())
}

fn push_number(mut number: usize, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number at the start of `bytes`. Returns it with the remaining bytes.
fn read_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut number = 0;
    for (place, byte) in bytes.iter().enumerate().take(NUMBER_BYTES_MAX) {
        number |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((number, bytes.get(place + 1..)?));
        }
    }
    None
}

/// A reader of a run, one pair at a time.
///
/// It reads a value that is longer than its buffer only on demand: a merge has many readers, and
/// needs one value at a time.
pub(super) struct RunReader {
    run: Arc<Run>,
    /// Part of the file. `unread` is a range of it, and ends at `offset` in the file.
    buffer: Vec<u8>,
    /// The length of the buffer unless a key is longer.
    buffer_bytes: usize,
    unread: Range<usize>,
    offset: u64,
    key: Vec<u8>,
    value: Place,
    /// The first key that is not read any more.
    to: Option<Arc<[u8]>>,
    /// The first key that is read; earlier keys are skipped.
    from: Option<Arc<[u8]>>,
}

/// The place of a value.
enum Place {
    Buffer(Range<usize>),
    File(Range<u64>),
}

impl RunReader {
    /// Starts at the first pair whose key is not less than `from`, and ends before the first whose
    /// key is not less than `to`.
    pub(super) fn new(
        run: Arc<Run>,
        buffer_bytes: usize,
        from: Option<Arc<[u8]>>,
        to: Option<Arc<[u8]>>,
    ) -> Self {
        let offset = from.as_ref().map_or(run.range.start, |key| run.start_for(key));
        let buffer_bytes = buffer_bytes.max(HEADER_BYTES_MAX);
        let (buffer, value) = (vec![0; buffer_bytes], Place::Buffer(0..0));
        RunReader { run, buffer, buffer_bytes, unread: 0..0, offset, key: Vec::new(), value, to, from }
    }

    /// Advances to the next pair. Returns false after the last one.
    pub(super) fn advance(&mut self) -> Result<bool> {
        while self.next_pair()? {
            if self.from.as_ref().is_some_and(|from| self.key.as_slice() < from.as_ref()) {
                continue;
            }
            self.from = None;
            return Ok(self.to.as_ref().is_none_or(|to| self.key.as_slice() < to.as_ref()));
        }
        Ok(false)
    }

    fn next_pair(&mut self) -> Result<bool> {
        self.fill(HEADER_BYTES_MAX)?;
        if self.unread.is_empty() {
            return Ok(false);
        }
        let (header_bytes, [shared, rest, value]) = self.header().ok_or_else(damaged)?;
        self.unread.start += header_bytes;
        self.fill(if rest + value <= self.buffer_bytes { rest + value } else { rest })?;
        let start = self.unread.start;
        let bytes = self.buffer.get(start..self.unread.end).and_then(|bytes| bytes.get(..rest));
        self.key.truncate(shared);
        self.key.extend_from_slice(bytes.ok_or_else(damaged)?);
        self.unread.start += rest;
        self.pass_value(value)?;
        Ok(true)
    }

    /// Advances past the next value.
    fn pass_value(&mut self, length: usize) -> Result<()> {
        if self.unread.len() >= length {
            let start = self.unread.start;
            self.unread.start += length;
            self.value = Place::Buffer(start..self.unread.start);
            return Ok(());
        }
        let start = self.offset - self.unread.len() as u64;
        let end = start + length as u64;
        if end > self.run.range.end {
            return Err(damaged());
        }
        (self.unread, self.offset, self.value) = (0..0, end, Place::File(start..end));
        Ok(())
    }

    /// Returns the length of the next header, and its numbers.
    fn header(&self) -> Option<(usize, [usize; 3])> {
        let bytes = self.buffer.get(self.unread.clone())?;
        let (shared, rest) = read_number(bytes)?;
        let (rest_length, rest) = read_number(rest)?;
        let (value_length, rest) = read_number(rest)?;
        Some((bytes.len() - rest.len(), [shared, rest_length, value_length]))
    }

    /// Ensures that at least `count` bytes are unread, or all that are left.
    fn fill(&mut self, count: usize) -> Result<()> {
        if self.unread.len() >= count {
            return Ok(());
        }
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        let wanted = self.buffer_bytes.max(count).max(self.unread.end);
        if self.buffer.len() < count {
            self.buffer.resize(wanted, 0);
        } else if self.buffer.len() > wanted {
            self.buffer.truncate(wanted);
            self.buffer.shrink_to_fit();
        }
        while self.unread.len() < count {
            // Another run may follow in the file.
            let left = usize::try_from(self.run.range.end - self.offset).unwrap_or(usize::MAX);
            let end = self.buffer.len().min(self.unread.end.saturating_add(left));
            let room = self.buffer.get_mut(self.unread.end..end).unwrap_or_default();
            match self.run.file.read_at(room, self.offset) {
                Ok(0) => return Ok(()),
                Ok(read) => {
                    self.offset += read as u64;
                    self.unread.end += read;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed("reading", &error)),
            }
        }
        Ok(())
    }

    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// Returns the value, unless it is long.
    pub(super) fn value(&self) -> &[u8] {
        match &self.value {
            Place::Buffer(range) => self.buffer.get(range.clone()).unwrap_or_default(),
            Place::File(_) => &[],
        }
    }

    /// Reads the value into `out` if it is long, and clears `out` otherwise. Returns true if it is
    /// long.
    pub(super) fn load_value(&self, out: &mut Vec<u8>) -> Result<bool> {
        let Place::File(range) = &self.value else {
            *out = Vec::new();
            return Ok(false);
        };
        out.resize((range.end - range.start) as usize, 0);
        self.run.file.read_exact_at(out, range.start).map_err(|error| failed("reading", &error))?;
        Ok(true)
    }
}

fn damaged() -> Error {
    Error::internal("a temporary file for sorting is damaged")
}
