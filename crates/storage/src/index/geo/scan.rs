//! Scans over geo-spatial indexes: by distance from a place, ring after ring, or by the cells that a shape is in.

use std::collections::VecDeque;
use std::sync::Arc;

use catalog::ObjectId;
use catalog::index::GeoSearch;
use geometry::{CellRange, Ellipsoid, Position, Rings, Rules, SearchRing, Shape};
use kv::{Block, BlockLimits, KeyRange, Scan, ScanSpec, Snapshot};

use super::distance::DistanceBounds;
use super::encoding::{CellKind, cell_range, key_range, read_value};
use crate::index::found::{EntryCollector, IndexEntries};
use crate::index::scan::{EntryScan, ScanHost, ScanSource};
use crate::index::value::IndexValue;
use crate::{Error, Result};

/// Entries read in one step while a ring is collected.
const BLOCK_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };
/// What a place that waits to be handed over takes besides its key.
const FOUND_BYTES: usize = 64;

/// A scan for one search. Its shapes are read when the first entry is asked for, which may take long.
pub(super) enum GeoScan {
    Begin(Begin),
    Nothing,
    /// Entries as they lie in the index.
    Unordered(UnorderedScan),
    /// Entries by their distance.
    Ordered(OrderedScan),
}

/// What is searched for and where.
pub(super) struct Begin {
    pub(super) source: ScanSource,
    pub(super) object: ObjectId,
    pub(super) search: GeoSearch<IndexValue>,
    pub(super) ascending: bool,
    /// By distance from the origin.
    pub(super) ordered: bool,
}

impl Begin {
    /// Errors: 10 for a value that is no shape.
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

/// The shape that a value says.
///
/// Errors: 10 for anything else.
fn shape(value: &IndexValue, host: &dyn ScanHost) -> Result<Shape> {
    let is_over = || host.check().is_err();
    let parsed = geometry::parse(value.as_slice(), Rules::LENIENT, &is_over);
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

/// Entries as they lie in the index.
pub(super) struct UnorderedScan {
    object: ObjectId,
    filter: Filter,
    cells: CellScan,
    /// Which entries `cells` reads.
    kind: CellKind,
    /// What is read after it.
    later: Option<(CellKind, Vec<CellRange>)>,
}

/// What entries are filtered by, as far as they say it themselves.
struct Filter {
    origin: Option<Position>,
    bounds: DistanceBounds,
    shape: Option<Shape>,
}

impl Filter {
    /// Whether the entry's document is to be found by this entry.
    fn accepts(&self, entry: &GeoEntry<'_>, kind: CellKind) -> bool {
        let is_near = |origin| self.bounds.contains(Ellipsoid::Sphere.distance_meters(origin, entry.place));
        if !self.origin.is_none_or(is_near) {
            return false;
        }
        match (&self.shape, kind, entry.is_place) {
            // A document with a shape of its own is found by the cells that cover it.
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
    /// How many places the last ring held.
    last_found: usize,
}

/// A place that waits to be handed over.
struct Found {
    angle: f64,
    key: Box<str>,
}

/// Entries by their distance: those of one ring are sorted at a time.
pub(super) struct OrderedScan {
    near: Near,
    found: VecDeque<Found>,
}

impl Near {
    /// The places of a ring, sorted by distance.
    fn read_ring(&self, ring: &SearchRing, host: &mut dyn ScanHost) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        let mut kept_bytes = 0;
        let mut cells = CellScan::new(&self.engine, self.object, CellKind::Place, &ring.ranges);
        host.statistics().cursors += ring.ranges.len() as u64;
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
            // The memory of the ring before is given back.
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

/// The entries in some ranges of cells, range after range.
struct CellScan {
    engine: Arc<dyn Snapshot>,
    /// What is still to be visited, the next range last.
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

/// A document as the index knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GeoEntry<'a> {
    /// The document's `_key`.
    key: &'a str,
    /// Its place, or the centroid of its shape.
    place: Position,
    /// Its shape is that single place.
    is_place: bool,
}

/// The entries of a block in order. Errors: 1102 for a damaged entry.
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
