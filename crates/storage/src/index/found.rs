//! Entries that scans and lookups have found.

use std::sync::Arc;

use errors::{Error, Result};
use velocypack::{Block, Builder, Slice};

use crate::base::documents::{StoredDocument, block_of};
use crate::encoding::entry;
use crate::visibility::read_cache::CacheUse;

/// The offset of covered values in entries that have none.
const NOT_COVERED: u32 = u32::MAX;

/// Entries of an index, in the order in which they were found.
#[derive(Clone, Debug)]
pub struct IndexEntries {
    /// The bytes of all entries.
    block: Arc<Block>,
    entries: Vec<EntryPosition>,
    /// The document of each entry, if the scan has read documents; otherwise the list is empty.
    documents: Vec<Option<StoredDocument>>,
    document_bytes: usize,
}

/// The result of lookups of whole values in a unique index.
#[derive(Clone, Debug)]
pub struct UniqueEntries {
    /// The entries found, in the order of the lookups.
    pub entries: IndexEntries,
    /// The position of each entry's lookup.
    pub positions: Vec<usize>,
    /// The number of lookups that were done. The caller asks again for the others.
    pub done: usize,
    /// The use of the read cache.
    pub cache: CacheUse,
}

#[derive(Clone, Copy, Debug)]
struct EntryPosition {
    key_start: u32,
    key_bytes: u8,
    covered: u32,
}

impl IndexEntries {
    /// Wraps a block of a scan, whose entries have covered values.
    ///
    /// Errors: 1102 for a damaged entry.
    pub(super) fn of_block(block: kv::Block, unique: bool, collection: &Arc<str>) -> Result<Self> {
        let (bytes, pairs) = block.into_parts();
        let mut entries = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            let start = pair.key_start as usize;
            let position = bytes.get(start..pair.value_end as usize).and_then(|entry| {
                EntryPosition::read(entry, start, pair.value_start as usize - start, unique)
            });
            entries.push(position.ok_or_else(|| Error::corrupt("an index has a damaged entry"))?);
        }
        Ok(IndexEntries::new(block_of(bytes, collection), entries))
    }

    /// Wraps the values of lookups in a unique index. Also returns the position of each entry's
    /// lookup.
    ///
    /// Errors: 1102 for a damaged entry.
    pub(super) fn of_values(values: kv::Values, collection: &Arc<str>) -> Result<(Self, Vec<usize>)> {
        let (bytes, ranges) = values.into_parts();
        let (mut entries, mut positions) = (Vec::new(), Vec::new());
        for (position, range) in ranges.into_iter().enumerate() {
            let Some(range) = range else { continue };
            let (start, end) = (range.start as usize, range.end as usize);
            let entry = bytes.get(start..end).and_then(|value| EntryPosition::read(value, start, 0, true));
            entries.push(entry.ok_or_else(|| Error::corrupt("an index has a damaged entry"))?);
            positions.push(position);
        }
        Ok((IndexEntries::new(block_of(bytes, collection), entries), positions))
    }

    /// Returns no entries.
    pub(super) fn empty() -> Self {
        IndexEntries::new(Block::default(), Vec::new())
    }

    fn new(block: Block, entries: Vec<EntryPosition>) -> Self {
        IndexEntries { block: Arc::new(block), entries, documents: Vec::new(), document_bytes: 0 }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the block in which the covered values lie.
    pub fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// Returns the `_key` of entry `i`'s document; empty if there is no entry `i`.
    pub fn key(&self, i: usize) -> &str {
        let Some(entry) = self.entries.get(i) else { return "" };
        let start = entry.key_start as usize;
        let bytes = self.block.bytes.get(start..start + usize::from(entry.key_bytes));
        std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// Returns the offset of entry `i`'s covered values in the block; `None` if the index covers
    /// nothing, or the caller did not want them.
    ///
    /// They are an array of the indexed fields' values, then the stored values: see
    /// [`crate::Index::covered_position`].
    pub fn covered_offset(&self, i: usize) -> Option<u32> {
        self.entries.get(i).map(|entry| entry.covered).filter(|covered| *covered != NOT_COVERED)
    }

    /// Returns entry `i`'s covered values.
    pub fn covered(&self, i: usize) -> Option<Slice<'_>> {
        self.covered_offset(i).map(|offset| self.block.slice(offset as usize))
    }

    /// Returns entry `i`'s document, if the scan has read it.
    pub fn document(&self, i: usize) -> Option<&StoredDocument> {
        self.documents.get(i)?.as_ref()
    }

    /// Returns the bytes of the documents that the scan has read with these entries.
    pub fn document_bytes(&self) -> usize {
        self.document_bytes
    }

    /// Iterates over the keys of all documents, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.key(i))
    }

    /// Keeps only entries whose positions `keep` selects. The entries must have no documents.
    pub(super) fn retain(&mut self, keep: impl Fn(&Self, usize) -> bool) {
        let kept = (0..self.len()).filter(|i| keep(self, *i)).filter_map(|i| self.entries.get(i).copied());
        self.entries = kept.collect();
    }
}

