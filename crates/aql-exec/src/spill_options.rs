//! Conditions for spilling to temporary files.

use std::sync::Arc;

use aql_value::MemoryAccount;
use encryption::TemporaryFolder;

/// The conditions for spilling to temporary files.
#[derive(Debug, Clone)]
pub struct SpillOptions {
    /// Bytes in memory above which an operator spills; less if the query's memory limit is small.
    pub threshold_bytes: u64,
    /// Rows or groups in memory above which an operator spills.
    pub threshold_rows: u64,
    /// The folder of the files; `None`: never, queries end at their memory limit.
    pub folder: Option<TemporaryFolder>,
    /// The bound of the bytes in files, of all queries that share it; `None`: no bound.
    pub capacity: Option<Arc<MemoryAccount>>,
}

impl SpillOptions {
    /// ArangoDB's `--temp.intermediate-results-spillover-threshold-memory-usage`.
    pub const DEFAULT_THRESHOLD_BYTES: u64 = 128 << 20;
    /// ArangoDB's `--temp.intermediate-results-spillover-threshold-num-rows`.
    pub const DEFAULT_THRESHOLD_ROWS: u64 = 5_000_000;
    /// Divisor of a query's memory limit: no operator takes a larger part before it spills.
    ///
    /// Other operators of the same query need memory too.
    const SHARES_OF_LIMIT: u64 = 4;

    /// Limits the bytes in files, of all queries that share clones of it, to `bytes`; 0: no bound.
    pub fn with_capacity(self, bytes: u64) -> Self {
        let capacity = (bytes > 0).then(|| Arc::new(MemoryAccount::new(Some(bytes), None)));
        Self { capacity, ..self }
    }

    /// Returns the options for a query with a memory limit.
    pub(crate) fn within(self, limit_bytes: Option<u64>) -> Self {
        let share = limit_bytes.map_or(u64::MAX, |limit| limit / Self::SHARES_OF_LIMIT);
        Self { threshold_bytes: self.threshold_bytes.min(share), ..self }
    }

    /// Returns the options for one of `threads` threads of a query.
    pub(crate) fn shared_by(self, threads: u64) -> Self {
        let share = |threshold: u64| (threshold / threads.max(1)).max(1);
        let (bytes, rows) = (share(self.threshold_bytes), share(self.threshold_rows));
        Self { threshold_bytes: bytes, threshold_rows: rows, ..self }
    }

    /// Returns true if an operator with this much in memory should spill.
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
