//! Scans over fulltext indexes, for the documents that match a query over words.

use std::collections::BTreeSet;
use std::collections::btree_set::IntoIter;

use analyzers::word_query::{Combination, PARTS_MAX, Part, parse};
use catalog::ObjectId;
use errors::{Error, Result};
use kv::{BlockLimits, ScanSpec};

use super::encoding::{key_range, word_range};
use crate::index::found::{EntryCollector, IndexEntries};
use crate::index::scan::{EntryScan, ScanHost, ScanSource};

/// The size of a block of entries that is read.
const BLOCK_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };
/// Bytes that a document in a set takes besides its key.
const FOUND_BYTES: usize = 40;

type Keys = BTreeSet<Box<str>>;

/// A scan that computes the set of documents when it returns the first one.
pub(super) struct WordScan {
    source: ScanSource,
    object: ObjectId,
    parts: Vec<Part>,
    found: Option<IntoIter<Box<str>>>,
}

impl WordScan {
    /// Errors: 10 for an invalid query.
    pub(super) fn new(source: ScanSource, object: ObjectId, query: &str) -> Result<Self> {
        let parts = parse(query).ok_or_else(|| {
            Error::bad_parameter(format!(
                "invalid fulltext query '{query}': expecting up to {PARTS_MAX} words, such as 'a,prefix:b,|c,-d'"
            ))
        })?;
        Ok(WordScan { source, object, parts, found: None })
    }

    /// Combines the documents of all parts from left to right.
    fn find(&self, host: &mut dyn ScanHost) -> Result<Keys> {
        let mut found = Keys::new();
        let mut kept_bytes = 0;
        for (position, part) in self.parts.iter().enumerate() {
            let is_first = position == 0;
            // An intersection or a difference with an empty set on the left is empty.
            if found.is_empty() && part.combination != Combination::Or && !is_first {
                continue;
            }
            let mut own = Keys::new();
            self.read(part, host, |key, host| {
                let is_wanted = match part.combination {
                    Combination::And => is_first || found.contains(key),
                    Combination::Or => !found.contains(key),
                    Combination::Not => found.contains(key),
                };
                if is_wanted && !own.contains(key) {
                    kept_bytes += (FOUND_BYTES + key.len()) as u64;
                    host.keep(kept_bytes)?;
                    own.insert(key.into());
                }
                Ok(())
            })?;
            match part.combination {
                Combination::And => found = own,
                Combination::Or => found.append(&mut own),
                Combination::Not if is_first => {}
                Combination::Not => found.retain(|key| !own.contains(key)),
            }
        }
        Ok(found)
    }

    /// Calls `note` with the keys of the documents that have the part's word.
    fn read(
        &self,
        part: &Part,
        host: &mut dyn ScanHost,
        mut note: impl FnMut(&str, &mut dyn ScanHost) -> Result<()>,
    ) -> Result<()> {
        let range = word_range(self.object, &part.word, part.is_prefix);
        let mut scan = self.source.engine.scan(ScanSpec::forward(range).keys_only())?;
        while let Some(block) = scan.next_block(BLOCK_LIMITS)? {
            host.check()?;
            host.statistics().entries += block.len() as u64;
            for position in 0..block.len() {
                note(document_key(block.key(position))?, host)?;
            }
        }
        Ok(())
    }
}

/// Returns the document's key of an entry.
///
/// Errors: 1102 for a damaged entry.
fn document_key(entry: &[u8]) -> Result<&str> {
    let key = key_range(entry).and_then(|range| entry.get(range));
    let key = key.and_then(|key| std::str::from_utf8(key).ok());
    key.ok_or_else(|| Error::corrupt("a fulltext index has a damaged entry"))
}

impl EntryScan for WordScan {
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        host.check()?;
        let found = match &mut self.found {
            Some(found) => found,
            None => {
                let keys = self.find(host)?;
                self.found.insert(keys.into_iter())
            }
        };
        let mut entries = EntryCollector::default();
        found.take(limits.rows).try_for_each(|key| entries.push(&key))?;
        Ok((entries.len() > 0).then(|| entries.finish()))
    }

    fn release(&mut self) {}
}
