//! Entries of persistent indexes.

use super::entries::EntrySink;
use super::range::{Bound, Range};
use super::source::{EntrySource, Lookup};
use crate::context::ExecutionContext;
use crate::data::{index_bounds, storage_error};
use aql_value::{Result, Value};
use std::sync::Arc;
use storage::{BlockLimits, Collection, Index, IndexBounds, IndexScan, Snapshot};

pub(in crate::operator) struct PersistentSource {
    snapshot: Snapshot,
    collection: Arc<Collection>,
    index: Arc<Index>,
    ascending: bool,
    /// What is still to be visited.
    bounds: AllBounds,
    scan: Option<Scan>,
    /// Most entries that are wanted of one scan.
    limit_each: usize,
}

/// A scan that is read.
struct Scan {
    entries: IndexScan,
    /// How many more are wanted.
    left: usize,
}

/// What is to be visited for some ranges, made one after the other.
pub(super) type AllBounds = Box<dyn Iterator<Item = Bounds> + Send>;

/// What is to be visited for some ranges; with `ordered` in the order of the index.
pub(super) fn all_bounds(ranges: Vec<Range>, ascending: bool, ordered: bool) -> AllBounds {
    let several = ranges.len() > 1;
    let all = ranges.into_iter().flat_map(move |range| Combinations::new(range, ascending));
    if several && ordered { Box::new(in_order(all.collect(), ascending).into_iter()) } else { Box::new(all) }
}

/// Values of the leading fields, and bounds of the next.
pub(super) struct Bounds {
    pub(super) equal: Vec<Value>,
    lower: Option<Bound>,
    upper: Option<Bound>,
}

impl PersistentSource {
    pub(in crate::operator) fn new(index: &Arc<Index>, ranges: Vec<Range>, lookup: &Lookup<'_>) -> Self {
        Self {
            snapshot: lookup.snapshot.clone(),
            collection: Arc::clone(lookup.collection),
            index: Arc::clone(index),
            ascending: lookup.ascending,
            bounds: all_bounds(ranges, lookup.ascending, lookup.ordered),
            scan: None,
            limit_each: lookup
                .limit_each
                .map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        }
    }

    /// The scan that is read, or the next; `None` after the last.
    fn scan(&mut self, context: &mut ExecutionContext) -> Result<Option<&mut Scan>> {
        if self.scan.is_none() {
            let Some(bounds) = self.bounds.next() else { return Ok(None) };
            context.statistics.cursors_created += 1;
            let bounds = bounds.for_storage();
            let scan = self.snapshot.index_scan(&self.collection, &self.index, &bounds, !self.ascending);
            let entries = scan.map_err(|error| storage_error(&error))?;
            self.scan = Some(Scan { entries, left: self.limit_each });
        }
        Ok(self.scan.as_mut())
    }
}

impl EntrySource for PersistentSource {
    fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        bytes: usize,
    ) -> Result<bool> {
        while sink.room() > 0 {
            context.interrupt.check()?;
            let Some(scan) = self.scan(context)? else { return Ok(false) };
            let limits = BlockLimits { rows: sink.room().min(scan.left), bytes };
            let block = if scan.left > 0 { scan.entries.next_block(limits) } else { Ok(None) };
            let Some(entries) = block.map_err(|error| storage_error(&error))? else {
                self.scan = None;
                continue;
            };
            scan.left = scan.left.saturating_sub(entries.len());
            context.statistics.scanned_index += entries.len() as u64;
            for position in 0..entries.len() {
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
            scan.entries.release();
        }
    }
}

impl Bounds {
    pub(super) fn for_storage(&self) -> IndexBounds {
        fn end(bound: &Option<Bound>) -> Option<(&Value, bool)> {
            bound.as_ref().map(|bound| (&bound.value, bound.inclusive))
        }
        index_bounds(&self.equal, end(&self.lower), end(&self.upper))
    }

