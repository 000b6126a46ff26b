//! Scans over geo-spatial indexes: by distance from a place, ring by ring, or by the cells that
//! contain a shape.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use catalog::ObjectId;
use catalog::index::GeoSearch;
use errors::{Error, Result};
use geometry::{CellRange, Ellipsoid, Position, Rings, Rules, SearchRing, Shape};
use kv::{Block, BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};

use super::distance::DistanceBounds;
use super::encoding::{CellKind, cell_range, key_range, read_value};
use crate::index::found::{EntryCollector, IndexEntries};
use crate::index::scan::{EntryScan, ScanHost, ScanSource};
use crate::index::value::IndexValue;

/// The size of a block of entries that is read for a ring.
const BLOCK_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };
/// Bytes that a place takes besides its key while it waits to be returned.
const FOUND_BYTES: usize = 64;

/// A scan for one search. It parses the search's shapes before the first entry, which may take
/// long.
pub(super) enum GeoScan {
    Begin(Begin),
    Nothing,
    /// Entries in the order of the index.
    Unordered(UnorderedScan),
    /// Entries in order of their distance.
    Ordered(OrderedScan),
}

/// The search, and the data to search in.
pub(super) struct Begin {
    pub(super) source: ScanSource,
    pub(super) object: ObjectId,
    pub(super) search: GeoSearch<IndexValue>,
    pub(super) ascending: bool,
    /// True to order entries by distance from the origin.
    pub(super) ordered: bool,
}

impl Begin {
    /// Starts the scan.
    ///
    /// Errors: 10 for a value that is not a shape.
    fn open(&self, host: &dyn ScanHost) -> Result<GeoScan> {
        let GeoSearch { origin, nearest, farthest, meets } = &self.search;
        let origin = origin.as_ref().map(|value| shape(value, host)).transpose()?;
        let origin = origin.map(|shape| shape.centroid());
        let meets = meets.as_ref().map(|value| shape(value, host)).transpose()?;
        let bounds = DistanceBounds::new(nearest.as_ref(), farthest.as_ref());
        match (origin, meets) {
            (Some(origin), _) if self.ordered => {
                let Some((from, to)) = bounds.range_meters() else { return Ok(GeoScan::Nothing) };
                let rings = Rings::new(origin, from, to, !self.ascending);
                let engine = Arc::clone(&self.source.engine);
                let near = Near { engine, object: self.object, origin, bounds, rings, last_found: 0 };
                Ok(GeoScan::Ordered(OrderedScan { near, found: VecDeque::new() }))
            }
            (origin, Some(shape)) => {
                let ranges = geometry::ranges_meeting(&shape);
                let later = Some((CellKind::Cover, ranges.clone()));
                let filter = Filter { origin, bounds, shape: Some(shape) };
                Ok(self.unordered((CellKind::Place, ranges), later, filter))
            }
            (Some(origin), None) => {
                let range = bounds.range_meters();
                let ring = range.and_then(|(from, to)| Rings::new(origin, from, to, false).rest());
                let Some(ring) = ring else { return Ok(GeoScan::Nothing) };
                let filter = Filter { origin: Some(origin), bounds, shape: None };
                Ok(self.unordered((CellKind::Place, ring.ranges), None, filter))
            }
            (None, None) => Err(Error::internal("a geo search without conditions")),
        }
    }

    fn unordered(
        &self,
        (kind, ranges): (CellKind, Vec<CellRange>),
        later: Option<(CellKind, Vec<CellRange>)>,
        filter: Filter,
    ) -> GeoScan {
        let cells = CellScan::new(&self.source.engine, self.object, kind, &ranges);
        GeoScan::Unordered(UnorderedScan { object: self.object, filter, cells, kind, later })
    }
}

/// Parses the shape in a value.
///
/// Errors: 10 for any other value, and those of the check that ended the work.
fn shape(value: &IndexValue, host: &dyn ScanHost) -> Result<Shape> {
    let ended = RefCell::new(None);
    let is_over = || host.check().map_err(|error| ended.replace(Some(error))).is_err();
    let parsed = geometry::parse(value.as_slice(), Rules::LENIENT, &is_over);
    if let Some(error) = ended.into_inner() {
        return Err(error);
    }
    host.check()?;
    parsed.map_err(|error| Error::bad_parameter(error.to_string()))
}

impl EntryScan for GeoScan {
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        host.check()?;
        if let GeoScan::Begin(begin) = self {
            *self = begin.open(host)?;
        }
        match self {
            GeoScan::Unordered(scan) => scan.next_block(limits, host),
            GeoScan::Ordered(scan) => scan.next_block(limits, host),
            GeoScan::Begin(_) | GeoScan::Nothing => Ok(None),
        }
    }

    fn release(&mut self) {
        if let GeoScan::Unordered(scan) = self {
            scan.cells.release();
        }
    }
}

/// A scan of entries in the order of the index.
pub(super) struct UnorderedScan {
    object: ObjectId,
    filter: Filter,
    cells: CellScan,
    /// The kind of the entries that `cells` reads.
    kind: CellKind,
    /// The entries to read after those.
    later: Option<(CellKind, Vec<CellRange>)>,
}

/// The conditions that an entry alone can decide.
struct Filter {
    origin: Option<Position>,
    bounds: DistanceBounds,
    shape: Option<Shape>,
}

