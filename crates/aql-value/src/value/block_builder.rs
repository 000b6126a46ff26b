//! Many values made one after the other and put into few blocks.

use super::Value;
use crate::Result;
use crate::memory::MemoryAccount;
use std::sync::Arc;
use velocypack::{Block, Builder};

/// Builds values for the rows of a batch. They share blocks, so that there is no allocation a value.
///
/// Use: for each value, add exactly one value to [`BlockBuilder::builder`], then [`BlockBuilder::end_value`].
pub struct BlockBuilder {
    builder: Builder,
    /// Where the value being built starts.
    start: usize,
    offsets: Vec<u32>,
    values: Vec<Value>,
    /// Bytes in blocks that are complete.
    sealed_bytes: u64,
}

/// A block is complete when it has so many bytes: large enough to be shared by many values, small enough that one value
/// that is kept does not keep much else alive.
const BLOCK_BYTES: usize = 256 << 10;

impl BlockBuilder {
    /// For about so many values.
    pub fn new(values: usize) -> Self {
        Self {
            builder: Builder::new(),
            start: 0,
            offsets: Vec::with_capacity(values),
            values: Vec::with_capacity(values),
            sealed_bytes: 0,
        }
    }

    /// Where the next value is to be added.
    pub fn builder(&mut self) -> &mut Builder {
        &mut self.builder
    }

    /// The value added to the builder is complete.
    pub fn end_value(&mut self) {
        // Below BLOCK_BYTES, which is why it fits.
        self.offsets.push(self.start as u32);
        self.start = self.builder.len_bytes();
        if self.start >= BLOCK_BYTES {
            self.seal();
        }
    }

    /// Adds a value made before.
    pub fn push(&mut self, value: &Value) -> Result<()> {
        value.append_to(&mut self.builder)?;
        self.end_value();
        Ok(())
    }

    /// Number of complete values.
    pub fn len(&self) -> usize {
        self.values.len() + self.offsets.len()
    }

    /// Whether there is no complete value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all values so far, the one being built included.
    pub fn byte_len(&self) -> u64 {
        self.sealed_bytes + self.builder.len_bytes() as u64
    }

    /// Error 32 if the account could not bear what was built so far. Draws nothing: what is built in passing is
    /// accounted for by who keeps it.
    pub fn check_memory(&self, memory: &MemoryAccount) -> Result<()> {
        let bytes = self.byte_len();
        memory.charge(bytes)?;
        memory.release(bytes);
        Ok(())
    }

    /// All values, in order.
    pub fn finish(mut self) -> Vec<Value> {
        self.seal();
        self.values
    }

    fn seal(&mut self) {
        if self.offsets.is_empty() {
            return;
        }
        self.sealed_bytes += self.builder.len_bytes() as u64;
        self.start = 0;
        let block = Arc::new(Block::new(self.builder.take()));
        self.values.extend(self.offsets.drain(..).map(|offset| Value::in_block(&block, offset)));
    }
}
