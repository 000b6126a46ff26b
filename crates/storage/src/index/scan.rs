//! What all scans of indexes have in common: how they are opened, asked and bounded.

use std::sync::Arc;

use kv::BlockLimits;

use super::found::IndexEntries;
use crate::Result;
use crate::fork_join::ForkJoin;

/// Finds the entries of one search, block after block.
pub trait EntryScan: Send {
    /// The next entries, at most `limits.rows` of them, or `None` after the last. A block may be empty before that.
    ///
    /// Errors: 1102 for a damaged entry, 10 for values that cannot be searched for, and those of `host`.
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>>;

    /// Lets go of what pins memory in the engine. The next block goes on where the last one ended.
    fn release(&mut self);
}

/// Whoever a scan works for: says whether to go on, and learns what it costs.
pub trait ScanHost {
    /// Returns an error if the scan is to end. Asked at least once a block.
    fn check(&self) -> Result<()>;

    /// The scan keeps so many bytes from now on, 0 at first.
    ///
    /// Errors: 32 if there is no memory for them.
    fn keep(&mut self, bytes: u64) -> Result<()>;

    /// What the scan has done so far; it adds to that.
    fn statistics(&mut self) -> &mut ScanStatistics;
}

/// What scans have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanStatistics {
    /// Ranges of the index that were begun.
    pub cursors: u64,
    /// Jumps within ranges.
    pub seeks: u64,
    /// Entries that were read.
    pub entries: u64,
}

/// How entries are to be found.
#[derive(Clone, Copy, Debug)]
pub struct ScanOptions {
    /// In ascending order of the index's fields.
    pub ascending: bool,
    /// Entries must come in that order (of a search: in its own), also where there are several ranges.
    pub ordered: bool,
    /// Of each combination of values at most so many entries are wanted. Only sorted indexes know this.
    pub limit_each: Option<u64>,
    /// Documents will be needed: a scan that passes by them hands them over.
    pub wants_documents: bool,
    /// Covered values will be needed.
    pub wants_covered: bool,
    /// Entries outside of a box that are read over before the next inside is looked for.
    pub lookahead: u64,
}

/// What scans of an index read from.
#[derive(Clone)]
pub(crate) struct ScanSource {
    pub(crate) engine: Arc<dyn kv::Snapshot>,
    /// The collection's name, as blocks carry it.
    pub(crate) collection: Arc<str>,
    pub(crate) fork_join: Arc<ForkJoin>,
}
