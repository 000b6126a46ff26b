//! What rings of polygons must be like.

use s2::edge_crossings::{Crossing, crossing_sign};
use s2::point::Point;

use crate::edges::{Edge, Steps, any_pair};
use crate::ring::Ring;
use crate::{Error, Interrupt, Result};

/// The vertices of a closed ring without the last, which repeats the first, and without repetitions of neighbours.
///
/// Errors: a ring that is not closed or has less than three different vertices; vertices that come twice; neighbours
/// opposite on the sphere.
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
        return Err(Error::Polygon("an edge between opposite places of the sphere"));
    }
    let mut sorted: Vec<[u64; 3]> = points.iter().map(bits).collect();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
        return Err(Error::Polygon("a ring touches itself"));
    }
    Ok(points)
}

/// What is equal for equal points only.
pub(crate) fn bits(point: &Point) -> [u64; 3] {
    // Zeros of both signs are one place.
    [point.0.x, point.0.y, point.0.z].map(|coordinate| (coordinate + 0.0).to_bits())
}

/// Errors: edges that cross or are shared, holes outside of their polygon.
pub(crate) fn check(polygons: &[Vec<Ring>], interrupt: Interrupt<'_>) -> Result<()> {
    let rings = polygons.iter().flatten();
    let edges: Vec<Edge> = rings
        .flat_map(|ring| ring.edges().map(|(from, to)| Edge { from: *from, to: *to, side: 0 }))
        .collect();
    let meet = any_pair(edges, interrupt, |a, b| is_shared(a, b) || crosses(a, b))?;
    if meet {
        return Err(Error::Polygon("edges cross or are the same"));
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

fn is_shared(a: &Edge, b: &Edge) -> bool {
    (a.from == b.from && a.to == b.to) || (a.from == b.to && a.to == b.from)
}

/// Whether the edges cross at a place that is inside of both.
pub(crate) fn crosses(a: &Edge, b: &Edge) -> bool {
    crossing_sign(&a.from, &a.to, &b.from, &b.to) == Crossing::Cross
}
