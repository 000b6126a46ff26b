//! Crossings of edges in the terms of S2: each question has an answer, also where edges only touch.

use std::cmp::Ordering;

use s2::point::Point;
use s2::r3::vector::Vector;

use crate::sign::{exact_sign, rough_sign, sign};

/// The way in which two edges meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crossing {
    /// They meet at a place inside both.
    Cross,
    /// An end of one is an end of the other.
    SharedEnd,
    /// They do not meet.
    Apart,
}

/// Returns how the edges `ab` and `cd` meet.
pub(crate) fn crossing(a: &Point, b: &Point, c: &Point, d: &Point) -> Crossing {
    Crosser::new(a, b, c).crossing(d)
}

/// A comparison of an edge with those of a chain.
pub(crate) struct Crosser {
    a: Point,
    b: Point,
    normal: Vector,
    /// The current point of the chain. `side` is its side of the edge, unless that takes exact
    /// arithmetic.
    at: Point,
    side: Option<Ordering>,
}

impl Crosser {
    /// Creates a crosser for the edge `ab` and a chain that starts at `start`.
    pub(crate) fn new(a: &Point, b: &Point, start: &Point) -> Self {
        let normal = a.0.cross(&b.0);
        let mut crosser = Self { a: *a, b: *b, normal, at: *start, side: None };
        crosser.side = crosser.rough_side(start);
        crosser
    }

    /// Continues the chain at another point.
    pub(crate) fn start_at(&mut self, start: &Point) {
        if self.at != *start {
            self.at = *start;
            self.side = self.rough_side(start);
        }
    }

    fn rough_side(&self, point: &Point) -> Option<Ordering> {
        rough_sign(self.normal.dot(&point.0))
    }

    /// Returns how the edge meets the next one of the chain, which ends at `to`.
    pub(crate) fn crossing(&mut self, to: &Point) -> Crossing {
        self.step(to).1
    }

    /// Returns true if the edge crosses the next edge of the chain, which ends at `to`.
    ///
    /// Edges with a common end may count as crossing there.
    pub(crate) fn crosses_or_counts(&mut self, to: &Point) -> bool {
        match self.step(to) {
            (_, Crossing::Cross) => true,
            (_, Crossing::Apart) => false,
            (from, Crossing::SharedEnd) => counts_as_crossing(&self.a, &self.b, &from, to),
        }
    }

    /// Returns the previous point of the chain, and how the edge from there meets ours.
    fn step(&mut self, to: &Point) -> (Point, Crossing) {
        let (from, earlier, side) = (self.at, self.side, self.rough_side(to));
        self.at = *to;
        self.side = side;
        let is_clearly_apart = side.is_some() && side == earlier;
        let crossing =
            if is_clearly_apart { Crossing::Apart } else { self.exact_crossing(&from, earlier, to, side) };
        (from, crossing)
    }

    fn exact_crossing(
        &self,
        c: &Point,
        c_side: Option<Ordering>,
        d: &Point,
        d_side: Option<Ordering>,
    ) -> Crossing {
        let (a, b) = (&self.a, &self.b);
        if a == c || a == d || b == c || b == d {
            return Crossing::SharedEnd;
        }
        if a == b || c == d {
            return Crossing::Apart;
        }
        let side = c_side.unwrap_or_else(|| exact_sign(a, b, c));
        let are_opposite = d_side.unwrap_or_else(|| exact_sign(a, b, d)) == side.reverse();
        // In counter-clockwise order, all four corners of a crossing have the same orientation.
        if are_opposite && sign(c, d, b) == side && sign(c, d, a) == side.reverse() {
            Crossing::Cross
        } else {
            Crossing::Apart
        }
    }
}

/// Returns true if two edges `ab` and `cd` with a common end count as crossing.
///
/// A chain through a point has an odd number of such edges if and only if it separates the other
/// edge's end from a direction that belongs to the point.
fn counts_as_crossing(a: &Point, b: &Point, c: &Point, d: &Point) -> bool {
    if a == b || c == d {
        return false;
    }
    if a == c {
        b == d || ordered_ccw(&a.ortho(), d, b, a)
    } else if b == d {
        ordered_ccw(&b.ortho(), c, a, b)
    } else if a == d {
        b == c || ordered_ccw(&a.ortho(), c, b, a)
    } else {
        b == c && ordered_ccw(&b.ortho(), d, a, b)
    }
}

/// Returns true if the edges from `center` to `a`, `b` and `c` come in this order
/// counter-clockwise.
///
/// The result is true if `b` is `a` or `c`, and otherwise false if `a` is `c`.
pub(crate) fn ordered_ccw(a: &Point, b: &Point, c: &Point, center: &Point) -> bool {
    let steps = [sign(b, center, a).is_ge(), sign(c, center, b).is_ge(), sign(a, center, c).is_gt()];
    steps.into_iter().filter(|is_ahead| *is_ahead).count() >= 2
}

/// Returns true if the vertex `b` is inside the region to the left of the edges `ab` and `bc`.
///
/// It is inside if the direction that belongs to it is.
pub(crate) fn angle_contains_vertex(a: &Point, b: &Point, c: &Point) -> bool {
    !ordered_ccw(&b.ortho(), c, a, b)
}
