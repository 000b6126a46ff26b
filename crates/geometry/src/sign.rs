//! The side of a great circle on which a point lies, decided for any three different points.
//!
//! Three points on one great circle have a side too, as if each of them were moved by its own
//! amount, smaller than any number ("simulation of simplicity", Edelsbrunner and Mücke 1990). So no
//! predicate has special cases: a point on the common border of regions is in exactly one of them.
//! The order of the moves is the one that S2 documents, so that results agree with S2.

use std::cmp::Ordering;
use std::cmp::Ordering::Equal;

use robust::{Coord, Coord3D, orient2d, orient3d};
use s2::point::Point;

/// Upper bound of the rounding error of the determinant of three unit vectors.
///
/// Each of its six products takes part in at most five roundings (half an epsilon each), and their
/// sizes add up to less than 1.16.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Returns `Greater` if the points run counter-clockwise, `Less` if clockwise, `Equal` if two are
/// the same.
///
/// Rotating the points makes no difference, and exchanging two of them reverses the result.
pub(crate) fn sign(a: &Point, b: &Point, c: &Point) -> Ordering {
    rough_sign(a.0.cross(&b.0).dot(&c.0)).unwrap_or_else(|| exact_sign(a, b, c))
}

/// Returns the sign of a determinant of unit vectors, unless rounding may have decided it.
pub(crate) fn rough_sign(determinant: f64) -> Option<Ordering> {
    (determinant.abs() > ROUNDING).then(|| of(determinant))
}

/// Computes [`sign`] without a short cut.
pub(crate) fn exact_sign(a: &Point, b: &Point, c: &Point) -> Ordering {
    if a == b || b == c || c == a {
        return Equal;
    }
    determinant(a, b, c).then_with(|| perturbed_sign(a, b, c))
}

fn determinant(a: &Point, b: &Point, c: &Point) -> Ordering {
    let corner = |point: &Point| Coord3D { x: point.0.x, y: point.0.y, z: point.0.z };
    of(orient3d(corner(a), corner(b), corner(c), Coord3D { x: 0.0, y: 0.0, z: 0.0 }))
}

/// Returns the sign of three different points whose determinant is zero.
fn perturbed_sign(a: &Point, b: &Point, c: &Point) -> Ordering {
    // The choice of the points that are moved most must not depend on the order of the arguments.
    let mut sorted = [a, b, c];
    let mut is_reversed = false;
    for (left, right) in [(0, 1), (1, 2), (0, 1)] {
        if is_before(sorted[right], sorted[left]) {
            sorted.swap(left, right);
            is_reversed = !is_reversed;
        }
    }
    let sign = sign_of_moved(sorted);
    if is_reversed { sign.reverse() } else { sign }
}

/// Orders points by x, then y, then z.
fn is_before(a: &Point, b: &Point) -> bool {
    [a.0.x, a.0.y, a.0.z] < [b.0.x, b.0.y, b.0.z]
}

/// Returns the sign of the determinant after infinitesimal moves of the points.
///
/// The first point moves by (δ⁴, δ², δ) and the second by the eighth powers of these. As a
/// polynomial in the infinitesimal δ, the determinant has the sign of its first coefficient that is
/// not zero, from the lowest power on. Moves of the third point would come last, but are never
/// needed.
fn sign_of_moved([a, b, c]: [&Point; 3]) -> Ordering {
    let (a, b, c) = (a.0, b.0, c.0);
    // The first point alone, from z to x.
    minor(b.x, b.y, c.x, c.y)
        .then_with(|| minor(b.z, b.x, c.z, c.x))
        .then_with(|| minor(b.y, b.z, c.y, c.z))
        // The second point along z: alone, then with the first along y and x.
        .then_with(|| minor(c.x, c.y, a.x, a.y))
        .then_with(|| of(c.x))
        .then_with(|| of(-c.y))
        // The second point along y: alone, then with the first along x.
        .then_with(|| minor(c.z, c.x, a.z, a.x))
        .then_with(|| of(c.z))
}

/// Returns the sign of `a * d - b * c`.
fn minor(a: f64, b: f64, c: f64, d: f64) -> Ordering {
    of(orient2d(Coord { x: a, y: b }, Coord { x: c, y: d }, Coord { x: 0.0, y: 0.0 }))
}

fn of(number: f64) -> Ordering {
    number.partial_cmp(&0.0).unwrap_or(Equal)
}
