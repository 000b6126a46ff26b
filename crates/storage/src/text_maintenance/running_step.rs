//! The parts of a step that is in progress.

use crate::catalog_snapshot::Collection;
use crate::index::Index;
use crate::index::text::text_index::{StepCheck, TextIndex};
use crate::snapshot::Snapshot;
use crate::store_core::StoreCore;

/// The memory of the writer of a step with few documents.
pub(super) const SMALL_BUDGET_BYTES: usize = 2 << 20;
/// The most memory of a writer: more would not make it faster.
const LARGE_BUDGET_BYTES: usize = 128 << 20;

/// A step in progress.
pub(super) struct Step<'a> {
    pub(super) core: &'a StoreCore,
    pub(super) index: &'a Index,
    pub(super) text: &'a TextIndex,
    pub(super) snapshot: &'a Snapshot,
    pub(super) collection: &'a Collection,
    pub(super) check: StepCheck<'a>,
}

impl Step<'_> {
    /// Returns the memory of a writer of many documents if `writers` of them work concurrently.
    pub(super) fn budget_bytes(&self, writers: usize) -> usize {
        (self.core.options.search.memory_bytes / 2 / writers).clamp(SMALL_BUDGET_BYTES, LARGE_BUDGET_BYTES)
    }
}
