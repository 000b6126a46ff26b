//! The results of reads: many keys and values in one buffer.
//!
//! A block takes one allocation for all bytes and one for the offsets, so a scan does not allocate
//! per row. A reader can move the bytes out and keep them for as long as it wants.

use std::ops::Range;

/// The maximum number of bytes in one block or in one result, so that offsets fit 32 bits.
pub const BLOCK_BYTES_MAX: usize = u32::MAX as usize;

/// The number of bytes of values at which a lookup of several keys ends, so that its memory does
/// not depend on the size of the values. The last value may exceed it.
pub const LOOKUP_BYTES: usize = 8 << 20;

/// The position of one pair in the bytes of its block: the key, directly followed by the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Offset of the key's first byte.
    pub key_start: u32,
    /// Offset of the value's first byte, which is the key's end.
    pub value_start: u32,
    /// Offset after the value's last byte.
    pub value_end: u32,
}

/// Pairs in the order of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    bytes: Vec<u8>,
    pairs: Vec<Pair>,
}

impl Block {
    /// Creates an empty block.
    pub fn new() -> Self {
        Block::default()
    }

    /// Creates an empty block with room for `rows` pairs of `bytes` bytes in total.
    pub fn with_capacity(rows: usize, bytes: usize) -> Self {
        Block { bytes: Vec::with_capacity(bytes), pairs: Vec::with_capacity(rows) }
    }

    /// Appends a pair. Returns false, and appends nothing, if the block would exceed
    /// [`BLOCK_BYTES_MAX`].
    #[must_use]
    #[inline]
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> bool {
        let key_start = self.bytes.len();
        let value_start = key_start + key.len();
        let value_end = value_start + value.len();
        // The starts are not greater than the end.
        let Ok(end) = u32::try_from(value_end) else { return false };
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        self.pairs.push(Pair {
            key_start: key_start as u32,
            value_start: value_start as u32,
            value_end: end,
        });
        true
    }

    /// Returns the number of pairs.
    #[inline]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns true if there is no pair.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the number of bytes of all keys and values.
    #[inline]
    pub fn size_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the range of pair `i`'s key in [`Block::bytes`]. Panics if there is no pair `i`.
    #[inline]
    pub fn key_range(&self, i: usize) -> Range<usize> {
        let pair = self.pairs[i];
        pair.key_start as usize..pair.value_start as usize
    }

    /// Returns the range of pair `i`'s value in [`Block::bytes`]. Panics if there is no pair `i`.
    #[inline]
    pub fn value_range(&self, i: usize) -> Range<usize> {
        let pair = self.pairs[i];
        pair.value_start as usize..pair.value_end as usize
    }

    /// Returns the key of pair `i`. Panics if there is no pair `i`.
    #[inline]
    pub fn key(&self, i: usize) -> &[u8] {
        &self.bytes[self.key_range(i)]
    }

    /// Returns the value of pair `i`. Panics if there is no pair `i`.
    #[inline]
    pub fn value(&self, i: usize) -> &[u8] {
        &self.bytes[self.value_range(i)]
    }

    /// Returns the last pair's key.
    pub fn last_key(&self) -> Option<&[u8]> {
        self.len().checked_sub(1).map(|last| self.key(last))
    }

    /// Returns all keys and values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> + DoubleEndedIterator {
        (0..self.len()).map(|i| (self.key(i), self.value(i)))
    }

    /// Returns the bytes of all pairs; each pair's key is directly followed by its value.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the positions of the pairs in [`Block::bytes`].
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Returns the bytes and the positions of the pairs in them, without a copy.
    pub fn into_parts(self) -> (Vec<u8>, Vec<Pair>) {
        (self.bytes, self.pairs)
    }

    /// Removes all pairs and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.pairs.clear();
    }
}

/// The result of a lookup of many keys: one entry per key, in the order of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    bytes: Vec<u8>,
    ranges: Vec<Option<Range<u32>>>,
}

impl Values {
    /// Creates a result without entries.
    pub fn new() -> Self {
        Values::default()
    }

    /// Creates a result without entries, with room for `keys` entries of `bytes` bytes in total.
    pub fn with_capacity(keys: usize, bytes: usize) -> Self {
        Values { bytes: Vec::with_capacity(bytes), ranges: Vec::with_capacity(keys) }
    }

    /// Appends the entry of the next key. Returns false, and appends nothing, if the result would
    /// exceed [`BLOCK_BYTES_MAX`].
    #[must_use]
    pub fn push(&mut self, value: Option<&[u8]>) -> bool {
        let Some(value) = value else {
            self.ranges.push(None);
            return true;
        };
        let start = self.bytes.len();
        let Ok(end) = u32::try_from(start + value.len()) else { return false };
        self.bytes.extend_from_slice(value);
        self.ranges.push(Some(start as u32..end));
        true
    }

