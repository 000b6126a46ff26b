//! Entries of geo indexes: by distance from a place, ring after ring, or by the cells that a shape is in.

use super::entries::EntrySink;
use super::search::{DistanceBounds, GeoLookup};
use super::source::{EntrySource, Lookup};
use crate::context::ExecutionContext;
use crate::data::storage_error;
use aql_value::{Charge, Error, Interrupt, Result, Value, error_number};
use geometry::{CellRange, EARTH_RADIUS_METERS, Ellipsoid, Position, Rings, SearchRing, Shape};
use std::collections::VecDeque;
use std::sync::Arc;
use storage::{BlockLimits, GeoEntry, GeoEntryKind, GeoScan, Index, Snapshot};

/// Entries read in one step.
const BLOCK_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };
/// What a place that waits to be handed over takes besides its key.
const FOUND_BYTES: usize = 64;

/// The source for a search of one outer row.
pub(super) fn open(
    index: &Arc<Index>,
    geo: &GeoLookup,
    lookup: &Lookup<'_>,
    interrupt: &Interrupt,
) -> Result<Box<dyn EntrySource>> {
    let shape = |value: &Option<Value>| value.as_ref().map(|value| shape(value, interrupt)).transpose();
    let origin = shape(&geo.origin)?.map(|shape| shape.centroid());
    let meets = shape(&geo.meets)?;
    let snapshot = lookup.snapshot.clone();
    let index = Arc::clone(index);
    match (origin, meets) {
        (Some(origin), _) if lookup.ordered => {
            let Some((from, to)) = geo.distance.range_meters() else { return Ok(Box::new(Nothing)) };
            let rings = Rings::new(origin, from, to, !lookup.ascending);
            let near = Near { snapshot, index, origin, bounds: geo.distance, rings, last_found: 0 };
            Ok(Box::new(OrderedSource { near, found: VecDeque::new(), charge: None }))
        }
        (origin, Some(shape)) => {
            let ranges = geometry::ranges_meeting(&shape);
            let filter = Filter { origin, bounds: geo.distance, shape: Some(shape) };
            let later = Some((GeoEntryKind::Covers, ranges.clone()));
            UnorderedSource::open(snapshot, index, (GeoEntryKind::Places, ranges), later, filter)
        }
        (Some(origin), None) => {
            let range = geo.distance.range_meters();
            let ring = range.and_then(|(from, to)| Rings::new(origin, from, to, false).rest());
            let Some(ring) = ring else { return Ok(Box::new(Nothing)) };
            let filter = Filter { origin: Some(origin), bounds: geo.distance, shape: None };
            UnorderedSource::open(snapshot, index, (GeoEntryKind::Places, ring.ranges), None, filter)
        }
        (None, None) => Err(Error::internal("a geo search without conditions")),
    }
}

/// The shape that a value says. Error 10 for anything else.
fn shape(value: &Value, interrupt: &Interrupt) -> Result<Shape> {
    let is_over = || interrupt.check().is_err();
    let parsed = value.with_slice(|slice, _| geometry::parse(slice, geometry::Rules::LENIENT, &is_over));
    interrupt.check()?;
    parsed.map_err(|error| Error::new(error_number::BAD_PARAMETER, error.to_string()))
}

/// Finds nothing.
struct Nothing;

impl EntrySource for Nothing {
    fn read(&mut self, _: &mut EntrySink<'_>, _: &mut ExecutionContext, _: usize) -> Result<bool> {
        Ok(false)
    }

    fn release(&mut self) {}
}

/// Entries as they lie in the index.
struct UnorderedSource {
    snapshot: Snapshot,
    index: Arc<Index>,
    filter: Filter,
    scan: GeoScan,
    /// Which entries `scan` reads.
    kind: GeoEntryKind,
    /// What is read after it.
    later: Option<(GeoEntryKind, Vec<CellRange>)>,
}

/// What entries are filtered by, as far as they say it themselves.
struct Filter {
    origin: Option<Position>,
    bounds: DistanceBounds,
    shape: Option<Shape>,
}

impl Filter {
    /// Whether the entry's document is to be found by this entry.
    fn accepts(&self, entry: &GeoEntry<'_>, kind: GeoEntryKind) -> bool {
        let is_near = |origin| self.bounds.contains(Ellipsoid::Sphere.distance_meters(origin, entry.place));
        if !self.origin.is_none_or(is_near) {
            return false;
        }
        match (&self.shape, kind, entry.is_place) {
            // A document with a shape of its own is found by the cells that cover it.
            (Some(_), GeoEntryKind::Places, false) => false,
            (Some(shape), GeoEntryKind::Places, true) => {
                shape.as_region().is_none_or(|region| region.contains(entry.place))
            }
            _ => true,
        }
    }
}

