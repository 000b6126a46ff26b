//! The search for shapes through cells.
//!
//! The sphere is divided into six faces, each face into four cells, and so on for thirty levels.
//! The numbers of a cell's descendants are one contiguous range.

use std::f64::consts::PI;
use std::sync::Arc;

use s2::cap::Cap;
use s2::cell::Cell;
use s2::cellid::CellID;
use s2::cellunion::CellUnion;
use s2::point::Point;
use s2::rect::Rect;
use s2::region::{Region as CellRegion, RegionCoverer};
use s2::s1::angle::{Angle, Rad};

use crate::crossing::{Crosser, Crossing};
use crate::measure::EARTH_RADIUS_METERS;
use crate::position::{Position, angle};
use crate::shape::Shape;

/// Maximum number of cells in the covering of a stored shape.
const STORED_CELLS: usize = 8;
/// Maximum number of cells in the covering of a query. More cells read fewer useless entries and
/// cost more lookups.
const QUERY_CELLS: usize = 16;
/// Level of the smallest cells of stored shapes that are not points: about a meter.
const FINEST_LEVEL: u8 = 23;
const LEAF_LEVEL: u8 = 30;
/// Maximum number of edges of a shape whose own border is covered.
///
/// For a larger shape a circle around it is covered, because the coverer compares each cell with
/// every edge.
const CLOSE_EDGES_MAX: usize = 2048;
/// First radius of a nearest-first search.
const FIRST_RADIUS_METERS: f64 = 100.0;
/// Enlargement of the radius of a covering against rounding, in radians.
const PADDING: f64 = 1e-12;

/// A range of cell numbers from `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRange {
    /// The first number.
    pub first: u64,
    /// The last number, included.
    pub last: u64,
}

impl Position {
    /// Returns the number of the smallest cell that contains the place.
    pub fn cell(self) -> u64 {
        CellID::from(self.point()).0
    }
}

/// The bounds of a covering: ArangoDB's options of geo-spatial analyzers, with their defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covering {
    /// Maximum number of cells, unless cells of the coarsest level are more.
    pub max_cells: usize,
    /// The coarsest level of a cell.
    pub min_level: u8,
    /// The finest level of a cell, at most 30.
    pub max_level: u8,
}

impl Default for Covering {
    fn default() -> Self {
        Self { max_cells: 20, min_level: 4, max_level: FINEST_LEVEL }
    }
}

/// Returns the cells within bounds that cover a shape and its centroid.
///
/// A place has one. [`ranges_meeting`] finds them by the shape, and [`ranges_near`] by the
/// centroid, whatever the bounds. The centroid of a concave shape or of several places may lie
/// outside.
pub fn covering_with(shape: &Shape, bounds: &Covering) -> Vec<u64> {
    let (min_level, max_level) = (bounds.min_level.min(LEAF_LEVEL), bounds.max_level.min(LEAF_LEVEL));
    if let Some(place) = shape.as_point() {
        return vec![CellID(place.cell()).parent(u64::from(max_level)).0];
    }
    let coverer = RegionCoverer { min_level, max_level, level_mod: 1, max_cells: bounds.max_cells };
    let cells = covering(&coverer, shape).0;
    let centroid = CellID(shape.centroid().cell());
    let outside = !cells.iter().any(|cell| cell.contains(&centroid));
    let centroid = outside.then(|| centroid.parent(u64::from(max_level)));
    cells.into_iter().chain(centroid).map(|cell| cell.0).collect()
}

/// Returns the number of a cell in S2's text form: hexadecimal without zeros at the end.
///
/// The order of the texts is the order of the numbers.
pub fn cell_token(cell: u64) -> String {
    let token = format!("{cell:016x}");
    token.trim_end_matches('0').to_owned()
}

/// Returns the cells that index a stored shape.
pub fn covering_of(shape: &Shape) -> Vec<u64> {
    let coverer =
        RegionCoverer { min_level: 0, max_level: FINEST_LEVEL, level_mod: 1, max_cells: STORED_CELLS };
    covering(&coverer, shape).0.iter().map(|cell| cell.0).collect()
}

fn covering(coverer: &RegionCoverer, shape: &Shape) -> CellUnion {
    let covered = Covered::new(shape);
    if covered.edges.len().max(covered.points.len()) > CLOSE_EDGES_MAX {
        return coverer.covering(&covered.cap);
    }
    coverer.covering(&covered)
}

