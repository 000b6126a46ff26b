//! Memory that values point into.

use std::sync::Arc;

use crate::Slice;

/// Bytes that hold VelocyPack values, shared by all who point into them (`Arc<Block>`).
#[derive(Debug, Default, Clone)]
pub struct Block {
    /// The values, in sequence or wherever the owner has placed them.
    pub bytes: Vec<u8>,
    /// The collection of the documents in this block, which resolves their `_id` markers. None for
    /// values without markers.
    pub collection: Option<Arc<str>>,
}

impl Block {
    /// Creates a block of values without markers.
    pub fn new(bytes: Vec<u8>) -> Self {
        Block { bytes, collection: None }
    }

    /// Returns the value that starts at `offset` bytes; [`Slice::NONE`] when that is outside.
    pub fn slice(&self, offset: usize) -> Slice<'_> {
        self.bytes.get(offset..).map_or(Slice::NONE, Slice::new)
    }

    /// Returns the collection's name in the form that the functions that resolve markers take.
    pub fn collection(&self) -> Option<&str> {
        self.collection.as_deref()
    }
}
