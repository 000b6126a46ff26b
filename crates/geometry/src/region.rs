//! Areas: regions that rings bound on the sphere.

use s2::point::Point;

use crate::position::Position;
use crate::ring::Ring;
use crate::{Interrupt, Result, validity};

/// The rule for the inside of a polygon's first ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polygons {
    /// The inside lies to the left of the ring.
    LeftOfRing,
    /// The inside is the smaller side of the ring, as before ArangoDB 3.10.
    Legacy,
}

/// An area with holes, possibly of several parts.
#[derive(Clone, Debug)]
pub struct Region {
    rings: Vec<RegionRing>,
    /// True if it came as a MultiPolygon.
    pub(crate) is_multi: bool,
}

/// A ring of a region.
#[derive(Clone, Debug)]
pub(crate) struct RegionRing {
    pub(crate) ring: Ring,
    /// True if the ring bounds a hole: the inside of the ring is not in the region.
    pub(crate) is_hole: bool,
}

impl Region {
    /// Creates a region from the rings of each polygon; the first ring of each is the outer one.
    ///
    /// Rings are not closed: their last vertex differs from the first. Errors: rings that
    /// [`validity`] refuses; interrupted.
    pub(crate) fn new(
        polygons: Vec<Vec<Vec<Point>>>,
        is_multi: bool,
        rule: Polygons,
        interrupt: Interrupt<'_>,
    ) -> Result<Self> {
        let mut rings: Vec<Vec<Ring>> = Vec::with_capacity(polygons.len());
        for polygon in polygons {
            rings.push(oriented(polygon, rule));
        }
        validity::check(&rings, interrupt)?;
        let rings: Vec<Ring> = rings.into_iter().flatten().collect();
        let mut are_holes = Vec::with_capacity(rings.len());
        let mut steps = crate::edges::Steps::new(interrupt);
        for (number, ring) in rings.iter().enumerate() {
            let place = ring.point_on_edge();
            let mut depth = 0;
            for (other_number, other) in rings.iter().enumerate() {
                let may_enclose = other_number != number && other.bound_rect().contains_point(&place);
                steps.take(if may_enclose { other.vertices().len() } else { 1 })?;
                depth += usize::from(may_enclose && other.contains(&place));
            }
            are_holes.push(depth % 2 == 1);
        }
        let with_depth = rings.into_iter().zip(are_holes);
        let rings = with_depth.map(|(ring, is_hole)| RegionRing { ring, is_hole }).collect();
        Ok(Self { rings, is_multi })
    }

    /// Returns true if the region contains the place: an odd number of rings contains it.
    pub fn contains(&self, place: Position) -> bool {
        self.contains_point(&place.point())
    }

    pub(crate) fn contains_point(&self, point: &Point) -> bool {
        self.rings.iter().filter(|part| part.ring.contains(point)).count() % 2 == 1
    }

    /// Returns true if the region contains an edge that crosses none of its edges and is none of
    /// them.
    pub(crate) fn contains_edge(&self, from: &Point, to: &Point) -> bool {
        self.rings.iter().filter(|part| part.ring.contains_edge(from, to)).count() % 2 == 1
    }

    pub(crate) fn rings(&self) -> &[RegionRing] {
        &self.rings
    }

    /// Returns all edges, with the region to the left of each.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (Point, Point)> {
        self.rings.iter().flat_map(|part| {
            part.ring.edges().map(|(from, to)| if part.is_hole { (*to, *from) } else { (*from, *to) })
        })
    }
}

/// Returns the oriented rings of a polygon.
///
/// The outer ring keeps its direction (or, by the legacy rule, encloses the smaller area). The
/// other rings enclose the side away from the outer one.
fn oriented(polygon: Vec<Vec<Point>>, rule: Polygons) -> Vec<Ring> {
    let mut rings: Vec<Ring> = Vec::with_capacity(polygon.len());
    for vertices in polygon {
        let ring = Ring::new(vertices);
        let is_wrong = match rings.first() {
            None => rule == Polygons::Legacy && ring.area() > 2.0 * std::f64::consts::PI,
            Some(outer) => ring.contains(&outer.point_on_edge()),
        };
        rings.push(if is_wrong { ring.inverted() } else { ring });
    }
    rings
}