    /// Appends the entries of other keys. Returns false, and appends nothing, if the result would
    /// exceed [`BLOCK_BYTES_MAX`].
    #[must_use]
    pub fn append(&mut self, other: &Values) -> bool {
        let start = self.bytes.len();
        if u32::try_from(start + other.bytes.len()).is_err() {
            return false;
        }
        self.bytes.extend_from_slice(&other.bytes);
        let moved = |range: &Range<u32>| range.start + start as u32..range.end + start as u32;
        self.ranges.extend(other.ranges.iter().map(|range| range.as_ref().map(moved)));
        true
    }

    /// Returns the same entries in another order: entry `i` moves to position `places[i]`.
    ///
    /// `places` is a permutation of the positions. The bytes do not move.
    #[must_use]
    pub fn moved_to(mut self, places: &[usize]) -> Self {
        let mut ranges = vec![None; self.ranges.len()];
        for (range, place) in self.ranges.drain(..).zip(places) {
            if let Some(moved) = ranges.get_mut(*place) {
                *moved = range;
            }
        }
        Values { ranges, ..self }
    }

    /// Returns true if a lookup ends here, since the values have [`LOOKUP_BYTES`].
    pub fn is_full(&self) -> bool {
        self.bytes.len() >= LOOKUP_BYTES
    }

    /// Returns the number of keys that were looked up.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns true if no key was looked up.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the value of key `i`, or `None` if it is absent. Panics if fewer keys were
    /// requested.
    #[inline]
    pub fn get(&self, i: usize) -> Option<&[u8]> {
        self.range(i).map(|range| &self.bytes[range])
    }

    /// Returns the range of key `i`'s value in [`Values::bytes`]. Panics if fewer keys were
    /// requested.
    #[inline]
    pub fn range(&self, i: usize) -> Option<Range<usize>> {
        self.ranges[i].as_ref().map(|range| range.start as usize..range.end as usize)
    }

    /// Returns true if key `i` is present. Panics if fewer keys were requested.
    pub fn is_present(&self, i: usize) -> bool {
        self.ranges[i].is_some()
    }

    /// Returns all entries in the order of the request.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&[u8]>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Returns the bytes of all values.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes and the range of each key's value in them, without a copy.
    pub fn into_parts(self) -> (Vec<u8>, Vec<Option<Range<u32>>>) {
        (self.bytes, self.ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_gives_back_its_pairs_in_order() {
        let mut block = Block::with_capacity(3, 16);
        assert!(block.is_empty());
        assert_eq!(block.last_key(), None);
        for (key, value) in [(&b"a"[..], &b"one"[..]), (b"", b""), (b"long key", b"2")] {
            assert!(block.push(key, value));
        }
        assert_eq!(block.len(), 3);
        assert_eq!(block.key(0), b"a");
        assert_eq!(block.value(0), b"one");
        assert_eq!(block.iter().nth(1), Some((&b""[..], &b""[..])));
        assert_eq!(block.last_key(), Some(&b"long key"[..]));
        assert_eq!(block.size_bytes(), 13);
        let value = block.value_range(2);
        let (bytes, pairs) = block.into_parts();
        assert_eq!(&bytes[value], b"2");
        assert_eq!(pairs[1], Pair { key_start: 4, value_start: 4, value_end: 4 });
    }

    #[test]
    fn values_are_joined_and_put_into_another_order() {
        let (mut values, mut others) = (Values::new(), Values::new());
        assert!(values.push(Some(b"a")) && values.push(None));
        assert!(others.push(Some(b"bb")) && others.push(Some(b"")) && values.append(&others));
        assert_eq!(values.iter().collect::<Vec<_>>(), [Some(&b"a"[..]), None, Some(b"bb"), Some(b"")]);
        let moved = values.moved_to(&[3, 1, 0, 2]);
        assert_eq!(moved.iter().collect::<Vec<_>>(), [Some(&b"bb"[..]), None, Some(b""), Some(b"a")]);
    }

    #[test]
    fn values_tell_an_absent_key_from_an_empty_value() {
        let mut values = Values::new();
        assert!(values.push(Some(b"x")) && values.push(None) && values.push(Some(b"")));
        assert_eq!(values.iter().collect::<Vec<_>>(), [Some(&b"x"[..]), None, Some(&b""[..])]);
        assert!(values.is_present(2) && !values.is_present(1));
        assert_eq!(values.range(0), Some(0..1));
    }
}
