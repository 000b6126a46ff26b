//! Memory that values point into.

use std::sync::Arc;

use crate::Slice;

/// Bytes that hold VelocyPack values, shared by whoever points into them (`Arc<Block>`).
#[derive(Debug, Default, Clone)]
pub struct Block {
    /// The values, one after the other or wherever the owner has put them.
    pub bytes: Vec<u8>,
    /// The collection whose documents lie here, with which their `_id` markers resolve; none for values
    /// without markers.
    pub collection: Option<Arc<str>>,
}

impl Block {
    /// A block of values without markers.
    pub fn new(bytes: Vec<u8>) -> Self {
        Block { bytes, collection: None }
    }

    /// The value that starts at `offset` bytes; [`Slice::NONE`] when that is outside.
    pub fn slice(&self, offset: usize) -> Slice<'_> {
        self.bytes.get(offset..).map_or(Slice::NONE, Slice::new)
    }

    /// The collection's name, as the functions that resolve markers take it.
    pub fn collection(&self) -> Option<&str> {
        self.collection.as_deref()
    }
}
