//! Intermediate commits of queries that write much.
//!
//! Uncommitted writes are in memory. Like ArangoDB, the query commits them after a number of
//! operations or bytes and continues in a new transaction. Then it is not atomic as a whole: its
//! commits stay when it fails later.

use std::sync::Arc;

use aql_value::{Charge, MemoryAccount};
use errors::Result;
use storage::{Durability, Transaction};

/// The thresholds of intermediate commits.
#[derive(Debug, Clone)]
pub struct IntermediateCommitOptions {
    /// Written documents that trigger a commit; at least 1.
    pub operations: u64,
    /// Bytes of keys and values that trigger a commit.
    pub bytes: u64,
    /// Bytes of memory, which are more than those written, that trigger a commit.
    ///
    /// `None` if memory must not trigger a commit: then the query ends with error 32 if `memory` is
    /// exhausted.
    pub memory_bytes: Option<u64>,
    /// The account to which the memory is charged.
    pub memory: Arc<MemoryAccount>,
    /// Bytes of memory of earlier writes of the transaction, which its owner has charged.
    pub charged_bytes: u64,
}

impl Default for IntermediateCommitOptions {
    /// Returns ArangoDB's thresholds, and memory without a limit.
    fn default() -> Self {
        IntermediateCommitOptions {
            operations: Self::DEFAULT_OPERATIONS,
            bytes: Self::DEFAULT_BYTES,
            memory_bytes: None,
            memory: Arc::new(MemoryAccount::unlimited()),
            charged_bytes: 0,
        }
    }
}

impl IntermediateCommitOptions {
    /// The default of ArangoDB's `--rocksdb.intermediate-commit-count`.
    pub const DEFAULT_OPERATIONS: u64 = 1_000_000;
    /// The default of ArangoDB's `--rocksdb.intermediate-commit-size`.
    pub const DEFAULT_BYTES: u64 = 512 << 20;

    /// Returns options of a query that is a part of a transaction, and so never commits.
    pub fn never(self, charged_bytes: u64) -> Self {
        let memory = self.memory;
        let (operations, bytes, memory_bytes) = (u64::MAX, u64::MAX, None);
        IntermediateCommitOptions { operations, bytes, memory_bytes, memory, charged_bytes }
    }
}

/// The writes of a query since its last commit.
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

    /// Makes commits wait for the disk from now on.
    pub(crate) fn set_synced(&mut self) {
        self.durability = Durability::Synced;
    }

    /// Returns the number of documents that may be written before the next check.
    pub(crate) fn operations_left(&self) -> usize {
        let left = self.options.operations.saturating_sub(self.operations);
        usize::try_from(left).unwrap_or(usize::MAX).max(1)
    }

    /// Counts `operations` more written documents and commits if a threshold is reached.
    ///
    /// Returns true if it did. Errors: those of a commit; 32 if memory is exhausted and must not
    /// trigger a commit.
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

    /// Charges the memory that the transaction takes by now. Returns false if it is too much.
    fn has_memory(&mut self, taken: u64) -> Result<bool> {
        let charged = taken.saturating_sub(self.options.charged_bytes).saturating_sub(self.memory.bytes());
        let charged = self.memory.grow(charged);
        match self.options.memory_bytes {
            Some(most) => Ok(charged.is_ok() && taken < most),
            None => charged.map(|()| true),
        }
    }

    fn commit(&mut self, transaction: &mut Transaction) -> Result<()> {
        self.operations = 0;
        transaction.commit_intermediate(self.durability)?;
        self.memory.clear();
        Ok(())
    }
}