    /// A key that orders bounds by where a scan over them begins: `end` instead for scans that go backwards.
    fn position(&self, end: bool) -> Vec<u8> {
        let mut key = Vec::new();
        self.equal.iter().for_each(|value| value.sort_key(&mut key));
        match if end { &self.upper } else { &self.lower } {
            Some(bound) => {
                bound.value.sort_key(&mut key);
                // Behind all entries with the value itself.
                if end == bound.inclusive {
                    key.push(0xff);
                }
            }
            None if end => key.push(0xff),
            None => {}
        }
        key
    }
}

/// Bounds in the order in which a scan meets them. What overlaps is left to the scan's deduplication: an entry that an
/// earlier range does not have lies behind that range's end.
fn in_order(mut all: Vec<Bounds>, ascending: bool) -> Vec<Bounds> {
    all.sort_by_cached_key(|bounds| bounds.position(!ascending));
    if !ascending {
        all.reverse();
    }
    all
}

/// All combinations of one value a field, in the order of the index, made one after the other: lists of a thousand
/// values on three fields are not written out.
pub(super) struct Combinations {
    range: Range,
    /// The position in each field's list; `None` at the end.
    next: Option<Vec<usize>>,
}

impl Combinations {
    pub(super) fn new(mut range: Range, ascending: bool) -> Self {
        if !ascending {
            range.equal.iter_mut().for_each(|values| values.reverse());
        }
        let next = Some(vec![0; range.equal.len()]);
        Self { range, next }
    }
}

impl Iterator for Combinations {
    type Item = Bounds;

    fn next(&mut self) -> Option<Bounds> {
        let positions = self.next.as_mut()?;
        let values = positions.iter().zip(&self.range.equal);
        let equal = values.map(|(position, list)| list.get(*position).cloned().unwrap_or_default()).collect();
        let bounds = Bounds { equal, lower: self.range.lower.clone(), upper: self.range.upper.clone() };
        // As an odometer counts: the last field changes fastest.
        let mut is_over = true;
        for (position, list) in positions.iter_mut().zip(&self.range.equal).rev() {
            *position += 1;
            if *position < list.len() {
                is_over = false;
                break;
            }
            *position = 0;
        }
        if is_over {
            self.next = None;
        }
        Some(bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(equal: &[&[i64]], lower: Option<i64>) -> Range {
        let values = |list: &&[i64]| list.iter().map(|number| Value::Int(*number)).collect();
        let lower = lower.map(|number| Bound { value: Value::Int(number), inclusive: true });
        Range { first_field: 0, equal: equal.iter().map(values).collect(), lower, upper: None, search: None }
    }

    fn combinations(range: Range, ascending: bool) -> Vec<Vec<i64>> {
        let bounds = Combinations::new(range, ascending);
        bounds.map(|bounds| bounds.equal.iter().map(Value::to_i64).collect()).collect()
    }

    #[test]
    fn combinations_come_in_the_order_of_the_index() {
        let lists: &[&[i64]] = &[&[1, 2], &[7], &[4, 5]];
        assert_eq!(combinations(range(lists, None), true), [[1, 7, 4], [1, 7, 5], [2, 7, 4], [2, 7, 5]]);
        assert_eq!(combinations(range(lists, None), false), [[2, 7, 5], [2, 7, 4], [1, 7, 5], [1, 7, 4]]);
        assert_eq!(combinations(range(&[], None), true), [[0i64; 0]]);
    }

    #[test]
    fn ranges_are_visited_by_where_they_begin() {
        let all = [range(&[&[3]], None), range(&[], Some(2)), range(&[&[1]], Some(9)), range(&[], None)];
        let bounds = all.into_iter().flat_map(|range| Combinations::new(range, true)).collect();
        let begins = |bounds: &Bounds| (bounds.equal.len(), bounds.lower.is_some());
        let order: Vec<_> = in_order(bounds, true).iter().map(begins).collect();
        assert_eq!(order, [(0, false), (1, true), (0, true), (1, false)]);
    }
}