/// Returns the ranges of the cells of all shapes that may meet the shape.
///
/// They are its own cells with their descendants, and the ancestors of those. The ranges do not
/// overlap.
pub fn ranges_meeting(shape: &Shape) -> Vec<CellRange> {
    ranges_of(&covering(&query_coverer(), shape))
}

/// Returns the ranges of the cells of all shapes that may have a place within a distance.
pub fn ranges_near(center: Position, meters: f64) -> Vec<CellRange> {
    let radius = (meters / EARTH_RADIUS_METERS).max(0.0);
    ranges_of(&query_coverer().covering(&cap(&center.point(), radius)))
}

fn query_coverer() -> RegionCoverer {
    RegionCoverer { min_level: 0, max_level: LEAF_LEVEL, level_mod: 1, max_cells: QUERY_CELLS }
}

/// Returns the ranges of cells with their descendants, and of their ancestors.
fn ranges_of(cells: &CellUnion) -> Vec<CellRange> {
    let mut ancestors = Vec::new();
    let mut ranges = Vec::new();
    for cell in &cells.0 {
        ranges.push(descendants(cell));
        ancestors.extend((0..cell.level()).map(|level| cell.parent(level).0));
    }
    ancestors.sort_unstable();
    ancestors.dedup();
    ranges.extend(ancestors.into_iter().map(|cell| CellRange { first: cell, last: cell }));
    ranges.sort_by_key(|range| range.first);
    ranges
}

fn descendants(cell: &CellID) -> CellRange {
    CellRange { first: cell.range_min().0, last: cell.range_max().0 }
}

/// A shape in the form that the coverer needs.
struct Covered {
    shape: Shape,
    edges: Vec<(Point, Point)>,
    points: Vec<Point>,
    cap: Cap,
}

impl Covered {
    fn new(shape: &Shape) -> Self {
        let edges = shape.edges();
        let points = shape.points().unwrap_or_default();
        let cap = bounding_cap(shape, &edges, &points);
        Self { shape: shape.clone(), edges, points, cap }
    }

    fn contains(&self, point: &Point) -> bool {
        self.shape.as_region().is_some_and(|region| region.contains_point(point))
    }

    /// Returns true if the border of the shape meets the cell.
    fn border_meets(&self, cell: &Cell) -> bool {
        if self.edges.iter().any(|(from, to)| cell.contains_point(from) || cell.contains_point(to)) {
            return true;
        }
        let corners = padded_corners(cell);
        let sides = corners.iter().zip(corners.iter().cycle().skip(1));
        sides.into_iter().any(|(from, to)| {
            let Some((first, _)) = self.edges.first() else { return false };
            let mut crosser = Crosser::new(from, to, first);
            self.edges.iter().any(|(start, end)| {
                crosser.start_at(start);
                crosser.crossing(end) != Crossing::Apart
            })
        })
    }
}

/// Returns the corners of a cell, moved outwards by more than rounding errors.
///
/// Places on an edge along the cell's side may lie in its neighbour, which the edge then meets too.
fn padded_corners(cell: &Cell) -> [Point; 4] {
    const OUTWARDS: f64 = 1e-14;
    let center = cell.center().0;
    cell.vertices().map(|corner| Point((corner.0 + (corner.0 - center).normalize() * OUTWARDS).normalize()))
}

/// Returns a cap around the shape.
fn bounding_cap(shape: &Shape, edges: &[(Point, Point)], points: &[Point]) -> Cap {
    if let Some(region) = shape.as_region() {
        let rect = region.rings().iter().fold(Rect::empty(), |rect, part| rect.union(part.ring.bound_rect()));
        return rect.cap_bound();
    }
    let center = shape.centroid().point();
    let ends = edges.iter().flat_map(|(from, to)| [from, to]);
    let farthest = points.iter().chain(ends).map(|point| angle(&center, point)).fold(0.0, f64::max);
    // The middle of an edge is nearer than its ends, unless they are far off.
    let radius = if farthest < PI / 4.0 { farthest } else { PI };
    cap(&center, radius)
}

fn cap(center: &Point, radius: f64) -> Cap {
    if radius + PADDING >= PI {
        Cap::full()
    } else {
        Cap::from_center_angle(center, &radians(radius + PADDING))
    }
}

fn radians(radians: f64) -> Angle {
    Rad(radians).into()
}

