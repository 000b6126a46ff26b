//! Documents in memory: many share one block of bytes, without copying each document.

use std::sync::Arc;

use velocypack::{Block, Slice};

/// One document in a shared block. Its `_id` marker resolves with the block's collection.
#[derive(Clone, Debug)]
pub struct StoredDocument {
    /// The bytes of this document and perhaps of others.
    pub block: Arc<Block>,
    /// The position in the block's bytes at which the document starts.
    pub offset: u32,
}

impl StoredDocument {
    /// Makes a document that is alone in its block.
    pub(crate) fn alone(bytes: Vec<u8>, collection: &Arc<str>) -> Self {
        StoredDocument { block: Arc::new(block_of(bytes, collection)), offset: 0 }
    }

    /// Returns the document, an object.
    pub fn slice(&self) -> Slice<'_> {
        self.block.slice(self.offset as usize)
    }
}

/// Documents in the order of a lookup or a scan.
#[derive(Clone, Debug)]
pub struct Documents {
    /// The bytes of all documents. The block has the collection's name, so `_id` markers resolve.
    pub block: Arc<Block>,
    /// The position in the block's bytes at which each document starts; `None` if a lookup did not
    /// find it.
    pub offsets: Vec<Option<u32>>,
}

impl Documents {
    /// Returns the number of documents, including those that were not found.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Returns true if there are no results, found or not.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Returns document `i`; `None` if it was not found, or there is no position `i`.
    pub fn get(&self, i: usize) -> Option<Slice<'_>> {
        let offset = (*self.offsets.get(i)?)?;
        Some(self.block.slice(offset as usize))
    }

    /// Returns document `i` with its block.
    pub fn document(&self, i: usize) -> Option<StoredDocument> {
        let offset = (*self.offsets.get(i)?)?;
        Some(StoredDocument { block: Arc::clone(&self.block), offset })
    }

    /// Iterates over the documents that were found, in order.
    pub fn iter(&self) -> impl Iterator<Item = Slice<'_>> {
        self.offsets.iter().flatten().map(|offset| self.block.slice(*offset as usize))
    }

    /// Wraps the bytes of one document.
    pub fn of_bytes(bytes: Vec<u8>, collection: &Arc<str>) -> Self {
        Documents::of_document(StoredDocument::alone(bytes, collection))
    }

    /// Wraps one document.
    pub(crate) fn of_document(document: StoredDocument) -> Self {
        Documents { block: document.block, offsets: vec![Some(document.offset)] }
    }

    /// Wraps the values of a lookup.
    pub(crate) fn of_values(values: kv::Values, collection: &Arc<str>) -> Self {
        let (bytes, ranges) = values.into_parts();
        let offsets = ranges.into_iter().map(|range| range.map(|range| range.start)).collect();
        Documents { block: Arc::new(block_of(bytes, collection)), offsets }
    }

    /// Wraps a block of a scan.
    pub(crate) fn of_block(block: kv::Block, collection: &Arc<str>) -> Self {
        let (bytes, pairs) = block.into_parts();
        let offsets = pairs.iter().map(|pair| Some(pair.value_start)).collect();
        Documents { block: Arc::new(block_of(bytes, collection)), offsets }
    }
}

pub(crate) fn block_of(bytes: Vec<u8>, collection: &Arc<str>) -> Block {
    Block { bytes, collection: Some(Arc::clone(collection)) }
}
