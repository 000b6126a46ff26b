//! Look-ups of single entries in a unique index: those for many incoming rows go to storage in one step.

use super::IndexScanOptions;
use super::entries::{EntryBatch, EntrySink};
use super::range::RangePrograms;
use super::source::covered;
use crate::context::ExecutionContext;
use crate::data::storage_error;
use crate::operator::document_source::Source;
use aql_value::{Result, Value};
use std::collections::HashSet;
use std::sync::Arc;
use storage::{BoundsOfRanges, Index, IndexBounds, IndexRange, bounds_of};

pub(super) struct UniqueLookups {
    index: Arc<Index>,
    /// Look-ups to be done, with their incoming rows.
    wanted: Vec<IndexBounds>,
    rows: Vec<u32>,
    /// What is left of the incoming row that was begun last.
    begun: Option<BoundsOfRanges>,
    /// Keys found for an incoming row, to leave out what is found twice.
    seen: (u32, HashSet<Box<str>>),
}

impl UniqueLookups {
    /// `None` if the ranges are not all about whole values of one unique index.
    pub(super) fn of_ranges(ranges: &[RangePrograms]) -> Option<Self> {
        let index = &ranges.first()?.index;
        let is_whole = |range: &RangePrograms| {
            range.index.id() == index.id()
                && range.first_field == 0
                && range.lookups.len() == index.fields().len()
        };
        (index.capabilities().unique_lookup && ranges.iter().all(is_whole)).then(|| Self {
            index: Arc::clone(index),
            wanted: Vec::new(),
            rows: Vec::new(),
            begun: None,
            seen: (0, HashSet::new()),
        })
    }

    /// There is another batch of incoming rows.
    pub(super) fn begin_batch(&mut self) {
        self.end_row();
        self.seen = (0, HashSet::new());
    }

    /// Number of look-ups to be done.
    pub(super) fn len(&self) -> usize {
        self.wanted.len()
    }

    /// Whether there is more to look up for an incoming row that was begun.
    pub(super) fn is_begun(&self) -> bool {
        self.begun.is_some()
    }

    /// Forgets what is left of the incoming row that was begun.
    pub(super) fn end_row(&mut self) {
        self.begun = None;
    }

    /// Adds the look-ups of a row up to the limit; whether there may be more of it.
    pub(super) fn add_row(
        &mut self,
        row: u32,
        limit: usize,
        ranges: impl FnOnce() -> Result<Vec<IndexRange>>,
        options: IndexScanOptions,
    ) -> Result<bool> {
        let bounds = match &mut self.begun {
            Some(bounds) => bounds,
            None => self.begun.insert(bounds_of(ranges()?, options.ascending, options.ordered)),
        };
        while self.wanted.len() < limit {
            let Some(next) = bounds.next() else {
                self.begun = None;
                return Ok(false);
            };
            self.wanted.push(next);
            self.rows.push(row);
        }
        Ok(true)
    }

    /// Does the look-ups.
    pub(super) fn read(
        &mut self,
        source: &Source,
        options: IndexScanOptions,
        wants_covered: bool,
        context: &mut ExecutionContext,
    ) -> Result<EntryBatch> {
        context.interrupt.check()?;
        let mut batch = EntryBatch::default();
        let (wanted, rows) = (std::mem::take(&mut self.wanted), std::mem::take(&mut self.rows));
        let snapshot = context.data.snapshot(source.read_own_writes);
        let found = snapshot.unique_entries(&source.collection, &self.index, &wanted);
        let (entries, positions) = found.map_err(|error| storage_error(&error))?;
        context.statistics.cursors_created += wanted.len() as u64;
        context.statistics.scanned_index += entries.len() as u64;
        for (entry, position) in positions.into_iter().enumerate() {
            let Some(&row) = rows.get(position) else { continue };
            if self.seen.0 != row {
                self.seen = (row, HashSet::new());
            }
            let mut sink = EntrySink {
                batch: &mut batch,
                row,
                seen: options.deduplicate.then_some(&mut self.seen.1),
                limit: usize::MAX,
                wants_covered,
            };
            sink.push(entries.key(entry), || covered(&entries, entry), Value::Null);
        }
        Ok(batch)
    }
}
