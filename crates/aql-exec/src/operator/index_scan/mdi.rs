//! Entries of multi-dimensional indexes: the documents within boxes.

use super::entries::EntrySink;
use super::persistent::Combinations;
use super::range::Range;
use super::search::Search;
use super::source::{EntrySource, Lookup};
use crate::context::ExecutionContext;
use crate::data::storage_error;
use aql_value::{Result, Value};
use std::sync::Arc;
use storage::{BlockLimits, BoxBounds, BoxScan, Collection, Index, Snapshot};

pub(super) struct MdiSource {
    snapshot: Snapshot,
    collection: Arc<Collection>,
    index: Arc<Index>,
    /// What is still to be visited.
    boxes: Box<dyn Iterator<Item = BoxBounds> + Send>,
    lookahead: u64,
    scan: Option<BoxScan>,
}

impl MdiSource {
    pub(super) fn new(index: &Arc<Index>, ranges: Vec<Range>, lookup: &Lookup<'_>) -> Self {
        let dimensions = index.fields().len();
        let boxes = ranges.into_iter().flat_map(move |mut range| {
            let search = range.search.take();
            let prefixes = Combinations::new(range, true);
            prefixes.map(move |prefix| bounds(&prefix.equal, search.as_ref(), dimensions))
        });
        Self {
            snapshot: lookup.snapshot.clone(),
            collection: Arc::clone(lookup.collection),
            index: Arc::clone(index),
            boxes: Box::new(boxes),
            lookahead: lookup.lookahead,
            scan: None,
        }
    }

    /// The scan that is read, or the next; `None` after the last.
    fn scan(&mut self, context: &mut ExecutionContext) -> Result<Option<&mut BoxScan>> {
        if self.scan.is_none() {
            let Some(bounds) = self.boxes.next() else { return Ok(None) };
            context.statistics.cursors_created += 1;
            let scan = self.snapshot.box_scan(&self.collection, &self.index, &bounds, self.lookahead);
            self.scan = Some(scan.map_err(|error| storage_error(&error))?);
        }
        Ok(self.scan.as_mut())
    }
}

fn bounds(prefix: &[Value], search: Option<&Search>, dimensions: usize) -> BoxBounds {
    let mut bounds = BoxBounds::all(dimensions);
    for value in prefix {
        value.with_slice(|slice, collection| bounds.push_equal(slice, collection));
    }
    let Some(Search::Box(fields)) = search else { return bounds };
    for (field, [lower, upper]) in fields.iter().enumerate() {
        if let Some(value) = lower {
            value.with_slice(|slice, _| bounds.set_lower(field, slice));
        }
        if let Some(value) = upper {
            value.with_slice(|slice, _| bounds.set_upper(field, slice));
        }
    }
    bounds
}

impl EntrySource for MdiSource {
    fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        bytes: usize,
    ) -> Result<bool> {
        while sink.room() > 0 {
            context.interrupt.check()?;
            let limits = BlockLimits { rows: sink.room(), bytes };
            let Some(scan) = self.scan(context)? else { return Ok(false) };
            let block = scan.next_block(limits).map_err(|error| storage_error(&error))?;
            let seeks = scan.take_seeks();
            context.statistics.seeks += seeks;
            let Some((entries, within)) = block else {
                self.scan = None;
                continue;
            };
            context.statistics.scanned_index += entries.len() as u64;
            for (position, _) in within.iter().enumerate().filter(|(_, is_within)| **is_within) {
                let covered = || match entries.covered_offset(position) {
                    Some(offset) => Value::in_block(entries.block(), offset),
                    None => Value::Null,
                };
                sink.push(entries.key(position), covered, Value::Null);
            }
        }
        Ok(true)
    }

    fn release(&mut self) {
        if let Some(scan) = &mut self.scan {
            scan.release();
        }
    }
}
