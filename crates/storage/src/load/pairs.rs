//! Pairs of one object in memory, in key order.

use std::ops::Range;

/// Keys and values in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    bytes: Vec<u8>,
    positions: Vec<Position>,
    /// True if a key was added that is not greater than the one before it.
    is_unsorted: bool,
}

#[derive(Clone, Copy, Debug)]
struct Position {
    start: usize,
    value_start: usize,
    end: usize,
}

impl Pairs {
    /// Reserves memory for keys and values of `bytes` in total.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    /// Adds a pair. `append_key` appends its key to the buffer.
    pub(crate) fn push(&mut self, append_key: impl FnOnce(&mut Vec<u8>), value: &[u8]) {
        let start = self.bytes.len();
        append_key(&mut self.bytes);
        let value_start = self.bytes.len();
        self.bytes.extend_from_slice(value);
        let position = Position { start, value_start, end: self.bytes.len() };
        if self.positions.last().is_some_and(|last| self.key(*last) >= self.key(position)) {
            self.is_unsorted = true;
        }
        self.positions.push(position);
    }

    /// Keeps the first `length` pairs, in the order in which they were added.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.positions.truncate(length);
        self.bytes.truncate(self.positions.last().map_or(0, |last| last.end));
    }

    /// Sorts the pairs by key. Returns false if a key occurs twice.
    pub(crate) fn sort(&mut self) -> bool {
        if !self.is_unsorted {
            return true;
        }
        let bytes = &self.bytes;
        let key = |position: &Position| bytes.get(position.start..position.value_start).unwrap_or_default();
        self.positions.sort_unstable_by(|left, right| key(left).cmp(key(right)));
        let is_unique = self.positions.is_sorted_by(|left, right| key(left) < key(right));
        self.is_unsorted = false;
        is_unique
    }

    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns the first and the last key of a range of sorted pairs.
    pub(crate) fn bounds(&self, part: Range<usize>) -> Option<(&[u8], &[u8])> {
        let part = self.part(part);
        Some((self.key(*part.first()?), self.key(*part.last()?)))
    }

    /// Counts the keys below `key` in a range of sorted pairs.
    pub(crate) fn count_below(&self, part: Range<usize>, key: &[u8]) -> usize {
        self.part(part).partition_point(|position| self.key(*position) < key)
    }

    /// Iterates over keys and values, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.iter_part(0..self.len())
    }

    /// Iterates over keys and values of a range of pairs, in order.
    pub(crate) fn iter_part(&self, part: Range<usize>) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.part(part).iter().map(|position| {
            (self.key(*position), self.bytes.get(position.value_start..position.end).unwrap_or_default())
        })
    }

    fn part(&self, part: Range<usize>) -> &[Position] {
        self.positions.get(part).unwrap_or_default()
    }

    fn key(&self, position: Position) -> &[u8] {
        self.bytes.get(position.start..position.value_start).unwrap_or_default()
    }
}
