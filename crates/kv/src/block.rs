//! What reads answer: many keys and values in one buffer.
//!
//! A block is one allocation for all bytes and one for the offsets, so that a scan costs no allocation a row and the
//! reader can keep the bytes for as long as it wants by moving them out.

use std::ops::Range;

/// Most bytes in one block or answer, so that offsets fit 32 bits.
pub const BLOCK_BYTES_MAX: usize = u32::MAX as usize;

/// Where one pair lies in its block's bytes: the key, directly followed by the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Offset of the key's first byte.
    pub key_start: u32,
    /// Offset of the value's first byte, which is the key's end.
    pub value_start: u32,
    /// Offset behind the value's last byte.
    pub value_end: u32,
}

/// Pairs in the order of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    bytes: Vec<u8>,
    pairs: Vec<Pair>,
}

impl Block {
    /// An empty block.
    pub fn new() -> Self {
        Block::default()
    }

    /// An empty block with room for `rows` pairs of together `bytes` bytes.
    pub fn with_capacity(rows: usize, bytes: usize) -> Self {
        Block { bytes: Vec::with_capacity(bytes), pairs: Vec::with_capacity(rows) }
    }

    /// Appends a pair. `false`: the block would exceed [`BLOCK_BYTES_MAX`]; nothing was appended.
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

    /// Number of pairs.
    #[inline]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no pair.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Bytes of all keys and values.
    #[inline]
    pub fn size_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Where the key of pair `i` lies in [`Block::bytes`]. Panics if there is no pair `i`.
    #[inline]
    pub fn key_range(&self, i: usize) -> Range<usize> {
        let pair = self.pairs[i];
        pair.key_start as usize..pair.value_start as usize
    }

    /// Where the value of pair `i` lies in [`Block::bytes`]. Panics if there is no pair `i`.
    #[inline]
    pub fn value_range(&self, i: usize) -> Range<usize> {
        let pair = self.pairs[i];
        pair.value_start as usize..pair.value_end as usize
    }

    /// The key of pair `i`. Panics if there is no pair `i`.
    #[inline]
    pub fn key(&self, i: usize) -> &[u8] {
        &self.bytes[self.key_range(i)]
    }

    /// The value of pair `i`. Panics if there is no pair `i`.
    #[inline]
    pub fn value(&self, i: usize) -> &[u8] {
        &self.bytes[self.value_range(i)]
    }

    /// The last pair's key.
    pub fn last_key(&self) -> Option<&[u8]> {
        self.len().checked_sub(1).map(|last| self.key(last))
    }

    /// All keys and values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> + DoubleEndedIterator {
        (0..self.len()).map(|i| (self.key(i), self.value(i)))
    }

    /// The bytes of all pairs; each pair's key is directly followed by its value.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where the pairs lie in [`Block::bytes`].
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The bytes and where the pairs lie in them, without a copy.
    pub fn into_parts(self) -> (Vec<u8>, Vec<Pair>) {
        (self.bytes, self.pairs)
    }

    /// Removes all pairs and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.pairs.clear();
    }
}

/// The answer of a look-up of many keys: one entry a key, in the order asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    bytes: Vec<u8>,
    ranges: Vec<Option<Range<u32>>>,
}

impl Values {
    /// No entries.
    pub fn new() -> Self {
        Values::default()
    }

    /// No entries, with room for `keys` entries of together `bytes` bytes.
    pub fn with_capacity(keys: usize, bytes: usize) -> Self {
        Values { bytes: Vec::with_capacity(bytes), ranges: Vec::with_capacity(keys) }
    }

    /// Appends the entry of the next key. `false`: the answer would exceed [`BLOCK_BYTES_MAX`]; nothing was appended.
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

    /// Appends the entries of other keys. `false`: the answer would exceed [`BLOCK_BYTES_MAX`]; nothing was appended.
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

    /// The same entries in another order: each has its new place in `places`, in which every place is once. The bytes stay
    /// where they are.
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

    /// Number of keys asked for.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether no key was asked for.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The value of key `i`, `None` if it is absent. Panics if fewer keys were asked for.
    #[inline]
    pub fn get(&self, i: usize) -> Option<&[u8]> {
        self.range(i).map(|range| &self.bytes[range])
    }

    /// Where the value of key `i` lies in [`Values::bytes`]. Panics if fewer keys were asked for.
    #[inline]
    pub fn range(&self, i: usize) -> Option<Range<usize>> {
        self.ranges[i].as_ref().map(|range| range.start as usize..range.end as usize)
    }

    /// Whether key `i` is present. Panics if fewer keys were asked for.
    pub fn is_present(&self, i: usize) -> bool {
        self.ranges[i].is_some()
    }

    /// All entries in the order asked.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&[u8]>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The bytes of all values.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes and where each key's value lies in them, without a copy.
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
