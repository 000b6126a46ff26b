//! Look-ups in a persistent index that follow each other in its order, as in a merge join: each goes on where the
//! last one ended, and searches the index only if it has to go far.

use super::entries::EntrySink;
use super::range::RangePrograms;
use super::source::covered;
use crate::context::ExecutionContext;
use crate::data::storage_error;
use crate::operator::document_source::Source;
use aql_value::{Result, Value};
use std::sync::Arc;
use storage::{Index, IndexRange, IndexWalk, bounds_of};

pub(super) struct Walk {
    index: Arc<Index>,
    /// `None` before the first look-up.
    walk: Option<IndexWalk>,
    /// An incoming row was begun.
    is_begun: bool,
}

impl Walk {
    /// `None` if the scan is not a look-up in a persistent index.
    pub(super) fn of_ranges(ranges: &[RangePrograms]) -> Option<Self> {
        let [range] = ranges else { return None };
        let index = Arc::clone(&range.index);
        index.capabilities().ordered.then_some(Self { index, walk: None, is_begun: false })
    }

    /// Whether there may be more to find for an incoming row that was begun.
    pub(super) fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// Goes to the first entry of a range of equalities; `None` is a range without entries.
    pub(super) fn begin(
        &mut self,
        range: Option<IndexRange>,
        source: &Source,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        self.is_begun = true;
        let Some(bounds) = range.and_then(|range| bounds_of(vec![range], true, false).next()) else {
            self.is_begun = false;
            return Ok(());
        };
        if self.walk.is_none() {
            let snapshot = context.data.snapshot(source.read_own_writes);
            let walk = snapshot.index_walk(&source.collection, &self.index);
            self.walk = Some(walk.map_err(|error| storage_error(&error))?);
        }
        if let Some(walk) = &mut self.walk {
            let has_searched = walk.go_to(&bounds).map_err(|error| storage_error(&error))?;
            context.statistics.seeks += u64::from(has_searched);
        }
        Ok(())
    }

    /// Adds entries until the batch is full (`true`) or the incoming row has no more (`false`).
    pub(super) fn read(&mut self, sink: &mut EntrySink<'_>, context: &mut ExecutionContext) -> Result<bool> {
        let Some(walk) = self.walk.as_mut().filter(|_| self.is_begun) else { return Ok(false) };
        while sink.room() > 0 {
            let Some(found) = walk.next_entries(sink.room()).map_err(|error| storage_error(&error))? else {
                return Ok(false);
            };
            context.statistics.scanned_index += found.len() as u64;
            let entries = walk.entries();
            for entry in found {
                sink.push(entries.key(entry), || covered(entries, entry), Value::Null);
            }
        }
        Ok(true)
    }

    /// The incoming row is done.
    pub(super) fn end_row(&mut self) {
        self.is_begun = false;
    }

    pub(super) fn release(&mut self) {
        self.walk.iter_mut().for_each(IndexWalk::release);
    }
}
