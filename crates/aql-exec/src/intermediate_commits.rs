//! Commits before the end of a query that writes much.
//!
//! What is written and not committed is in memory. As ArangoDB does, it is committed from a number of operations or
//! bytes on, and the query goes on in a new transaction: it is not atomic as a whole then, and what it had committed
//! stays when it fails later.

use aql_value::{Charge, MemoryAccount, Result};
use std::sync::Arc;
use storage::{Durability, Transaction};

/// When a query's writes are committed before its end.
#[derive(Debug, Clone)]
pub struct IntermediateCommitOptions {
    /// Documents written from which they are committed; at least 1.
    pub operations: u64,
    /// Bytes of keys and values from which they are committed.
    pub bytes: u64,
    /// Bytes of memory, which are more than those written, from which they are committed. `None` if the query must not
    /// be committed for that reason: then it ends with error 32 if `memory` gives no more.
    pub memory_bytes: Option<u64>,
    /// What the memory is drawn from.
    pub memory: Arc<MemoryAccount>,
}

impl Default for IntermediateCommitOptions {
    /// ArangoDB's thresholds, and memory without a limit.
    fn default() -> Self {
        IntermediateCommitOptions {
            operations: Self::DEFAULT_OPERATIONS,
            bytes: Self::DEFAULT_BYTES,
            memory_bytes: None,
            memory: Arc::new(MemoryAccount::unlimited()),
        }
    }
}

impl IntermediateCommitOptions {
    /// `--rocksdb.intermediate-commit-count` of ArangoDB.
    pub const DEFAULT_OPERATIONS: u64 = 1_000_000;
    /// `--rocksdb.intermediate-commit-size` of ArangoDB.
    pub const DEFAULT_BYTES: u64 = 512 << 20;
}

/// What a query has written since its last commit.
pub(crate) struct IntermediateCommits {
    options: IntermediateCommitOptions,
    durability: Durability,
    operations: u64,
    memory: Charge,
}

impl IntermediateCommits {
    pub(crate) fn new(options: IntermediateCommitOptions) -> Self {
        let memory = Charge::new(Arc::clone(&options.memory));
        IntermediateCommits { options, durability: Durability::Buffered, operations: 0, memory }
    }

    /// Commits wait for the disk from now on.
    pub(crate) fn set_synced(&mut self) {
        self.durability = Durability::Synced;
    }

    /// How many documents may be written until it is to be asked whether to commit.
    pub(crate) fn operations_left(&self) -> usize {
        let left = self.options.operations.saturating_sub(self.operations);
        usize::try_from(left).unwrap_or(usize::MAX).max(1)
    }

    /// So many documents more were written: commits them if they are enough. Answers whether it did.
    ///
    /// Errors: those of a commit; 32 where there is no memory for them and they may not be committed for that.
    pub(crate) fn note(&mut self, operations: u64, transaction: &mut Transaction) -> Result<bool> {
        self.operations += operations;
        let is_due = self.operations >= self.options.operations
            || transaction.size_bytes() as u64 >= self.options.bytes
            || !self.has_memory(transaction.memory_bytes() as u64)?;
        if is_due {
            self.commit(transaction)?;
        }
        Ok(is_due)
    }

    /// Draws the memory that the transaction takes by now. False if it is too much.
    fn has_memory(&mut self, taken: u64) -> Result<bool> {
        let drawn = self.memory.grow(taken.saturating_sub(self.memory.bytes()));
        match self.options.memory_bytes {
            Some(most) => Ok(drawn.is_ok() && taken < most),
            None => drawn.map(|()| true),
        }
    }

    fn commit(&mut self, transaction: &mut Transaction) -> Result<()> {
        self.operations = 0;
        transaction.commit_intermediate(self.durability)?;
        self.memory.clear();
        Ok(())
    }
}
