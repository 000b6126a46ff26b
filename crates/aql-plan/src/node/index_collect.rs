//! Groups read from an index.

use super::{Collect, IndexScan};

/// COLLECT whose input is the whole of one index, in the order of its group keys (rule `use-index-for-collect`).
#[derive(Debug, Clone)]
pub struct IndexCollect {
    /// Reads the whole index, ascending. Its projections are the inputs of `collect`, all of them covered by the index.
    pub scan: IndexScan,
    /// Reads nothing of the scan but projections.
    pub collect: Collect,
    /// There are no aggregates, and the group keys are the leading fields of the index: one entry is read of each
    /// group, and the others are skipped.
    pub distinct: bool,
}
