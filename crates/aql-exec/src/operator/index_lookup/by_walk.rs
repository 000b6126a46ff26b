//! Lookups in a sorted index that ascend in its order, as in a merge join. Each continues where
//! the previous one ended, and searches the index only if the next entry is far away.
//!
//! Where a search waits for a message, lookups that are far apart search for many incoming rows
//! concurrently instead.

use std::sync::Arc;

use aql_value::Value;
use errors::Result;
use storage::{Index, IndexWalk, bounds_of};

use super::entries::{EntryBatch, EntrySink};
use super::input::LookupInput;
use super::source::covered;
use super::{ByRow, ByRowOptions, LookupRequest, LookupStrategy};
use crate::context::ExecutionContext;

/// The strategy for one range of equalities for each incoming row.
pub(crate) struct ByWalk {
    index: Arc<Index>,
    /// The walk; `None` before the first lookup.
    walk: Option<IndexWalk>,
    /// True if an incoming row has begun.
    is_begun: bool,
    /// The number of the last lookups in a row that had to search.
    searches: u32,
    /// The searches for many rows, in place of the walk, once lookups are far apart.
    by_row: Option<ByRow>,
}

/// The number of lookups in a row after whose searches others are taken to be far apart as well.
const SEARCHES_MAX: u32 = 3;

impl ByWalk {
    pub(crate) fn new(index: Arc<Index>) -> Self {
        Self { index, walk: None, is_begun: false, searches: 0, by_row: None }
    }

    /// Moves to the first entry for the current row.
    fn begin(
        &mut self,
        input: &LookupInput,
        request: &LookupRequest<'_>,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let found = input.ranges(&context.interrupt).next().transpose()?;
        let Some(range) = found.and_then(|(_, range)| range) else { return Ok(()) };
        let Some(bounds) = bounds_of(vec![range], true, false).next() else { return Ok(()) };
        self.is_begun = true;
        let walk = match &mut self.walk {
            Some(walk) => walk,
            None => {
                let snapshot = context.data.snapshot(request.source.read_own_writes);
                let walk = snapshot.index_walk(&request.source.collection, &self.index);
                self.walk.insert(walk?)
            }
        };
        let has_searched = walk.go_to(&bounds)?;
        context.statistics.seeks += u64::from(has_searched);
        self.searches = if has_searched { self.searches + 1 } else { 0 };
        Ok(())
    }

    /// Leaves the next rows to searches for many of them, if the walk would wait for each.
    fn look_ahead(&mut self, request: &LookupRequest<'_>, context: &mut ExecutionContext) {
        if self.searches >= SEARCHES_MAX && !request.one_by_one && context.data.waits_for_messages() {
            let options = ByRowOptions {
                deduplicate: false,
                ascending: true,
                ordered: false,
                limit_each: None,
                lookahead: 0,
            };
            self.by_row = Some(ByRow::new(options));
            self.walk = None;
        }
    }

    /// Adds entries. Returns true if the batch is full, false if the incoming row has no more
    /// entries.
    fn read(&mut self, sink: &mut EntrySink<'_>, context: &mut ExecutionContext) -> Result<bool> {
        let Some(walk) = self.walk.as_mut().filter(|_| self.is_begun) else { return Ok(false) };
        while sink.room() > 0 {
            let Some(found) = walk.next_entries(sink.room())? else {
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
}

impl LookupStrategy for ByWalk {
    fn begin_batch(&mut self) {
        self.by_row.iter_mut().for_each(ByRow::begin_batch);
    }

    fn collect(
        &mut self,
        input: &mut LookupInput,
        request: &LookupRequest<'_>,
        context: &mut ExecutionContext,
    ) -> Result<EntryBatch> {
        if let Some(by_row) = &mut self.by_row {
            return by_row.collect(input, request, context);
        }
        let mut entries = EntryBatch::default();
        while entries.len() < request.limit && input.outer.remaining() > 0 {
            context.interrupt.check()?;
            if !self.is_begun {
                self.begin(input, request, context)?;
            }
            let mut sink = EntrySink {
                batch: &mut entries,
                row: input.outer.row() as u32,
                seen: None,
                limit: request.limit,
                wants_covered: request.wants_covered,
            };
            if self.read(&mut sink, context)? {
                break;
            }
            self.is_begun = false;
            input.outer.advance();
            self.look_ahead(request, context);
            if request.one_row || self.by_row.is_some() {
                break;
            }
        }
        Ok(entries)
    }

    fn is_begun(&self) -> bool {
        self.is_begun || self.by_row.as_ref().is_some_and(ByRow::is_begun)
    }

    fn end_row(&mut self) {
        self.is_begun = false;
        self.by_row.iter_mut().for_each(ByRow::end_row);
    }

    fn release(&mut self) {
        self.by_row.iter_mut().for_each(ByRow::release);
        self.walk.iter_mut().for_each(IndexWalk::release);
    }
}
