//! Entries of multi-dimensional indexes: the documents within boxes.
//!
//! Coordinates are numbers of 64 bits, and boxes include their edges, so that each entry in a box is compared with the
//! bounds again, by the values that it covers: what is answered satisfies them exactly.

use super::entries::EntrySink;
use super::persistent::Combinations;
use super::range::Range;
use super::search::{BoundPair, Search};
use super::source::{EntrySource, Lookup};
use crate::context::ExecutionContext;
use crate::data::storage_error;
use aql_value::{Result, Value};
use std::cmp::Ordering;
use std::sync::Arc;
use storage::{BlockLimits, BoxBounds, BoxScan, Collection, Index, Snapshot};

pub(super) struct MdiSource {
    snapshot: Snapshot,
    collection: Arc<Collection>,
    index: Arc<Index>,
    /// What is still to be visited.
    boxes: Box<dyn Iterator<Item = Area> + Send>,
    lookahead: u64,
    /// What is visited, and the bounds of its fields.
    scan: Option<(BoxScan, Arc<[BoundPair]>)>,
}

/// A box, and the bounds that it was made of.
struct Area {
    corners: BoxBounds,
    bounds: Arc<[BoundPair]>,
}

impl MdiSource {
    pub(super) fn new(index: &Arc<Index>, ranges: Vec<Range>, lookup: &Lookup<'_>) -> Self {
        let dimensions = index.fields().len();
        let boxes = ranges.into_iter().flat_map(move |mut range| {
            let bounds: Arc<[BoundPair]> = match range.search.take() {
                Some(Search::Box(bounds)) => bounds.into(),
                _ => Arc::default(),
            };
            let prefixes = Combinations::new(range, true);
            prefixes.map(move |prefix| Area {
                corners: corners(&prefix.equal, &bounds, dimensions),
                bounds: Arc::clone(&bounds),
            })
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

    /// Begins with the next box, unless one is being visited; false after the last.
    fn begin(&mut self, context: &mut ExecutionContext) -> Result<bool> {
        if self.scan.is_none() {
            let Some(Area { corners, bounds }) = self.boxes.next() else { return Ok(false) };
            context.statistics.cursors_created += 1;
            let scan = self.snapshot.box_scan(&self.collection, &self.index, &corners, self.lookahead);
            self.scan = Some((scan.map_err(|error| storage_error(&error))?, bounds));
        }
        Ok(true)
    }
}

fn corners(prefix: &[Value], bounds: &[BoundPair], dimensions: usize) -> BoxBounds {
    let mut corners = BoxBounds::all(dimensions);
    for value in prefix {
        value.with_slice(|slice, collection| corners.push_equal(slice, collection));
    }
    for (field, [lower, upper]) in bounds.iter().enumerate() {
        if let Some(bound) = lower {
            bound.value.with_slice(|slice, _| corners.set_lower(field, slice));
        }
        if let Some(bound) = upper {
            bound.value.with_slice(|slice, _| corners.set_upper(field, slice));
        }
    }
    corners
}

/// Whether the values that an entry covers, of which the fields of the box begin at a position, lie between the bounds.
fn satisfies(covered: &Value, first: usize, bounds: &[BoundPair]) -> bool {
    bounds.iter().enumerate().all(|(field, [lower, upper])| {
        let is_outside = |bound: &Option<super::range::Bound>, outside: Ordering| {
            bound.as_ref().is_some_and(|bound| {
                let order = covered.at((first + field) as i64).compare(&bound.value);
                order == outside || (order == Ordering::Equal && !bound.inclusive)
            })
        };
        !is_outside(lower, Ordering::Less) && !is_outside(upper, Ordering::Greater)
    })
}

impl EntrySource for MdiSource {
    fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        bytes: usize,
    ) -> Result<bool> {
        let prefix_fields = self.index.definition().properties.prefix_fields().len();
        while sink.room() > 0 {
            context.interrupt.check()?;
            let limits = BlockLimits { rows: sink.room(), bytes };
            if !self.begin(context)? {
                return Ok(false);
            }
            let Some((scan, bounds)) = &mut self.scan else { return Ok(false) };
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
                if satisfies(&covered(), prefix_fields, bounds) {
                    sink.push(entries.key(position), covered, Value::Null);
                }
            }
        }
        Ok(true)
    }

    fn release(&mut self) {
        if let Some((scan, _)) = &mut self.scan {
            scan.release();
        }
    }
}
