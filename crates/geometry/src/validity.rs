//! The requirements on rings of polygons.

use s2::point::Point;

use crate::crossing::{Crossing, crossing, ordered_ccw};
use crate::edges::{Edge, Steps, any_pair};
use crate::ring::Ring;
use crate::{Error, Interrupt, Result};

/// Returns the vertices of a closed ring without repetitions of neighbours.
///
/// The last vertex, which repeats the first, is omitted. Errors: a ring that is not closed or has
/// fewer than three different vertices; vertices that occur twice; antipodal neighbours.
pub(crate) fn ring_vertices(mut points: Vec<Point>) -> Result<Vec<Point>> {
    if points.len() < 4 {
        return Err(Error::Polygon("a ring needs at least four coordinates"));
    }
    if points.first() != points.last() {
        return Err(Error::Polygon("a ring must end where it starts"));
    }
    points.dedup();
    points.pop();
    if points.len() < 3 {
        return Err(Error::Polygon("a ring needs at least three different coordinates"));
    }
    let followers = points.iter().cycle().skip(1);
    if points.iter().zip(followers).any(|(from, to)| (from.0 + to.0).norm() < 1e-15) {
        return Err(Error::Polygon("an edge between antipodal points"));
    }
    let mut sorted: Vec<[u64; 3]> = points.iter().map(bits).collect();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
        return Err(Error::Polygon("a ring touches itself"));
    }
    Ok(points)
}

/// Returns bits that are equal for equal points only.
pub(crate) fn bits(point: &Point) -> [u64; 3] {
    // Zeros of both signs are one place.
    [point.0.x, point.0.y, point.0.z].map(|coordinate| (coordinate + 0.0).to_bits())
}

/// Checks the rings of polygons.
///
/// Errors: edges that cross or are shared, rings that cross at a vertex, holes outside their
/// polygon.
pub(crate) fn check(polygons: &[Vec<Ring>], interrupt: Interrupt<'_>) -> Result<()> {
    let rings = polygons.iter().flatten();
    let edges: Vec<Edge> = rings
        .flat_map(|ring| ring.edges().map(|(from, to)| Edge { from: *from, to: *to, side: 0 }))
        .collect();
    let meet = any_pair(edges, interrupt, |a, b| is_shared(a, b) || crosses(a, b))?;
    if meet {
        return Err(Error::Polygon("edges cross or are the same"));
    }
    if any_cross_at_vertex(polygons, interrupt)? {
        return Err(Error::Polygon("rings cross at a vertex"));
    }
    let mut steps = Steps::new(interrupt);
    for polygon in polygons {
        let Some((outer, holes)) = polygon.split_first() else { continue };
        for hole in holes {
            steps.take(outer.vertices().len())?;
            if !outer.contains(&hole.point_on_edge()) {
                return Err(Error::Polygon("a hole lies outside of its polygon"));
            }
        }
    }
    Ok(())
}

/// A vertex of a ring, with the vertices before and after it.
type Corner<'a> = [&'a Point; 3];

/// Returns true if rings without common edges cross at a common vertex.
fn any_cross_at_vertex(polygons: &[Vec<Ring>], interrupt: Interrupt<'_>) -> Result<bool> {
    if polygons.iter().flatten().nth(1).is_none() {
        return Ok(false);
    }
    let mut corners: Vec<([u64; 3], Corner<'_>)> = Vec::new();
    for ring in polygons.iter().flatten() {
        let afterwards = ring.edges().skip(1).chain(ring.edges().take(1));
        let pairs = ring.edges().zip(afterwards);
        corners.extend(pairs.map(|((before, vertex), (_, after))| (bits(vertex), [before, vertex, after])));
    }
    corners.sort_unstable_by_key(|(place, _)| *place);
    let mut steps = Steps::new(interrupt);
    for shared in corners.chunk_by(|(place, _), (next, _)| place == next) {
        for (number, (_, corner)) in shared.iter().enumerate() {
            steps.take(number + 1)?;
            if shared.iter().take(number).any(|(_, earlier)| are_crossing(corner, earlier)) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns true if the other corner's edges lie on different sides of the corner.
fn are_crossing([before, vertex, after]: &Corner<'_>, [from, _, to]: &Corner<'_>) -> bool {
    ordered_ccw(before, from, after, vertex) != ordered_ccw(before, to, after, vertex)
}

fn is_shared(a: &Edge, b: &Edge) -> bool {
    (a.from == b.from && a.to == b.to) || (a.from == b.to && a.to == b.from)
}

/// Returns true if the edges cross at a place inside both.
pub(crate) fn crosses(a: &Edge, b: &Edge) -> bool {
    crossing(&a.from, &a.to, &b.from, &b.to) == Crossing::Cross
}
