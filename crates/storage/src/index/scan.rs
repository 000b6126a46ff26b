//! The interface of all index scans: how callers open, read and bound them.

use std::sync::Arc;

use errors::Result;
use kv::BlockLimits;

use super::found::IndexEntries;
use crate::base::fork_join::ForkJoin;
use crate::visibility::read_cache::{CacheUse, CollectionCache};

/// A scan that finds the entries of one search, block by block.
pub trait EntryScan: Send {
    /// Returns the next entries, at most `limits.rows` of them, or `None` after the last. A block
    /// before that may be empty.
    ///
    /// Errors: 1102 for a damaged entry, 10 for values that cannot be searched for, and those of
    /// `host`.
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>>;

    /// Begins to fetch the first entries of a scan that has not begun, where the engine must wait
    /// for them.
    fn fetch(&mut self) -> Result<()> {
        Ok(())
    }

    /// Releases all that pins memory in the engine. The next block continues after the last one.
    fn release(&mut self);
}

/// The caller of a scan: it decides whether to continue, and accounts for the cost.
pub trait ScanHost {
    /// Returns an error if the scan must end. The scan calls this at least once for each block.
    fn check(&self) -> Result<()>;

    /// Reports that the scan keeps this many bytes from now on; it starts with 0.
    ///
    /// Errors: 32 if there is no memory for them.
    fn keep(&mut self, bytes: u64) -> Result<()>;

    /// Returns the statistics, to which the scan adds.
    fn statistics(&mut self) -> &mut ScanStatistics;
}

/// The work that scans have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanStatistics {
    /// Jumps within ranges.
    pub seeks: u64,
    /// Entries that scans have read.
    pub entries: u64,
    /// The use of the read cache.
    pub cache: CacheUse,
}

/// The options of a scan.
#[derive(Clone, Copy, Debug)]
pub struct ScanOptions {
    /// True for the ascending order of the index's fields.
    pub ascending: bool,
    /// True if entries must come in that order, or in a search's own order, even from several
    /// ranges.
    pub ordered: bool,
    /// Maximum number of entries that are wanted for each combination of values. Only sorted
    /// indexes support this.
    pub limit_each: Option<u64>,
    /// True if the caller will need the documents. A scan that reads them anyway then returns them.
    pub wants_documents: bool,
    /// True if the caller will need covered values.
    pub wants_covered: bool,
    /// Entries outside of a box that are read before the scan jumps to the next one inside.
    pub lookahead: u64,
}

/// The data from which scans of an index read.
#[derive(Clone)]
pub(crate) struct ScanSource {
    pub(crate) engine: Arc<dyn kv::Snapshot>,
    /// The collection's name, as blocks carry it.
    pub(crate) collection: Arc<str>,
    pub(crate) fork_join: Arc<ForkJoin>,
    /// `None` if the snapshot may not use the read cache.
    pub(crate) cache: Option<CollectionCache>,
}
