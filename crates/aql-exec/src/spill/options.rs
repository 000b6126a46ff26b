//! When operators use temporary files.

use aql_value::MemoryAccount;
use std::path::PathBuf;
use std::sync::Arc;

/// When operators use temporary files instead of memory.
#[derive(Debug, Clone)]
pub struct SpillOptions {
    /// An operator with more bytes in memory goes on in files; less where the query's memory limit is small.
    pub threshold_bytes: u64,
    /// An operator with more rows or groups in memory goes on in files.
    pub threshold_rows: u64,
    /// Where files are made; `None`: never, queries end at their memory limit.
    pub folder: Option<PathBuf>,
    /// Bounds the bytes in files, of all queries that share it; `None`: no bound.
    pub capacity: Option<Arc<MemoryAccount>>,
}

impl SpillOptions {
    /// ArangoDB's `--temp.intermediate-results-spillover-threshold-memory-usage`.
    pub const DEFAULT_THRESHOLD_BYTES: u64 = 128 << 20;
    /// ArangoDB's `--temp.intermediate-results-spillover-threshold-num-rows`.
    pub const DEFAULT_THRESHOLD_ROWS: u64 = 5_000_000;
    /// No operator may take more than this part of a query's memory limit before it uses files, as others of the same
    /// query need some too.
    const SHARES_OF_LIMIT: u64 = 4;

    /// The same with at most so many bytes in files, of all queries that are given clones of it; 0: no bound.
    pub fn with_capacity(self, bytes: u64) -> Self {
        let capacity = (bytes > 0).then(|| Arc::new(MemoryAccount::new(Some(bytes), None)));
        Self { capacity, ..self }
    }

    /// The same for a query with a memory limit.
    pub(crate) fn within(self, limit_bytes: Option<u64>) -> Self {
        let share = limit_bytes.map_or(u64::MAX, |limit| limit / Self::SHARES_OF_LIMIT);
        Self { threshold_bytes: self.threshold_bytes.min(share), ..self }
    }

    /// Whether an operator that holds so much should go on in files.
    pub(crate) fn is_due(&self, bytes: u64, rows: usize) -> bool {
        self.folder.is_some() && (bytes > self.threshold_bytes || rows as u64 > self.threshold_rows)
    }
}

impl Default for SpillOptions {
    fn default() -> Self {
        Self {
            threshold_bytes: Self::DEFAULT_THRESHOLD_BYTES,
            threshold_rows: Self::DEFAULT_THRESHOLD_ROWS,
            folder: None,
            capacity: None,
        }
    }
}
