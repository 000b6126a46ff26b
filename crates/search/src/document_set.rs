//! A set of documents of one segment.

use tantivy::{DocId, TERMINATED};

/// A set of documents, one bit each.
#[derive(Clone, Debug)]
pub(crate) struct DocumentSet {
    words: Vec<u64>,
}

impl DocumentSet {
    /// Returns an empty set for a segment with this many documents.
    pub(crate) fn new(documents: u32) -> Self {
        DocumentSet { words: vec![0; (documents as usize).div_ceil(64)] }
    }

    /// Adds a document of the segment.
    #[inline]
    pub(crate) fn insert(&mut self, document: DocId) {
        if let Some(word) = self.words.get_mut(document as usize / 64) {
            *word |= 1 << (document % 64);
        }
    }

    /// Returns the first document of the set that is not before `target`.
    pub(crate) fn first_from(&self, target: DocId) -> DocId {
        let start = target as usize / 64;
        let mut mask = u64::MAX << (target % 64);
        for (index, word) in self.words.iter().enumerate().skip(start) {
            let word = word & mask;
            if word != 0 {
                return index as DocId * 64 + word.trailing_zeros();
            }
            mask = u64::MAX;
        }
        TERMINATED
    }

    /// Returns the number of documents.
    pub(crate) fn len(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}
