//! Pairs in memory, in the order in which they were added until they are sorted.
//!
//! Keys in one sort have a long common prefix: an object's number, then perhaps one of two
//! directions and a collection's name. Each pair stores a few bytes from after that prefix, so that
//! few comparisons read the keys.

use std::ops::Range;
use std::sync::Arc;

use errors::{Error, Result};

/// Bytes of memory that a pair takes besides its own.
pub(super) const PAIR_OVERHEAD_BYTES: usize = size_of::<Position>();
/// Number of pairs after which memory for all further pairs within the budget is reserved, so that
/// the pairs do not move repeatedly.
const PAIRS_BEFORE_ROOM: usize = 16 << 10;

/// The first 16 bytes of the key or of its rest, padded with zeros. If two heads differ, they order
/// the keys.
pub(super) type Head = u128;

pub(super) fn head_of(key: &[u8]) -> Head {
    let mut bytes = [0; size_of::<Head>()];
    let length = key.len().min(bytes.len());
    if let (Some(bytes), Some(key)) = (bytes.get_mut(..length), key.get(..length)) {
        bytes.copy_from_slice(key);
    }
    Head::from_be_bytes(bytes)
}

/// The common prefix of all keys.
#[derive(Default)]
pub(super) struct CommonStart {
    bytes: Option<Vec<u8>>,
}

impl CommonStart {
    pub(super) fn note(&mut self, key: &[u8]) {
        match &mut self.bytes {
            None => self.bytes = Some(key.to_vec()),
            Some(bytes) if key.starts_with(bytes) => {}
            Some(bytes) => bytes.truncate(shared_length(bytes, key)),
        }
    }

    /// Merges the common prefix of another set of keys into this one.
    pub(super) fn note_all(&mut self, other: &CommonStart) {
        if let Some(bytes) = &other.bytes {
            self.note(bytes);
        }
    }

    pub(super) fn length(&self) -> usize {
        self.bytes.as_ref().map_or(0, Vec::len)
    }
}

/// Returns the length of the common prefix of two keys.
pub(super) fn shared_length(a: &[u8], b: &[u8]) -> usize {
    let (a_words, b_words) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    let words = 8 * a_words.iter().zip(b_words).take_while(|(a, b)| a == b).count();
    let rest = |key| <[u8]>::get(key, words..).unwrap_or_default().iter();
    words + rest(a).zip(rest(b)).take_while(|(a, b)| a == b).count()
}

#[derive(Default)]
pub(super) struct Pairs {
    bytes: Vec<u8>,
    positions: Vec<Position>,
}

/// The position of a pair: the key begins at `start`, and the value follows it.
#[derive(Clone, Copy)]
struct Position {
    /// The head of the key, set by the sort: see [`SortStarts::head_of`].
    head: Head,
    start: usize,
    key_length: u32,
    value_length: u32,
}

impl Position {
    fn key<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.start..self.start + self.key_length as usize).unwrap_or_default()
    }

    fn value<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let start = self.start + self.key_length as usize;
        bytes.get(start..start + self.value_length as usize).unwrap_or_default()
    }
}

