//! Scans over multi-dimensional indexes, for the documents within boxes.

use std::cmp::Ordering;
use std::sync::Arc;

use catalog::index::{Bound, FieldBounds, Search};
use errors::{Error, Result};
use kv::{BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};
use velocypack::Slice;
use velocypack::order::compare_with;

use super::space::box_of;
use super::zorder::{ZBox, interleave, separate};
use crate::index::Index;
use crate::index::bounds::{Combinations, IndexBounds, IndexRange};
use crate::index::found::IndexEntries;
use crate::index::scan::{EntryScan, ScanHost, ScanSource};
use crate::index::value::IndexValue;

/// Entries in the first read after a jump. The number doubles as long as all entries are within the
/// box.
const FIRST_ROWS: usize = 16;
/// Bytes of a coordinate in a key.
const COORDINATE_BYTES: usize = 8;

/// The bounds of all fields of a box.
type FieldsBounds = Arc<[FieldBounds<IndexValue>]>;

/// The box that is being scanned, and the bounds of its fields.
type BegunBox = (BoxScan, FieldsBounds);

/// A scan of the boxes of some searches, one after another.
///
/// Coordinates are numbers of 64 bits, and boxes include their edges. So the scan compares the
/// covered values of each entry in a box with the bounds again: its results satisfy them exactly.
pub(super) struct BoxesScan {
    source: ScanSource,
    index: Arc<Index>,
    /// The remaining boxes.
    areas: Box<dyn Iterator<Item = Area> + Send>,
    lookahead: u64,
    scan: Option<BegunBox>,
}

/// A box for some values of the prefix attributes.
struct Area {
    prefix: IndexBounds,
    bounds: FieldsBounds,
}

impl BoxesScan {
    pub(super) fn new(
        source: ScanSource,
        index: &Arc<Index>,
        ranges: Vec<IndexRange>,
        lookahead: u64,
    ) -> Self {
        let areas = ranges.into_iter().flat_map(|mut range| {
            let bounds: FieldsBounds = match range.search.take() {
                Some(Search::Box(bounds)) => bounds.into(),
                _ => Arc::default(),
            };
            let prefixes = Combinations::new(range, true);
            prefixes.map(move |prefix| Area { prefix, bounds: Arc::clone(&bounds) })
        });
        BoxesScan { source, index: Arc::clone(index), areas: Box::new(areas), lookahead, scan: None }
    }

    /// Returns the current box, or begins the next; `None` after the last.
    fn scan(&mut self) -> Result<Option<&mut BegunBox>> {
        if self.scan.is_none() {
            let Some(Area { prefix, bounds }) = self.areas.next() else { return Ok(None) };
            let zbox = box_of(&bounds, self.index.fields().len());
            let scan = BoxScan::start(&self.source, &self.index, &prefix, zbox, self.lookahead)?;
            self.scan = Some((scan, bounds));
        }
        Ok(self.scan.as_mut())
    }
}

impl EntryScan for BoxesScan {
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        let prefix_fields = self.index.definition().properties.prefix_fields().len();
        loop {
            host.check()?;
            let Some((scan, bounds)) = self.scan()? else { return Ok(None) };
            let block = scan.next_block(limits)?;
            host.statistics().seeks += scan.take_seeks();
            let Some((mut entries, within)) = block else {
                self.scan = None;
                continue;
            };
            host.statistics().entries += entries.len() as u64;
            entries.retain(|entries, position| {
                within.get(position).is_some_and(|is_within| *is_within)
                    && satisfies(entries, position, prefix_fields, bounds)
            });
            return Ok(Some(entries));
        }
    }

    fn release(&mut self) {
        if let Some((scan, _)) = &mut self.scan {
            scan.release();
        }
    }
}

/// Returns true if an entry's covered values lie between the bounds. The box's fields begin at
/// position `first` of them.
fn satisfies(
    entries: &IndexEntries,
    position: usize,
    first: usize,
    bounds: &[FieldBounds<IndexValue>],
) -> bool {
    let collection = entries.block().collection();
    let covered = entries.covered(position).unwrap_or(Slice::NULL);
    bounds.iter().enumerate().all(|(field, FieldBounds { lower, upper })| {
        let value = covered.at(first + field).unwrap_or(Slice::NULL);
        let is_outside = |bound: &Option<Bound<IndexValue>>, outside: Ordering| {
            bound.as_ref().is_some_and(|bound| {
                let order = compare_with(value, collection, bound.value.as_slice(), None);
                order == outside || (order == Ordering::Equal && !bound.inclusive)
            })
        };
        !is_outside(lower, Ordering::Less) && !is_outside(upper, Ordering::Greater)
    })
}

