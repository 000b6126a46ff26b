//! The living documents of a segment.

use std::sync::Arc;

use tantivy::DocId;
use tantivy::directory::OwnedBytes;
use tantivy::fastfield::AliveBitSet;

/// One bit a document: it has not been deleted.
///
/// A copy shares the bits until one of both changes.
#[derive(Clone, Debug)]
pub struct Alive {
    words: Arc<Vec<u64>>,
    documents: u32,
    dead: u32,
}

impl Alive {
    /// Returns the bits of a segment without deleted documents.
    pub(crate) fn all(documents: u32) -> Self {
        let mut words = vec![u64::MAX; (documents as usize).div_ceil(64)];
        if let (Some(last), used @ 1..) = (words.last_mut(), documents % 64) {
            *last = (1 << used) - 1;
        }
        Alive { words: Arc::new(words), documents, dead: 0 }
    }

    /// Returns the bits that [`Alive::to_bytes`] has written; `None` if they do not fit the number
    /// of documents.
    pub(crate) fn from_bytes(documents: u32, bytes: &[u8]) -> Option<Self> {
        let (words, []) = bytes.as_chunks::<8>() else { return None };
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let mut alive = Alive::all(documents);
        let fits = words.len() == alive.words.len()
            && words.iter().zip(alive.words.iter()).all(|(word, all)| word & !all == 0);
        let living: u32 = words.iter().map(|word| word.count_ones()).sum();
        alive.dead = documents.checked_sub(living)?;
        alive.words = Arc::new(words);
        fits.then_some(alive)
    }

    /// Returns the bits of a segment that was merged of others, in their order.
    ///
    /// Each source has its bits as the merge has read them, and its current bits: documents that
    /// have been deleted since then are deleted in the merged segment too.
    pub fn merged<'a>(sources: impl IntoIterator<Item = (&'a Alive, &'a Alive)>) -> Self {
        let mut dead = Vec::new();
        let mut documents = 0;
        for (before, now) in sources {
            for document in (0..before.documents).filter(|document| before.contains(*document)) {
                if !now.contains(document) {
                    dead.push(documents);
                }
                documents += 1;
            }
        }
        let mut merged = Alive::all(documents);
        dead.into_iter().for_each(|document| merged.remove(document, document));
        merged
    }

    /// Returns the bits as little-endian words.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Returns true if the document is there and not deleted.
    #[inline]
    pub(crate) fn contains(&self, document: DocId) -> bool {
        let word = self.words.get(document as usize / 64).copied().unwrap_or(0);
        word >> (document % 64) & 1 == 1
    }

    /// Marks documents from `first` to `last` as deleted.
    pub(crate) fn remove(&mut self, first: DocId, last: DocId) {
        let words = Arc::make_mut(&mut self.words);
        for document in first..=last {
            let Some(word) = words.get_mut(document as usize / 64) else { return };
            let bit = 1 << (document % 64);
            self.dead += u32::from(*word & bit != 0);
            *word &= !bit;
        }
    }

    /// Returns the number of deleted documents, nested ones included.
    pub fn dead(&self) -> u32 {
        self.dead
    }

    /// Returns the number of all documents, nested ones included.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// Returns the same as tantivy has it, for a merge.
    pub(crate) fn to_tantivy(&self) -> AliveBitSet {
        let mut bytes = self.documents.to_le_bytes().to_vec();
        bytes.extend(self.to_bytes());
        AliveBitSet::open(OwnedBytes::new(bytes))
    }
}