impl UnorderedSource {
    fn open(
        snapshot: Snapshot,
        index: Arc<Index>,
        (kind, ranges): (GeoEntryKind, Vec<CellRange>),
        later: Option<(GeoEntryKind, Vec<CellRange>)>,
        filter: Filter,
    ) -> Result<Box<dyn EntrySource>> {
        let scan = snapshot.geo_scan(&index, kind, &ranges).map_err(|error| storage_error(&error))?;
        Ok(Box::new(Self { snapshot, index, filter, scan, kind, later }))
    }
}

impl EntrySource for UnorderedSource {
    fn read(
        &mut self,
        sink: &mut EntrySink<'_>,
        context: &mut ExecutionContext,
        bytes: usize,
    ) -> Result<bool> {
        while sink.room() > 0 {
            context.interrupt.check()?;
            let limits = BlockLimits { rows: sink.room(), bytes };
            let Some(entries) = self.scan.next_block(limits).map_err(|error| storage_error(&error))? else {
                let Some((kind, ranges)) = self.later.take() else { return Ok(false) };
                let scan = self.snapshot.geo_scan(&self.index, kind, &ranges);
                (self.scan, self.kind) = (scan.map_err(|error| storage_error(&error))?, kind);
                continue;
            };
            context.statistics.scanned_index += entries.len() as u64;
            for entry in entries.iter() {
                let entry = entry.map_err(|error| storage_error(&error))?;
                if self.filter.accepts(&entry, self.kind) {
                    sink.push(entry.key, || Value::Null, Value::Null);
                }
            }
        }
        Ok(true)
    }

    fn release(&mut self) {
        self.scan.release();
    }
}

/// The rings around a place.
struct Near {
    snapshot: Snapshot,
    index: Arc<Index>,
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
struct OrderedSource {
    near: Near,
    found: VecDeque<Found>,
    /// For the memory of `found`.
    charge: Option<Charge>,
}

impl Near {
    /// The places of a ring, sorted by distance.
    fn read_ring(
        &mut self,
        ring: &SearchRing,
        context: &mut ExecutionContext,
        charge: &mut Charge,
    ) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        let scan = self.snapshot.geo_scan(&self.index, GeoEntryKind::Places, &ring.ranges);
        let mut scan = scan.map_err(|error| storage_error(&error))?;
        context.statistics.cursors_created += ring.ranges.len() as u64;
        while let Some(entries) = scan.next_block(BLOCK_LIMITS).map_err(|error| storage_error(&error))? {
            context.interrupt.check()?;
            context.statistics.scanned_index += entries.len() as u64;
            for entry in entries.iter() {
                let entry = entry.map_err(|error| storage_error(&error))?;
                let angle = self.rings.angle(entry.place);
                let meters = Ellipsoid::Sphere.distance_meters(self.origin, entry.place);
                if ring.contains(angle) && self.bounds.contains(meters) {
                    charge.grow((FOUND_BYTES + entry.key.len()) as u64)?;
                    found.push(Found { angle, key: entry.key.into() });
                }
            }
        }
        found.sort_by(|a, b| a.angle.total_cmp(&b.angle).then_with(|| a.key.cmp(&b.key)));
        Ok(found)
    }
}

impl EntrySource for OrderedSource {
    fn read(&mut self, sink: &mut EntrySink<'_>, context: &mut ExecutionContext, _: usize) -> Result<bool> {
        while sink.room() > 0 {
            if let Some(found) = self.found.pop_front() {
                sink.push(&found.key, || Value::Null, Value::Null);
                continue;
            }
            context.interrupt.check()?;
            let Some(ring) = self.near.rings.next_ring(self.near.last_found) else { return Ok(false) };
            // The memory of the ring before is given back.
            self.charge = None;
            let mut charge = context.new_charge();
            self.found = self.near.read_ring(&ring, context, &mut charge)?.into();
            self.near.last_found = self.found.len();
            self.charge = Some(charge);
        }
        Ok(true)
    }

    fn release(&mut self) {}
}

impl DistanceBounds {
    /// The distances on the sphere that may be within the bounds; `None` if there is none.
    pub(super) fn range_meters(&self) -> Option<(f64, f64)> {
        let farthest_possible = std::f64::consts::PI * EARTH_RADIUS_METERS;
        let (nearest, farthest) =
            (self.nearest.map_or(0.0, |bound| bound.0), self.farthest.map(|bound| bound.0));
        let farthest = farthest.unwrap_or(farthest_possible);
        (!self.is_empty && nearest <= farthest && farthest >= 0.0 && nearest <= farthest_possible + 1.0)
            .then_some((nearest.max(0.0), farthest))
    }
}