/// A scan of the entries in one box.
struct BoxScan {
    engine: Arc<dyn Snapshot>,
    collection: Arc<str>,
    unique: bool,
    zbox: ZBox,
    /// The object id and the prefix, with which all keys start.
    start: Vec<u8>,
    scan: Option<Box<dyn Scan>>,
    /// Number of entries in the next read.
    rows: usize,
    /// Number of consecutive entries that may lie outside of the box before the scan jumps.
    /// `outside` counts the latest ones.
    lookahead: u64,
    outside: u64,
    seeks: u64,
}

impl BoxScan {
    fn start(
        source: &ScanSource,
        index: &Index,
        prefix: &IndexBounds,
        zbox: ZBox,
        lookahead: u64,
    ) -> Result<Self> {
        let mut scan = BoxScan {
            engine: Arc::clone(&source.engine),
            collection: Arc::clone(&source.collection),
            unique: index.is_unique(),
            zbox,
            start: prefix.start(index),
            scan: None,
            rows: FIRST_ROWS,
            lookahead,
            outside: 0,
            seeks: 0,
        };
        if !scan.zbox.is_empty() {
            scan.jump(&scan.zbox.low.clone())?;
        }
        Ok(scan)
    }

    /// Continues with the first entry at or after a point of the box.
    fn jump(&mut self, point: &[u64]) -> Result<()> {
        let key = |point: &[u64]| {
            let mut key = self.start.clone();
            interleave(point, &mut key);
            key
        };
        // Entries after the last corner are not in the box. Entries at the corner have more bytes
        // after its key.
        let range = KeyRange { start: key(point), end: KeyRange::prefix(&key(&self.zbox.high)).end };
        self.scan = Some(self.engine.scan(ScanSpec::forward(range))?);
        self.rows = FIRST_ROWS;
        self.outside = 0;
        self.seeks += 1;
        Ok(())
    }

    /// Returns how many times the scan has jumped since the last call.
    fn take_seeks(&mut self) -> u64 {
        std::mem::take(&mut self.seeks)
    }

    /// Returns the next entries, with true for those in the box, or `None` after the last.
    ///
    /// Errors: 1102 for a damaged entry.
    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<(IndexEntries, Vec<bool>)>> {
        let Some(scan) = &mut self.scan else { return Ok(None) };
        let limits = BlockLimits { rows: self.rows.min(limits.rows).max(1), bytes: limits.bytes };
        let Some(block) = scan.next_block(limits)? else {
            self.scan = None;
            return Ok(None);
        };
        let mut within = Vec::with_capacity(block.len());
        let mut last_outside = None;
        for position in 0..block.len() {
            let point = self.point_of(block.key(position)).ok_or_else(damaged)?;
            let is_within = self.zbox.contains(&point);
            within.push(is_within);
            self.outside = if is_within { 0 } else { self.outside + 1 };
            last_outside = (!is_within).then_some(point);
        }
        match last_outside {
            None => self.rows = self.rows.saturating_mul(2),
            Some(_) if self.outside <= self.lookahead => {
                let left = usize::try_from(self.lookahead - self.outside).unwrap_or(usize::MAX);
                self.rows = FIRST_ROWS.min(left.saturating_add(1));
            }
            Some(point) => match self.zbox.next_after(&point) {
                Some(next) => self.jump(&next)?,
                None => self.scan = None,
            },
        }
        let entries = IndexEntries::of_block(block, self.unique, &self.collection)?;
        Ok(Some((entries, within)))
    }

    fn point_of(&self, key: &[u8]) -> Option<Vec<u64>> {
        let dimensions = self.zbox.low.len();
        let coordinates = key.get(self.start.len()..)?.get(..dimensions * COORDINATE_BYTES)?;
        separate(coordinates, dimensions)
    }

    /// Releases all that pins memory in the engine. The next block continues after the last one.
    fn release(&mut self) {
        if let Some(scan) = &mut self.scan {
            scan.release();
        }
    }
}

fn damaged() -> Error {
    Error::corrupt("a multi-dimensional index has a damaged entry")
}
