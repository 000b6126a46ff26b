//! The number of documents in one lookup.
//!
//! RocksDB reads the blocks of up to 32 keys before it looks at the size of any value. A block has
//! at least one document, so lookups of documents of many megabytes would take hundreds of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use kv::LOOKUP_BYTES;

/// The number of documents in one lookup while their size is unknown.
const FIRST_KEYS: usize = 8;

/// The longest document that a collection was seen to have since the store opened.
#[derive(Debug, Default)]
pub(crate) struct LongestDocument {
    /// 0 if no document was seen.
    bytes: AtomicUsize,
}

impl LongestDocument {
    /// Notes the length of a document.
    pub(crate) fn note(&self, bytes: usize) {
        // Most documents are not the longest, so this mostly only reads.
        if bytes > self.bytes.load(Ordering::Relaxed) {
            self.bytes.fetch_max(bytes, Ordering::Relaxed);
        }
    }

    /// Returns the number of documents in one lookup, at least 1: if all of them are the longest,
    /// they take [`LOOKUP_BYTES`].
    pub(crate) fn keys_per_lookup(&self) -> usize {
        match self.bytes.load(Ordering::Relaxed) {
            0 => FIRST_KEYS,
            bytes => (LOOKUP_BYTES / bytes).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_documents_are_looked_up_by_ones() {
        let longest = LongestDocument::default();
        assert_eq!(longest.keys_per_lookup(), FIRST_KEYS);
        longest.note(200);
        assert!(longest.keys_per_lookup() > 10_000);
        longest.note(15 << 20);
        longest.note(1);
        assert_eq!(longest.keys_per_lookup(), 1);
    }
}
