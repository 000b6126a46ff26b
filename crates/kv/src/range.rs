//! Ranges of keys.

/// The keys from `start` to below `end`, in byte order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyRange {
    /// The first key that may be in the range (inclusive).
    pub start: Vec<u8>,
    /// The first key after the range (exclusive). An empty key means that the range has no end.
    pub end: Vec<u8>,
}

impl KeyRange {
    /// Returns the keys from `start` (inclusive) to `end` (exclusive; empty for no end).
    pub fn new(start: impl Into<Vec<u8>>, end: impl Into<Vec<u8>>) -> Self {
        KeyRange { start: start.into(), end: end.into() }
    }

    /// Returns the range of every key.
    pub fn all() -> Self {
        KeyRange { start: Vec::new(), end: Vec::new() }
    }

    /// Returns the range of the keys that begin with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        KeyRange { start: prefix.to_vec(), end: prefix_end(prefix) }
    }

    /// Returns the range of the keys after `key`, without an end.
    pub fn after(key: &[u8]) -> Self {
        KeyRange { start: successor(key), end: Vec::new() }
    }

    /// Returns the range of one key.
    pub fn single(key: &[u8]) -> Self {
        KeyRange { start: key.to_vec(), end: successor(key) }
    }

    /// Returns true if `key` is in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        key >= self.start.as_slice() && self.is_before_end(key)
    }

    /// Returns true if `key` is below the range's end.
    pub fn is_before_end(&self, key: &[u8]) -> bool {
        self.end.is_empty() || key < self.end.as_slice()
    }

    /// Returns true if no key can be in the range.
    pub fn is_empty(&self) -> bool {
        !self.is_before_end(&self.start)
    }

    /// Returns the range of the keys that are in both ranges.
    pub fn intersection(&self, other: &KeyRange) -> KeyRange {
        let start = self.start.as_slice().max(other.start.as_slice()).to_vec();
        let end = match (self.end.is_empty(), other.end.is_empty()) {
            (true, _) => other.end.clone(),
            (_, true) => self.end.clone(),
            _ => self.end.as_slice().min(other.end.as_slice()).to_vec(),
        };
        KeyRange { start, end }
    }

    /// Returns true if some key can be in both ranges.
    pub fn intersects(&self, other: &KeyRange) -> bool {
        !self.intersection(other).is_empty()
    }

    /// Returns the rest of the range for a scan that has returned `key` last.
    pub fn remainder(&self, key: &[u8], reverse: bool) -> KeyRange {
        let rest = if reverse {
            // No key is below the empty key, and an empty end would mean "no end".
            if key.is_empty() {
                return KeyRange { start: vec![0], end: vec![0] };
            }
            KeyRange { start: Vec::new(), end: key.to_vec() }
        } else {
            KeyRange::after(key)
        };
        self.intersection(&rest)
    }
}

/// Returns the smallest key that is greater than `key`: `key · 0x00`.
pub fn successor(key: &[u8]) -> Vec<u8> {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0);
    next
}

/// Returns the smallest key that is greater than all keys that begin with `prefix`.
///
/// There is none for the empty prefix and for prefixes of only 0xFF. The result is then empty (no
/// end).
pub fn prefix_end(prefix: &[u8]) -> Vec<u8> {
    let kept = prefix.iter().rposition(|byte| *byte != u8::MAX).map_or(0, |last| last + 1);
    let mut end = prefix.get(..kept).unwrap_or_default().to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_holds_exactly_the_keys_that_begin_with_it() {
        let range = KeyRange::prefix(b"ab");
        assert!(range.contains(b"ab"));
        assert!(range.contains(b"ab\xff\xff\xff"));
        assert!(!range.contains(b"aa\xff"));
        assert!(!range.contains(b"ac"));
        assert_eq!(prefix_end(b"a\xff\xff"), b"b");
        assert_eq!(prefix_end(b"\xff\xff"), b"");
        assert!(KeyRange::prefix(b"\xff").contains(b"\xff\xff\xff"));
        assert!(!KeyRange::prefix(b"\xff").contains(b"\xfe"));
        assert_eq!(KeyRange::prefix(b""), KeyRange::all());
    }

    #[test]
    fn nothing_lies_between_a_key_and_its_successor() {
        assert_eq!(successor(b"a"), b"a\0");
        assert!(KeyRange::single(b"a").contains(b"a"));
        assert!(!KeyRange::single(b"a").contains(b"a\0"));
        assert!(!KeyRange::after(b"a").contains(b"a"));
        assert!(KeyRange::after(b"a").contains(b"a\0"));
    }

    #[test]
    fn intersections_keep_what_both_have() {
        let left = KeyRange::new("b", "f");
        assert_eq!(left.intersection(&KeyRange::new("a", "d")), KeyRange::new("b", "d"));
        assert_eq!(left.intersection(&KeyRange::new("c", "")), KeyRange::new("c", "f"));
        assert_eq!(left.intersection(&KeyRange::all()), left);
        assert_eq!(KeyRange::all().intersection(&left), left);
        assert!(left.intersection(&KeyRange::new("f", "g")).is_empty());
        assert!(!left.intersects(&KeyRange::new("", "b")));
        assert!(left.intersects(&KeyRange::new("e", "")));
        assert!(!KeyRange::all().is_empty());
        assert!(KeyRange::new("b", "a").is_empty());
    }

    #[test]
    fn the_remainder_of_a_scan_follows_its_last_key() {
        let range = KeyRange::new("a", "d");
        assert_eq!(range.remainder(b"b", false), KeyRange::new("b\0", "d"));
        assert_eq!(range.remainder(b"b", true), KeyRange::new("a", "b"));
        assert!(range.remainder(b"a", true).is_empty());
        assert!(KeyRange::all().remainder(b"", true).is_empty());
        assert!(!KeyRange::all().remainder(b"", false).contains(b""));
    }
}
