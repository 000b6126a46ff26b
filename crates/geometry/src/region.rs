//! Areas: what rings divide from the rest of the sphere.

use s2::point::Point;

use crate::position::Position;
use crate::ring::Ring;
use crate::{Interrupt, Result, validity};

/// How the inside of a polygon's first ring is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polygons {
    /// It lies to the left of the ring.
    LeftOfRing,
    /// It is the smaller side of the ring, as it was before ArangoDB 3.10.
    Legacy,
}

/// An area with holes, perhaps of several parts.
#[derive(Clone, Debug)]
pub struct Region {
    rings: Vec<RegionRing>,
    /// Whether it came as a MultiPolygon.
    pub(crate) is_multi: bool,
}

/// A ring of a region.
#[derive(Clone, Debug)]
pub(crate) struct RegionRing {
    pub(crate) ring: Ring,
    /// It bounds a hole: what is inside of the ring is not in the region.
    pub(crate) is_hole: bool,
}

impl Region {
    /// From the rings of each polygon, the first of each the outer one. Rings are not closed: their last vertex differs
    /// from the first.
    ///
    /// Errors: rings that [`validity`] refuses; interrupted.
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

    /// Whether the place is within: an odd number of rings is around it.
    pub fn contains(&self, place: Position) -> bool {
        self.contains_point(&place.point())
    }

    pub(crate) fn contains_point(&self, point: &Point) -> bool {
        self.rings.iter().filter(|part| part.ring.contains(point)).count() % 2 == 1
    }

    /// Whether an edge is within that crosses none of the region's and is none of them.
    pub(crate) fn contains_edge(&self, from: &Point, to: &Point) -> bool {
        self.rings.iter().filter(|part| part.ring.contains_edge(from, to)).count() % 2 == 1
    }

    pub(crate) fn rings(&self) -> &[RegionRing] {
        &self.rings
    }

    /// All edges, the region to the left of each.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (Point, Point)> {
        self.rings.iter().flat_map(|part| {
            part.ring.edges().map(|(from, to)| if part.is_hole { (*to, *from) } else { (*from, *to) })
        })
    }
}

/// The rings of a polygon: the outer one as it runs (or, by the old rule, so that it encloses the smaller area), the
/// others so that they enclose what lies away from the outer one.
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