impl CellRegion for Covered {
    fn cap_bound(&self) -> Cap {
        self.cap.clone()
    }

    fn contains_cell(&self, cell: &Cell) -> bool {
        self.contains(&cell.center()) && !self.border_meets(cell)
    }

    fn intersects_cell(&self, cell: &Cell) -> bool {
        self.points.iter().any(|point| cell.contains_point(point))
            || (self.cap.intersects_cell(cell) && (self.border_meets(cell) || self.contains(&cell.center())))
    }
}

/// Concentric rings around a place, from the inside out, up to an outermost distance.
#[derive(Clone, Debug)]
pub struct Rings {
    center: Arc<Point>,
    /// The start of the next ring and, in `end`, the end of the last, in radians.
    next: f64,
    end: f64,
    width: f64,
}

/// One ring: all places at a distance of at least `inner` and less than `outer` radians.
///
/// The last ring includes `outer`.
#[derive(Clone, Debug)]
pub struct SearchRing {
    /// The ranges of the cells of the ring's places, in order; they also hold places outside the
    /// ring.
    pub ranges: Vec<CellRange>,
    inner: f64,
    outer: f64,
    is_last: bool,
}

impl SearchRing {
    /// Returns true if a place at this angle from the center belongs to the ring.
    pub fn contains(&self, radians: f64) -> bool {
        self.inner <= radians && (radians < self.outer || (self.is_last && radians <= self.outer))
    }
}

impl Rings {
    /// Creates the rings around a place between two distances in meters.
    ///
    /// `farthest_first` starts at the far end.
    pub fn new(center: Position, from_meters: f64, to_meters: f64, farthest_first: bool) -> Self {
        let bound = |meters: f64| (meters / EARTH_RADIUS_METERS).clamp(0.0, PI);
        let (from, to) = (bound(from_meters) - PADDING, bound(to_meters) + PADDING);
        let center = center.point();
        let (center, from, to) =
            if farthest_first { (Point(center.0 * -1.0), PI - to, PI - from) } else { (center, from, to) };
        let width = FIRST_RADIUS_METERS / EARTH_RADIUS_METERS;
        Self { center: Arc::new(center), next: from.max(0.0), end: to.min(PI), width }
    }

    /// Returns the angle of a place from the center of the rings.
    ///
    /// If the farthest places come first, that center is the opposite place.
    pub fn angle(&self, place: Position) -> f64 {
        angle(&self.center, &place.point())
    }

    /// Returns all remaining rings as one, for a caller that accepts any order.
    pub fn rest(&mut self) -> Option<SearchRing> {
        self.width = PI;
        self.next_ring(0)
    }

    /// Returns the next ring; `None` after the last.
    ///
    /// `found` is the number of places in the previous ring: if it is 0, the rings grow faster.
    pub fn next_ring(&mut self, found: usize) -> Option<SearchRing> {
        if self.next > self.end {
            return None;
        }
        let (inner, outer) = (self.next, (self.next + self.width).min(self.end));
        let is_last = outer >= self.end;
        self.next = if is_last { f64::INFINITY } else { outer };
        self.width *= if found == 0 { 4.0 } else { 2.0 };
        let region = Annulus {
            outer: cap(&self.center, outer),
            inner: (inner > 4.0 * PADDING)
                .then(|| Cap::from_center_angle(&self.center, &radians(inner - 2.0 * PADDING))),
        };
        let coverer =
            RegionCoverer { min_level: 0, max_level: LEAF_LEVEL, level_mod: 1, max_cells: QUERY_CELLS };
        let ranges = coverer.covering(&region).0.iter().map(descendants).collect();
        Some(SearchRing { ranges, inner, outer, is_last })
    }
}

/// The part of one cap outside another.
struct Annulus {
    outer: Cap,
    inner: Option<Cap>,
}

impl CellRegion for Annulus {
    fn cap_bound(&self) -> Cap {
        self.outer.clone()
    }

    fn contains_cell(&self, cell: &Cell) -> bool {
        self.outer.contains_cell(cell)
            && !self.inner.as_ref().is_some_and(|inner| inner.intersects_cell(cell))
    }

    fn intersects_cell(&self, cell: &Cell) -> bool {
        self.outer.intersects_cell(cell)
            && !self.inner.as_ref().is_some_and(|inner| inner.contains_cell(cell))
    }
}
