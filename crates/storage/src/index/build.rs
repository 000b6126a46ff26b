//! Building an index over existing documents, in bounded memory: entries are sorted outside of memory and loaded in
//! order beside the log. Writers wait meanwhile (the caller has the collection's gate alone); readers go on.

use std::path::PathBuf;

use kv::{BlockLimits, BulkLoad, Engine};
use velocypack::Slice;

use super::Index;
use super::entries::Entries;
use super::estimate::{Estimate, EstimateChange};
use crate::encoding::entry::key_of_unique_value;
use crate::error::ConflictingDocument;
use crate::external_sort::{SortedPairs, Sorter};
use crate::scan::DocumentScanSpec;
use crate::{Collection, Error, Result, Snapshot};

/// Block size while documents are read.
const READ_LIMITS: BlockLimits = BlockLimits { rows: 4096, bytes: 4 << 20 };

/// Collects the entries of one index.
pub(crate) struct Builder<'a> {
    index: &'a Index,
    collection: &'a str,
    sorter: Sorter,
    entries: Entries,
}

impl<'a> Builder<'a> {
    /// A builder that keeps at most about `budget_bytes` in memory, and more in temporary files in `folder`.
    pub(crate) fn new(index: &'a Index, collection: &'a str, folder: PathBuf, budget_bytes: usize) -> Self {
        let sorter = Sorter::new(folder, budget_bytes);
        Builder { index, collection, sorter, entries: Entries::default() }
    }

    /// Adds the entries of a document.
    ///
    /// Errors: 1210 for a document that has the same unique value twice.
    pub(crate) fn add(&mut self, document: Slice<'_>, key: &str) -> Result<()> {
        self.entries.clear();
        self.index.entries(document, key, &mut self.entries)?;
        if self.entries.has_duplicates() {
            return Err(violation(self.index, self.collection, key));
        }
        for entry in self.entries.iter() {
            if let Some(estimate) = self.index.estimate() {
                estimate.note_and_apply(entry.hash);
            }
            self.sorter.add(entry.key, entry.value)?;
        }
        Ok(())
    }

    /// Loads all entries into the engine. Nothing is visible when this fails.
    ///
    /// Errors: 1210 where two documents have the same unique values.
    pub(crate) fn load(self, engine: &dyn Engine) -> Result<()> {
        let sorted = self.sorter.finish()?;
        let load = engine.bulk_load()?;
        load_entries(self.index, self.collection, sorted, load)
    }
}

fn load_entries(
    index: &Index,
    collection: &str,
    mut sorted: SortedPairs,
    mut load: Box<dyn BulkLoad>,
) -> Result<()> {
    let mut last: Option<Vec<u8>> = None;
    while let Some((key, value)) = sorted.next()? {
        if last.as_deref() == Some(key) {
            return Err(violation(index, collection, key_of_unique_value(value).unwrap_or_default()));
        }
        load.add(key, value)?;
        let last = last.get_or_insert_default();
        last.clear();
        last.extend_from_slice(key);
    }
    Ok(load.finish()?)
}

fn violation(index: &Index, collection: &str, key: &str) -> Error {
    let document =
        ConflictingDocument { collection: collection.to_owned(), key: key.to_owned(), revision: None };
    let index_type = index.definition().properties.type_name();
    Error::unique_violation(index.name(), index_type, &index.fields_text(), document)
}

/// Builds an index over all documents of a snapshot.
pub(crate) fn build(
    engine: &dyn Engine,
    snapshot: &Snapshot,
    collection: &Collection,
    index: &Index,
    folder: PathBuf,
    budget_bytes: usize,
) -> Result<()> {
    let mut builder = Builder::new(index, collection.name(), folder, budget_bytes);
    let spec = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
    let mut scan = snapshot.scan(collection, &spec)?;
    while let Some(documents) = scan.next_block(READ_LIMITS)? {
        for document in documents.iter() {
            let key = document.get("_key").and_then(Slice::as_str);
            builder.add(document, key.ok_or_else(|| Error::corrupt("a document without '_key'"))?)?;
        }
    }
    builder.load(engine)
}

impl Estimate {
    /// Notes one entry of a new index at once.
    fn note_and_apply(&self, hash: u64) {
        let mut change = EstimateChange::default();
        self.note(hash, true, &mut change);
        self.apply(&change);
    }
}
