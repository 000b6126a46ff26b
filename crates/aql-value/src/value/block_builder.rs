//! A builder that puts many values into few blocks.

use std::sync::Arc;

use errors::Result;
use owner::MemoryAccount;
use velocypack::{Block, Builder};

use super::Value;

/// A builder of values for the rows of a batch. They share blocks, so no value needs an allocation.
///
/// Use: for each value, add exactly one value to [`BlockBuilder::builder`], then call
/// [`BlockBuilder::end_value`].
pub struct BlockBuilder {
    builder: Builder,
    /// The start of the value that is being built.
    start: usize,
    offsets: Vec<u32>,
    values: Vec<Value>,
    /// The bytes in complete blocks.
    sealed_bytes: u64,
}

/// The size at which a block is complete.
///
/// It is large enough for many values to share it. It is small enough that one retained value does
/// not keep much else alive.
const BLOCK_BYTES: usize = 256 << 10;

impl BlockBuilder {
    /// Returns a builder for about this many values.
    pub fn new(values: usize) -> Self {
        Self {
            builder: Builder::new(),
            start: 0,
            offsets: Vec::with_capacity(values),
            values: Vec::with_capacity(values),
            sealed_bytes: 0,
        }
    }

    /// Returns the builder that takes the next value.
    pub fn builder(&mut self) -> &mut Builder {
        &mut self.builder
    }

    /// Completes the value that was added to the builder.
    pub fn end_value(&mut self) {
        // The start is below BLOCK_BYTES, so it fits.
        self.offsets.push(self.start as u32);
        self.start = self.builder.len_bytes();
        if self.start >= BLOCK_BYTES {
            self.seal();
        }
    }

    /// Adds an existing value.
    pub fn push(&mut self, value: &Value) -> Result<()> {
        value.append_to(&mut self.builder)?;
        self.end_value();
        Ok(())
    }

    /// Returns the number of complete values.
    pub fn len(&self) -> usize {
        self.values.len() + self.offsets.len()
    }

    /// Returns true if there is no complete value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of all values so far, the one being built included.
    pub fn byte_len(&self) -> u64 {
        self.sealed_bytes + self.builder.len_bytes() as u64
    }

    /// Returns the bytes of the open block, the value being built included.
    pub(super) fn open_bytes(&self) -> usize {
        self.builder.len_bytes()
    }

    /// Checks that the account has room for the bytes built so far, but charges nothing.
    ///
    /// The owner of the result accounts for it. Errors: 32 without that room.
    pub fn check_memory(&self, memory: &MemoryAccount) -> Result<()> {
        memory.check_room(self.byte_len())
    }

    /// Returns all values, in order.
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
