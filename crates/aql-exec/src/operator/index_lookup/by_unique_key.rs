//! Lookups of single entries in a unique index. Storage gets the lookups of many incoming rows in
//! one step.

use std::collections::HashSet;
use std::sync::Arc;

use errors::Result;
use storage::{BoundsOfRanges, Index, IndexBounds, UniqueEntries, bounds_of};

use super::entries::{EntryBatch, EntrySink};
use super::input::LookupInput;
use super::source::covered;
use super::{LookupRequest, LookupStrategy};
use crate::context::ExecutionContext;
use crate::statistics::CursorUse;

/// The strategy for ranges that give values of all fields of the same index.
pub(crate) struct ByUniqueKey {
    index: Arc<Index>,
    ascending: bool,
    ordered: bool,
    deduplicate: bool,
    /// The pending lookups, and their incoming rows in `rows`.
    wanted: Vec<IndexBounds>,
    rows: Vec<u32>,
    /// The rest of the lookups of the last incoming row.
    begun: Option<BoundsOfRanges>,
    /// An incoming row and the keys that were found for it, to skip duplicates.
    seen: (u32, HashSet<Box<str>>),
    cursor: CursorUse,
}

impl ByUniqueKey {
    pub(crate) fn new(index: Arc<Index>, ascending: bool, ordered: bool, deduplicate: bool) -> Self {
        let (wanted, rows, begun) = (Vec::new(), Vec::new(), None);
        let (seen, cursor) = ((0, HashSet::new()), CursorUse::default());
        Self { index, ascending, ordered, deduplicate, wanted, rows, begun, seen, cursor }
    }

    /// Adds the lookups of the current row up to the limit. Returns true if the row may have more.
    fn add_row(&mut self, input: &LookupInput, limit: usize, context: &mut ExecutionContext) -> Result<bool> {
        let bounds = match &mut self.begun {
            Some(bounds) => bounds,
            None => {
                let ranges = input.ranges(&context.interrupt).filter_map(|found| match found {
                    Ok((_, range)) => range.map(Ok),
                    Err(error) => Some(Err(error)),
                });
                let ranges = ranges.collect::<Result<Vec<_>>>()?;
                self.cursor.begin_row();
                self.cursor.count(ranges.len() as u64, &mut context.statistics);
                self.begun.insert(bounds_of(ranges, self.ascending, self.ordered))
            }
        };
        while self.wanted.len() < limit {
            let Some(next) = bounds.next() else {
                self.begun = None;
                return Ok(false);
            };
            self.wanted.push(next);
            self.rows.push(input.outer.row() as u32);
        }
        Ok(true)
    }

    /// Performs the lookups.
    fn read(&mut self, request: &LookupRequest<'_>, context: &mut ExecutionContext) -> Result<EntryBatch> {
        let mut batch = EntryBatch::default();
        let (wanted, rows) = (std::mem::take(&mut self.wanted), std::mem::take(&mut self.rows));
        let (mut wanted, mut rows) = (wanted.as_slice(), rows.as_slice());
        while !wanted.is_empty() {
            context.interrupt.check()?;
            let snapshot = context.data.snapshot(request.source.read_own_writes);
            let found = snapshot.unique_entries(&request.source.collection, &self.index, wanted)?;
            context.statistics.scanned_index += found.entries.len() as u64;
            context.statistics.cache += found.cache;
            self.add_entries(&found, rows, request, &mut batch);
            wanted = wanted.get(found.done..).unwrap_or_default();
            rows = rows.get(found.done..).unwrap_or_default();
        }
        Ok(batch)
    }

    /// Adds the entries that lookups have found. `rows` has the incoming row of each lookup.
    fn add_entries(
        &mut self,
        found: &UniqueEntries,
        rows: &[u32],
        request: &LookupRequest<'_>,
        batch: &mut EntryBatch,
    ) {
        let entries = &found.entries;
        for (entry, position) in found.positions.iter().enumerate() {
            let Some(&row) = rows.get(*position) else { continue };
            if self.seen.0 != row {
                self.seen = (row, HashSet::new());
            }
            let mut sink = EntrySink {
                batch,
                row,
                seen: self.deduplicate.then_some(&mut self.seen.1),
                limit: usize::MAX,
                wants_covered: request.wants_covered,
            };
            sink.push(entries.key(entry), || covered(entries, entry), aql_value::Value::Null);
        }
    }
}

impl LookupStrategy for ByUniqueKey {
    fn begin_batch(&mut self) {
        self.end_row();
        self.seen = (0, HashSet::new());
    }

    fn collect(
        &mut self,
        input: &mut LookupInput,
        request: &LookupRequest<'_>,
        context: &mut ExecutionContext,
    ) -> Result<EntryBatch> {
        while self.wanted.len() < request.limit && input.outer.remaining() > 0 {
            if !self.add_row(input, request.limit, context)? {
                input.outer.advance();
                if request.one_row {
                    break;
                }
            }
        }
        self.read(request, context)
    }

    fn is_begun(&self) -> bool {
        self.begun.is_some()
    }

    fn end_row(&mut self) {
        self.begun = None;
    }
}
