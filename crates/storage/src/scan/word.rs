//! Scans over fulltext indexes: the documents that have a word.

use kv::{Block, BlockLimits, Scan, ScanSpec, Snapshot};

use crate::encoding::word::{key_range, word_range};
use crate::{Error, Index, Result};

/// The entries of a word, or of all words that begin so. A document that has several of them comes several times.
pub struct WordScan {
    scan: Box<dyn Scan>,
}

impl WordScan {
    pub(crate) fn start(snapshot: &dyn Snapshot, index: &Index, word: &str, is_prefix: bool) -> Result<Self> {
        let range = word_range(index.definition().object_id, word, is_prefix);
        Ok(WordScan { scan: snapshot.scan(ScanSpec::forward(range).keys_only())? })
    }

    /// The next entries, or `None` after the last.
    pub fn next_block(&mut self, limits: BlockLimits) -> Result<Option<WordEntries>> {
        Ok(self.scan.next_block(limits)?.map(|block| WordEntries { block }))
    }
}

/// Some entries.
#[derive(Clone, Debug)]
pub struct WordEntries {
    block: Block,
}

impl WordEntries {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.block.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.block.is_empty()
    }

    /// The documents' keys. Errors: 1102 for a damaged entry.
    pub fn keys(&self) -> impl Iterator<Item = Result<&str>> {
        (0..self.block.len()).map(|position| {
            let entry = self.block.key(position);
            let key = key_range(entry).and_then(|range| entry.get(range));
            let key = key.and_then(|key| std::str::from_utf8(key).ok());
            key.ok_or_else(|| Error::corrupt("a fulltext index has a damaged entry"))
        })
    }
}
