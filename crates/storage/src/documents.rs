//! Documents in memory: many in one shared block of bytes, without a copy a document.

use std::sync::Arc;

use velocypack::{Block, Slice};

/// One document inside a shared block. Its `_id` marker resolves with the block's collection.
#[derive(Clone, Debug)]
pub struct StoredDocument {
    /// The bytes, of this document and perhaps of others.
    pub block: Arc<Block>,
    /// Where the document starts in the block's bytes.
    pub offset: u32,
}

impl StoredDocument {
    /// A document alone in its block.
    pub(crate) fn alone(bytes: Vec<u8>, collection: &Arc<str>) -> Self {
        StoredDocument { block: Arc::new(block_of(bytes, collection)), offset: 0 }
    }

    /// The document, an object.
    pub fn slice(&self) -> Slice<'_> {
        self.block.slice(self.offset as usize)
    }
}

/// Documents in the order of a look-up or a scan.
#[derive(Clone, Debug)]
pub struct Documents {
    /// The bytes of all documents; the collection's name is set, so `_id` markers resolve.
    pub block: Arc<Block>,
    /// Where each document starts in the block's bytes; `None` where a look-up found none.
    pub offsets: Vec<Option<u32>>,
}

impl Documents {
    /// Number of documents, those that were not found included.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Document `i`; `None` if it was not found, or there is no position `i`.
    pub fn get(&self, i: usize) -> Option<Slice<'_>> {
        let offset = (*self.offsets.get(i)?)?;
        Some(self.block.slice(offset as usize))
    }

    /// Document `i` with its block.
    pub fn document(&self, i: usize) -> Option<StoredDocument> {
        let offset = (*self.offsets.get(i)?)?;
        Some(StoredDocument { block: Arc::clone(&self.block), offset })
    }

    /// The documents that were found, in order.
    pub fn iter(&self) -> impl Iterator<Item = Slice<'_>> {
        self.offsets.iter().flatten().map(|offset| self.block.slice(*offset as usize))
    }

    /// What a look-up answered.
    pub(crate) fn of_values(values: kv::Values, collection: &Arc<str>) -> Self {
        let (bytes, ranges) = values.into_parts();
        let offsets = ranges.into_iter().map(|range| range.map(|range| range.start)).collect();
        Documents { block: Arc::new(block_of(bytes, collection)), offsets }
    }

    /// What a scan answered.
    pub(crate) fn of_block(block: kv::Block, collection: &Arc<str>) -> Self {
        let (bytes, pairs) = block.into_parts();
        let offsets = pairs.iter().map(|pair| Some(pair.value_start)).collect();
        Documents { block: Arc::new(block_of(bytes, collection)), offsets }
    }
}

pub(crate) fn block_of(bytes: Vec<u8>, collection: &Arc<str>) -> Block {
    Block { bytes, collection: Some(Arc::clone(collection)) }
}