impl Filter {
    /// Returns true if this entry finds its document.
    fn accepts(&self, entry: &GeoEntry<'_>, kind: CellKind) -> bool {
        let is_near = |origin| self.bounds.contains(Ellipsoid::Sphere.distance_meters(origin, entry.place));
        if !self.origin.is_none_or(is_near) {
            return false;
        }
        match (&self.shape, kind, entry.is_place) {
            // The covering cells find documents whose shape is not a single place.
            (Some(_), CellKind::Place, false) => false,
            (Some(shape), CellKind::Place, true) => {
                shape.as_region().is_none_or(|region| region.contains(entry.place))
            }
            _ => true,
        }
    }
}

impl UnorderedScan {
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        let block = loop {
            if let Some(block) = self.cells.next_block(limits)? {
                break block;
            }
            let Some((kind, ranges)) = self.later.take() else { return Ok(None) };
            (self.cells, self.kind) = (CellScan::new(&self.cells.engine, self.object, kind, &ranges), kind);
        };
        host.statistics().entries += block.len() as u64;
        let mut found = EntryCollector::default();
        for entry in entries(&block) {
            let entry = entry?;
            if self.filter.accepts(&entry, self.kind) {
                found.push(entry.key)?;
            }
        }
        Ok(Some(found.finish()))
    }
}

/// The rings around a place.
struct Near {
    engine: Arc<dyn Snapshot>,
    object: ObjectId,
    origin: Position,
    bounds: DistanceBounds,
    rings: Rings,
    /// The number of places in the last ring.
    last_found: usize,
}

/// A place that waits to be returned.
struct Found {
    angle: f64,
    key: Box<str>,
}

/// A scan of entries in order of their distance. It sorts the entries of one ring at a time.
pub(super) struct OrderedScan {
    near: Near,
    found: VecDeque<Found>,
}

impl Near {
    /// Reads the places of a ring, sorted by distance.
    fn read_ring(&self, ring: &SearchRing, host: &mut dyn ScanHost) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        let mut kept_bytes = 0;
        let mut cells = CellScan::new(&self.engine, self.object, CellKind::Place, &ring.ranges);
        while let Some(block) = cells.next_block(BLOCK_LIMITS)? {
            host.check()?;
            host.statistics().entries += block.len() as u64;
            for entry in entries(&block) {
                let entry = entry?;
                let angle = self.rings.angle(entry.place);
                let meters = Ellipsoid::Sphere.distance_meters(self.origin, entry.place);
                if ring.contains(angle) && self.bounds.contains(meters) {
                    kept_bytes += (FOUND_BYTES + entry.key.len()) as u64;
                    host.keep(kept_bytes)?;
                    found.push(Found { angle, key: entry.key.into() });
                }
            }
        }
        found.sort_by(|a, b| a.angle.total_cmp(&b.angle).then_with(|| a.key.cmp(&b.key)));
        Ok(found)
    }
}

impl OrderedScan {
    fn next_block(&mut self, limits: BlockLimits, host: &mut dyn ScanHost) -> Result<Option<IndexEntries>> {
        while self.found.is_empty() {
            host.check()?;
            let Some(ring) = self.near.rings.next_ring(self.near.last_found) else { return Ok(None) };
            // This releases the memory of the previous ring.
            host.keep(0)?;
            self.found = self.near.read_ring(&ring, host)?.into();
            self.near.last_found = self.found.len();
        }
        let mut entries = EntryCollector::default();
        let count = self.found.len().min(limits.rows);
        self.found.drain(..count).try_for_each(|found| entries.push(&found.key))?;
        Ok(Some(entries.finish()))
    }
}

/// A scan of the entries in some ranges of cells, range by range.
struct CellScan {
    engine: Arc<dyn Snapshot>,
    /// The remaining ranges, the next one last.
    pending: Vec<KeyRange>,
    scan: Option<Box<dyn Scan>>,
}

impl CellScan {
    fn new(engine: &Arc<dyn Snapshot>, object: ObjectId, kind: CellKind, ranges: &[CellRange]) -> Self {
        let pending = ranges.iter().rev().map(|cells| cell_range(object, kind, *cells)).collect();
        CellScan { engine: Arc::clone(engine), pending, scan: None }
    }

    fn next_block(&mut self, limits: BlockLimits) -> Result<Option<Block>> {
        loop {
            if self.scan.is_none() {
                let Some(range) = self.pending.pop() else { return Ok(None) };
                self.scan = Some(self.engine.scan(ScanSpec::forward(range))?);
            }
            let block = self.scan.as_mut().map(|scan| scan.next_block(limits)).transpose()?.flatten();
            match block {
                Some(block) => return Ok(Some(block)),
                None => self.scan = None,
            }
        }
    }

    fn release(&mut self) {
        if let Some(scan) = &mut self.scan {
            scan.release();
        }
    }
}

/// A document as the index stores it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GeoEntry<'a> {
    /// The document's `_key`.
    key: &'a str,
    /// Its place, or the centroid of its shape.
    place: Position,
    /// True if its shape is that single place.
    is_place: bool,
}

/// Iterates over the entries of a block in order. Errors: 1102 for a damaged entry.
fn entries(block: &Block) -> impl Iterator<Item = Result<GeoEntry<'_>>> {
    block.iter().map(|(key, value)| {
        read_entry(key, value).ok_or_else(|| Error::corrupt("a geo index has a damaged entry"))
    })
}

fn read_entry<'a>(key: &'a [u8], value: &'a [u8]) -> Option<GeoEntry<'a>> {
    let (place, is_place) = read_value(value)?;
    let key = std::str::from_utf8(key.get(key_range(key)?)?).ok()?;
    Some(GeoEntry { key, place, is_place })
}