impl EntryPosition {
    fn read(entry: &[u8], start: usize, value_start: usize, unique: bool) -> Option<Self> {
        let layout = entry::layout(entry, value_start, unique)?;
        std::str::from_utf8(entry.get(layout.key.clone())?).ok()?;
        Some(EntryPosition {
            key_start: u32::try_from(start + layout.key.start).ok()?,
            key_bytes: u8::try_from(layout.key.len()).ok()?,
            covered: u32::try_from(start + layout.covered).ok()?,
        })
    }
}

/// A collector of entries whose index does not store them in the layout of [`IndexEntries`].
#[derive(Debug, Default)]
pub(super) struct EntryCollector {
    bytes: Vec<u8>,
    entries: Vec<EntryPosition>,
    documents: Vec<Option<StoredDocument>>,
    document_bytes: usize,
}

impl EntryCollector {
    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds an entry without covered values.
    ///
    /// Errors: 4 beyond 4 GiB of entries.
    pub(super) fn push(&mut self, key: &str) -> Result<()> {
        self.push_at(key, None)
    }

    /// Adds an entry that covers some texts.
    pub(super) fn push_covering(&mut self, key: &str, texts: &[&str]) -> Result<()> {
        let start = self.bytes.len();
        let mut builder = Builder::append_to(std::mem::take(&mut self.bytes));
        builder.open_array()?;
        texts.iter().try_for_each(|text| builder.add_str(text))?;
        builder.close()?;
        self.bytes = builder.into_vec();
        self.push_at(key, Some(start))
    }

    /// Adds an entry with an array of the values that it covers, if they are wanted.
    pub(super) fn push_encoded(&mut self, key: &str, covered: Option<&[u8]>) -> Result<()> {
        let Some(covered) = covered else { return self.push(key) };
        let start = self.bytes.len();
        self.bytes.extend_from_slice(covered);
        self.push_at(key, Some(start))
    }

    /// Adds an entry with its document, if the scan has read it.
    pub(super) fn push_document(&mut self, key: &str, document: Option<StoredDocument>) -> Result<()> {
        self.documents.push(document);
        self.push_at(key, None)
    }

    /// Adds to the bytes of documents that the scan has read.
    pub(super) fn add_document_bytes(&mut self, bytes: usize) {
        self.document_bytes += bytes;
    }

    pub(super) fn document_bytes(&self) -> usize {
        self.document_bytes
    }

    fn push_at(&mut self, key: &str, covered: Option<usize>) -> Result<()> {
        let position =
            |start: usize| u32::try_from(start).map_err(|_| Error::internal("a block is too large"));
        let covered = covered.map_or(Ok(NOT_COVERED), position)?;
        let key_bytes =
            u8::try_from(key.len()).map_err(|_| Error::corrupt("a document's key is too long"))?;
        self.entries.push(EntryPosition { key_start: position(self.bytes.len())?, key_bytes, covered });
        self.bytes.extend_from_slice(key.as_bytes());
        Ok(())
    }

    pub(super) fn finish(self) -> IndexEntries {
        let EntryCollector { bytes, entries, documents, document_bytes } = self;
        IndexEntries { documents, document_bytes, ..IndexEntries::new(Block::new(bytes), entries) }
    }
}