impl Pairs {
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.bytes.len() + self.positions.len() * PAIR_OVERHEAD_BYTES
    }

    /// Adds a pair. The pairs will take at most about `budget_bytes` in total.
    pub(super) fn push(&mut self, key: &[u8], value: &[u8], budget_bytes: usize) -> Result<()> {
        let (Ok(key_length), Ok(value_length)) = (u32::try_from(key.len()), u32::try_from(value.len()))
        else {
            return Err(Error::internal("a pair of more than 4 GiB was to be sorted"));
        };
        self.positions.push(Position { head: 0, start: self.bytes.len(), key_length, value_length });
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        if self.positions.len() == PAIRS_BEFORE_ROOM {
            self.make_room(budget_bytes);
        }
        Ok(())
    }

    /// Reserves memory for as many pairs as the budget allows, judged by those so far. Unused
    /// memory is never touched.
    fn make_room(&mut self, budget_bytes: usize) {
        let pair_bytes = self.size_bytes() / PAIRS_BEFORE_ROOM;
        let more = (budget_bytes / pair_bytes).saturating_sub(PAIRS_BEFORE_ROOM);
        self.positions.reserve_exact(more);
        self.bytes.reserve_exact(more * (pair_bytes - PAIR_OVERHEAD_BYTES));
    }

    /// Sorts the pairs by key, stably. All keys begin with `common` equal bytes.
    pub(super) fn sort(&mut self, common: usize) {
        let bytes = &self.bytes;
        let mut starts = SortStarts::new(common);
        self.positions.iter().for_each(|position| starts.note(position.key(bytes)));
        for position in &mut self.positions {
            position.head = starts.head_of(position.key(bytes));
        }
        let by_key = |a: &Position, b: &Position| a.key(bytes).cmp(b.key(bytes));
        self.positions.sort_by(|a, b| a.head.cmp(&b.head).then_with(|| by_key(a, b)));
    }

    /// Removes all pairs but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.positions.clear();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.positions.iter().map(|position| (position.key(&self.bytes), position.value(&self.bytes)))
    }

    fn key(&self, number: usize) -> &[u8] {
        self.positions.get(number).map_or(&[], |position| position.key(&self.bytes))
    }

    fn value(&self, number: usize) -> &[u8] {
        self.positions.get(number).map_or(&[], |position| position.value(&self.bytes))
    }

    /// Iterates over the key of each `step`-th of the sorted pairs, beginning with the first.
    pub(super) fn samples(&self, step: usize) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).step_by(step).map(|number| self.key(number))
    }

    /// Returns the number of the first of the sorted pairs whose key is not less than `key`.
    fn first_from(&self, key: &[u8]) -> usize {
        self.positions.partition_point(|position| position.key(&self.bytes) < key)
    }
}

/// The common prefixes of groups of keys. Keys in a group have the same first byte after the prefix
/// of all keys.
struct SortStarts<'a> {
    /// Number of bytes that all keys have in common at their start.
    common: usize,
    /// The common prefix of each group, by the byte after `common`, which is 0 at the end of a key.
    starts: [Option<&'a [u8]>; 256],
}

impl<'a> SortStarts<'a> {
    fn new(common: usize) -> Self {
        SortStarts { common, starts: [None; 256] }
    }

    fn note(&mut self, key: &'a [u8]) {
        let byte = self.byte_of(key);
        let Some(start) = self.starts.get_mut(usize::from(byte)) else { return };
        match start {
            None => *start = Some(key),
            Some(bytes) if key.starts_with(bytes) => {}
            Some(bytes) => *bytes = bytes.get(..shared_length(bytes, key)).unwrap_or_default(),
        }
    }

    fn byte_of(&self, key: &[u8]) -> u8 {
        key.get(self.common).copied().unwrap_or(0)
    }

    /// Returns that byte and the 15 bytes after the common prefix of its group. If two heads
    /// differ, they order the keys.
    fn head_of(&self, key: &[u8]) -> Head {
        let byte = self.byte_of(key);
        let start = self.starts.get(usize::from(byte)).copied().flatten().map_or(0, <[u8]>::len);
        let rest = head_of(key.get(start..).unwrap_or_default());
        Head::from(byte) << (Head::BITS - 8) | rest >> 8
    }
}

/// A reader of sorted pairs in a range of keys.
pub(super) struct PairsReader {
    pairs: Arc<Pairs>,
    /// The numbers of the remaining pairs.
    rest: Range<usize>,
    present: usize,
}

impl PairsReader {
    /// Starts at the first pair whose key is not less than `from`, and ends before the first whose
    /// key is not less than `to`.
    pub(super) fn new(pairs: Arc<Pairs>, from: Option<&[u8]>, to: Option<&[u8]>) -> Self {
        let start = from.map_or(0, |key| pairs.first_from(key));
        let end = to.map_or(pairs.len(), |key| pairs.first_from(key));
        PairsReader { pairs, rest: start..end, present: start }
    }

    /// Advances to the next pair. Returns false after the last one.
    pub(super) fn advance(&mut self) -> bool {
        let next = self.rest.next();
        self.present = next.unwrap_or(self.present);
        next.is_some()
    }

    pub(super) fn key(&self) -> &[u8] {
        self.pairs.key(self.present)
    }

    pub(super) fn value(&self) -> &[u8] {
        self.pairs.value(self.present)
    }
}
