//! Rings: closed lines that divide the sphere; their inside lies to their left.

use std::f64::consts::PI;

use s2::point::{Point, point_area, true_centroid};
use s2::r3::vector::Vector;
use s2::rect::Rect;
use s2::rect_bounder::RectBounder;

use crate::crossing::{Crosser, angle_contains_vertex, ordered_ccw};
use crate::position::{angle, middle};
use crate::sign::sign;

/// A ring of at least three vertices, all different, no two neighbours opposite on the sphere.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    vertices: Vec<Point>,
    /// True if the point from which crossings are counted is inside.
    origin_inside: bool,
    bound: Rect,
}

impl Ring {
    pub(crate) fn new(vertices: Vec<Point>) -> Self {
        let mut ring = Self { vertices, origin_inside: false, bound: Rect::full() };
        // The vertex rule decides for one vertex if it is inside; counting must agree with it.
        if let [before, vertex, after, ..] = ring.vertices.as_slice() {
            let is_inside = angle_contains_vertex(before, vertex, after);
            let vertex = *vertex;
            ring.origin_inside = is_inside != ring.contains_by_crossings(&vertex);
        }
        ring.bound = ring.bound();
        ring
    }

    pub(crate) fn vertices(&self) -> &[Point] {
        &self.vertices
    }

    /// Returns the edges in order, the closing one last.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (&Point, &Point)> {
        self.vertices.iter().zip(self.vertices.iter().cycle().skip(1))
    }

    /// Returns a point on the ring that is not a vertex.
    pub(crate) fn point_on_edge(&self) -> Point {
        self.edges().next().map_or_else(Point::origin, |(from, to)| middle(from, to))
    }

    pub(crate) fn bound_rect(&self) -> &Rect {
        &self.bound
    }

    /// Returns true if the point is inside.
    ///
    /// Each point of the sphere is inside exactly one of the regions that rings divide it into. So
    /// a ring need not contain its own vertices.
    pub(crate) fn contains(&self, point: &Point) -> bool {
        self.bound.contains_point(point) && self.contains_by_crossings(point)
    }

    /// Returns true if an edge is inside that crosses none of the ring's edges and is none of them.
    pub(crate) fn contains_edge(&self, from: &Point, to: &Point) -> bool {
        let Some([before, after]) = self.neighbours(from) else { return self.contains(from) };
        if self.vertices.contains(to) { ordered_ccw(after, to, before, from) } else { self.contains(to) }
    }

    /// Returns the vertices before and after the one at this place, if there is one.
    fn neighbours(&self, vertex: &Point) -> Option<[&Point; 2]> {
        let place = self.vertices.iter().position(|candidate| candidate == vertex)?;
        let before = if place == 0 { self.vertices.last() } else { self.vertices.get(place - 1) };
        let after = self.vertices.get(place + 1).or(self.vertices.first());
        Some([before?, after?])
    }

    fn contains_by_crossings(&self, point: &Point) -> bool {
        let Some((first, rest)) = self.vertices.split_first() else { return false };
        let mut crosser = Crosser::new(&Point::origin(), point, first);
        let mut is_inside = self.origin_inside;
        for vertex in rest.iter().chain([first]) {
            is_inside ^= crosser.crosses_or_counts(vertex);
        }
        is_inside
    }

    /// Returns the ring in the other direction, which exchanges inside and outside.
    #[must_use]
    pub(crate) fn inverted(mut self) -> Self {
        self.vertices.reverse();
        Self::new(self.vertices)
    }

    /// Returns the area of the inside in steradians.
    pub(crate) fn area(&self) -> f64 {
        let mut area = 0.0;
        self.for_each_triangle(|a, b, c| {
            area += if sign(a, b, c).is_gt() { point_area(a, b, c) } else { -point_area(a, b, c) };
        });
        // The sum is right up to whole spheres. Rounding may push the area of a nearly empty ring
        // across that border.
        let area = area.rem_euclid(4.0 * PI);
        let is_tiny = !(1e-12..=4.0 * PI - 1e-12).contains(&area);
        if is_tiny { if self.is_mostly_everything() { 4.0 * PI } else { 0.0 } } else { area }
    }

    /// Returns true if the inside is nearly the whole sphere. For a ring with nearly no area on one
    /// side.
    fn is_mostly_everything(&self) -> bool {
        let center = self.vertices.iter().fold(Vector::new(0.0, 0.0, 0.0), |sum, vertex| sum + vertex.0);
        self.contains(&Point((center * -1.0).normalize()))
    }

    /// Returns the integral of the position over the inside.
    pub(crate) fn centroid(&self) -> Vector {
        let mut sum = Vector::new(0.0, 0.0, 0.0);
        // The vector is already signed by the triangle's orientation.
        self.for_each_triangle(|a, b, c| sum = sum + true_centroid(a, b, c).0);
        sum
    }

    /// Visits oriented triangles whose sum is the inside (or all but the outside).
    ///
    /// The triangles share a corner. It moves where an edge from it would span nearly half a circle
    /// and be unstable.
    fn for_each_triangle(&self, mut visit: impl FnMut(&Point, &Point, &Point)) {
        const LONGEST: f64 = PI - 1e-5;
        let Some((first, rest)) = self.vertices.split_first() else { return };
        let mut corner = *first;
        for (from, to) in rest.iter().zip(rest.iter().skip(1)) {
            if angle(to, &corner) > LONGEST {
                let earlier = corner;
                corner = if corner == *first {
                    Point(first.0.cross(&from.0).normalize())
                } else if angle(from, first) < LONGEST {
                    *first
                } else {
                    Point(first.0.cross(&earlier.0).normalize())
                };
                if earlier != *first && corner != *first {
                    visit(first, &earlier, &corner);
                }
                visit(&earlier, from, &corner);
            }
            visit(&corner, from, to);
        }
        if let Some(last) = rest.last()
            && corner != *first
        {
            visit(&corner, last, first);
        }
    }

    /// Returns a rectangle of latitudes and longitudes around the inside.
    fn bound(&self) -> Rect {
        let mut bounder = RectBounder::new();
        for vertex in self.vertices.iter().chain(self.vertices.first()) {
            bounder.add_point(vertex);
        }
        let mut bound = bounder.get_bound();
        if self.contains_by_crossings(&Point::from_coords(0.0, 0.0, 1.0)) {
            bound.lat.hi = PI / 2.0;
            bound.lng = s2::s1::interval::FULL;
        }
        if self.contains_by_crossings(&Point::from_coords(0.0, 0.0, -1.0)) {
            bound.lat.lo = -PI / 2.0;
            bound.lng = s2::s1::interval::FULL;
        }
        bound
    }
}
