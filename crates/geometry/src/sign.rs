//! On which side of a great circle a point lies, decided for each three different points.
//!
//! Three points on one great circle have a side too, as if each of them were moved by an amount of its own that is
//! smaller than any number ("simulation of simplicity", Edelsbrunner and Mücke 1990). So no predicate has special cases:
//! a point on the border that regions share is in exactly one of them. Points are moved in the order that S2 documents,
//! so that it is the same one as there.

use robust::{Coord, Coord3D, orient2d, orient3d};
use s2::point::Point;
use std::cmp::Ordering;
use std::cmp::Ordering::Equal;

/// Most that rounding adds to the determinant of three unit vectors: each of its six products takes part in at most
/// five roundings (half an epsilon each), and their sizes add up to less than 1.16.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// `Greater` if the three points run counter-clockwise, `Less` if clockwise, `Equal` only if two of them are the same.
/// Rotating the points makes no difference, and exchanging two of them reverses the answer.
pub(crate) fn sign(a: &Point, b: &Point, c: &Point) -> Ordering {
    rough_sign(a.0.cross(&b.0).dot(&c.0)).unwrap_or_else(|| exact_sign(a, b, c))
}

/// The sign of a determinant of unit vectors, unless it may be rounding.
pub(crate) fn rough_sign(determinant: f64) -> Option<Ordering> {
    (determinant.abs() > ROUNDING).then(|| of(determinant))
}

/// What [`sign`] is without a short cut.
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

/// The sign of three different points whose determinant is zero.
fn perturbed_sign(a: &Point, b: &Point, c: &Point) -> Ordering {
    // Which points are moved most must not depend on their order in the question.
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

/// By x, then y, then z.
fn is_before(a: &Point, b: &Point) -> bool {
    [a.0.x, a.0.y, a.0.z] < [b.0.x, b.0.y, b.0.z]
}

/// The sign of the determinant after moves of the first point by (δ⁴, δ², δ) and of the second by the eighth powers of
/// these. As a polynomial in δ, which is as small as can be, it has the sign of its first coefficient that is not zero,
/// from the lowest power on. Moves of the third point would come last, if it could be zero.
fn sign_of_moved([a, b, c]: [&Point; 3]) -> Ordering {
    let (a, b, c) = (a.0, b.0, c.0);
    // The first alone, from z to x.
    minor(b.x, b.y, c.x, c.y)
        .then_with(|| minor(b.z, b.x, c.z, c.x))
        .then_with(|| minor(b.y, b.z, c.y, c.z))
        // The second along z: alone, then with the first along y and x.
        .then_with(|| minor(c.x, c.y, a.x, a.y))
        .then_with(|| of(c.x))
        .then_with(|| of(-c.y))
        // The second along y: alone, then with the first along x.
        .then_with(|| minor(c.z, c.x, a.z, a.x))
        .then_with(|| of(c.z))
}

/// The sign of `a * d - b * c`.
fn minor(a: f64, b: f64, c: f64, d: f64) -> Ordering {
    of(orient2d(Coord { x: a, y: b }, Coord { x: c, y: d }, Coord { x: 0.0, y: 0.0 }))
}

fn of(number: f64) -> Ordering {
    number.partial_cmp(&0.0).unwrap_or(Equal)
}
