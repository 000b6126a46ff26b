//! Lookups in a sorted index that ascend in its order, as in a merge join. Each continues where
//! the previous one ended, and searches the index only if the next entry is far away.

use std::sync::Arc;

use aql_value::Value;
use errors::Result;
use storage::{Index, IndexWalk, bounds_of};

use super::entries::{EntryBatch, EntrySink};
use super::input::LookupInput;
use super::source::covered;
use super::{LookupRequest, LookupStrategy};
use crate::context::ExecutionContext;

/// The strategy for one range of equalities for each incoming row.
pub(crate) struct ByWalk {
    index: Arc<Index>,
    /// The walk; `None` before the first lookup.
    walk: Option<IndexWalk>,
    /// True if an incoming row has begun.
    is_begun: bool,
}

impl ByWalk {
    pub(crate) fn new(index: Arc<Index>) -> Self {
        Self { index, walk: None, is_begun: false }
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
        Ok(())
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
    fn collect(
        &mut self,
        input: &mut LookupInput,
        request: &LookupRequest<'_>,
        context: &mut ExecutionContext,
    ) -> Result<EntryBatch> {
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
            self.end_row();
            input.outer.advance();
            if request.one_row {
                break;
            }
        }
        Ok(entries)
    }

    fn is_begun(&self) -> bool {
        self.is_begun
    }

    fn end_row(&mut self) {
        self.is_begun = false;
    }

    fn release(&mut self) {
        self.walk.iter_mut().for_each(IndexWalk::release);
    }
}
