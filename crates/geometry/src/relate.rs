//! Relations of shapes: containment, intersection, equality.

use std::collections::HashSet;

use s2::edgeutil::distance_from_segment;
use s2::point::Point;

use crate::crossing::{Crossing, crossing};
use crate::edges::{Edge, Steps, any_pair};
use crate::region::Region;
use crate::shape::{Kind, Shape};
use crate::validity::bits;
use crate::{Interrupt, Result};

/// The distance, in radians, up to which a point lies on a line: the reach of rounding errors.
const ON_LINE_RADIANS: f64 = 1e-14;

/// Returns true if every point of `inner` is in `outer`: a region, or points. False for a line.
pub fn contains(outer: &Shape, inner: &Shape, interrupt: Interrupt<'_>) -> Result<bool> {
    if let (Some(outer), Some(inner)) = (outer.points(), inner.points()) {
        let known: HashSet<_> = outer.iter().map(bits).collect();
        return Ok(inner.iter().all(|point| known.contains(&bits(point))));
    }
    let Some(region) = outer.as_region() else { return Ok(false) };
    if let Some(points) = inner.points() {
        return all_within(region, &points, interrupt);
    }
    let outer_edges = outer.edges();
    let inner_edges = inner.edges();
    let meeting = meeting(&outer_edges, &inner_edges, interrupt)?;
    if meeting.cross {
        return Ok(false);
    }
    let samples = Samples::of(&outer_edges, &inner_edges, &meeting, inner);
    if samples.has_opposite || samples.any(region, false, interrupt)? {
        return Ok(false);
    }
    let Some(inner_region) = inner.as_region() else { return Ok(true) };
    // A ring of the outer region within the inner one has points of the inner region on its
    // outside.
    let back = Samples::of(&inner_edges, &outer_edges, &meeting, outer);
    Ok(!back.any(inner_region, true, interrupt)?)
}

/// Returns true if the shapes have a point in common.
pub fn intersects(a: &Shape, b: &Shape, interrupt: Interrupt<'_>) -> Result<bool> {
    match (a.points(), b.points()) {
        (Some(a), Some(b)) => {
            let known: HashSet<_> = a.iter().map(bits).collect();
            Ok(b.iter().any(|point| known.contains(&bits(point))))
        }
        (Some(points), None) => meets_points(b, &points, interrupt),
        (None, Some(points)) => meets_points(a, &points, interrupt),
        (None, None) => meet(a, b, interrupt),
    }
}

fn meets_points(shape: &Shape, points: &[Point], interrupt: Interrupt<'_>) -> Result<bool> {
    if let Some(region) = shape.as_region() {
        return any_within(region, points, interrupt);
    }
    let mut steps = Steps::new(interrupt);
    for (from, to) in shape.edges() {
        steps.take(points.len())?;
        let is_on = |point: &Point| distance_from_segment(point, &from, &to).rad() <= ON_LINE_RADIANS;
        if points.iter().any(|point| *point == from || *point == to || is_on(point)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns true if two lines or regions have a point in common.
fn meet(a: &Shape, b: &Shape, interrupt: Interrupt<'_>) -> Result<bool> {
    let (a_edges, b_edges) = (a.edges(), b.edges());
    let meeting = meeting(&a_edges, &b_edges, interrupt)?;
    let are_lines = a.as_region().is_none() && b.as_region().is_none();
    if meeting.cross || are_lines {
        return Ok(meeting.cross || meeting.touch);
    }
    let has_line = a.as_region().is_none() || b.as_region().is_none();
    if has_line && meeting.touch {
        return Ok(true);
    }
    if let Some(region) = a.as_region() {
        let samples = Samples::of(&a_edges, &b_edges, &meeting, b);
        if samples.has_same || samples.any(region, true, interrupt)? {
            return Ok(true);
        }
    }
    match b.as_region() {
        Some(region) => {
            let samples = Samples::of(&b_edges, &a_edges, &meeting, a);
            Ok(samples.has_same || samples.any(region, true, interrupt)?)
        }
        None => Ok(false),
    }
}

/// Returns true if the shapes are of one kind and have the same points, lines and rings.
///
/// The start of a ring and the order of parts make no difference.
pub fn equals(a: &Shape, b: &Shape) -> bool {
    let sorted = |points: &[Point]| {
        let mut all: Vec<_> = points.iter().map(bits).collect();
        all.sort_unstable();
        all
    };
    let sorted_edges = |region: &Region| {
        let mut all: Vec<_> = region.edges().map(|(from, to)| (bits(&from), bits(&to))).collect();
        all.sort_unstable();
        all
    };
    match (&a.kind, &b.kind) {
        (Kind::Point(a), Kind::Point(b)) => a.point() == b.point(),
        (Kind::MultiPoint(a), Kind::MultiPoint(b)) => sorted(a) == sorted(b),
        (Kind::Lines { lines: a, is_multi: x }, Kind::Lines { lines: b, is_multi: y }) => a == b && x == y,
        (Kind::Region(a), Kind::Region(b)) => a.is_multi == b.is_multi && sorted_edges(a) == sorted_edges(b),
        _ => false,
    }
}

/// The way in which the edges of two shapes meet.
struct Meeting {
    cross: bool,
    /// True if they have a vertex in common.
    touch: bool,
}

fn meeting(a: &[(Point, Point)], b: &[(Point, Point)], interrupt: Interrupt<'_>) -> Result<Meeting> {
    let sided = |edges: &[(Point, Point)], side| {
        let edges: Vec<Edge> = edges.iter().map(|(from, to)| Edge { from: *from, to: *to, side }).collect();
        edges
    };
    let mut all = sided(a, 0);
    all.extend(sided(b, 1));
    let mut touch = false;
    let cross = any_pair(all, interrupt, |a, b| {
        if a.side == b.side {
            return false;
        }
        match crossing(&a.from, &a.to, &b.from, &b.to) {
            Crossing::Cross => true,
            Crossing::SharedEnd => {
                touch = true;
                false
            }
            Crossing::Apart => false,
        }
    })?;
    Ok(Meeting { cross, touch })
}

/// Samples that tell on which side of a region's border the edges lie that do not cross it.
struct Samples {
    points: Vec<Point>,
    edges: Vec<(Point, Point)>,
    /// True if an edge equals one of the border's, in the same direction.
    has_same: bool,
    /// True if an edge equals one of the border's, in the opposite direction.
    has_opposite: bool,
}

impl Samples {
    /// Takes samples of the edges of `shape` against those of a border.
    fn of(border: &[(Point, Point)], edges: &[(Point, Point)], meeting: &Meeting, shape: &Shape) -> Self {
        let mut samples =
            Self { points: Vec::new(), edges: Vec::new(), has_same: false, has_opposite: false };
        if !meeting.touch {
            samples.points = one_of_each_part(shape);
            return samples;
        }
        let is_region = shape.as_region().is_some();
        let known: HashSet<_> = border.iter().map(|(from, to)| (bits(from), bits(to))).collect();
        for (from, to) in edges {
            let (start, end) = (bits(from), bits(to));
            if known.contains(&(start, end)) {
                samples.has_same = true;
            } else if known.contains(&(end, start)) {
                // A line along the border has no direction that matters.
                samples.has_opposite |= is_region;
                samples.has_same |= !is_region;
            } else {
                samples.edges.push((*from, *to));
            }
        }
        samples
    }

    /// Returns true if a sample is within the border's region, or, for `within` false, if one is
    /// outside.
    fn any(&self, region: &Region, within: bool, interrupt: Interrupt<'_>) -> Result<bool> {
        let contains_edge = |(from, to): &(Point, Point)| region.contains_edge(from, to);
        Ok(search(region, &self.points, within, interrupt)?
            || search_by(region, &self.edges, contains_edge, within, interrupt)?)
    }
}

/// Returns a vertex of each line or ring.
fn one_of_each_part(shape: &Shape) -> Vec<Point> {
    match &shape.kind {
        Kind::Point(_) | Kind::MultiPoint(_) => shape.points().unwrap_or_default(),
        Kind::Lines { lines, .. } => lines.iter().filter_map(|line| line.first().copied()).collect(),
        Kind::Region(region) => {
            region.rings().iter().filter_map(|part| part.ring.vertices().first().copied()).collect()
        }
    }
}

fn all_within(region: &Region, points: &[Point], interrupt: Interrupt<'_>) -> Result<bool> {
    Ok(!search(region, points, false, interrupt)?)
}

fn any_within(region: &Region, points: &[Point], interrupt: Interrupt<'_>) -> Result<bool> {
    search(region, points, true, interrupt)
}

/// Returns true if a point is within the region, or, for `within` false, if one is outside.
fn search(region: &Region, points: &[Point], within: bool, interrupt: Interrupt<'_>) -> Result<bool> {
    search_by(region, points, |point| region.contains_point(point), within, interrupt)
}

fn search_by<T>(
    region: &Region,
    items: &[T],
    contains: impl Fn(&T) -> bool,
    within: bool,
    interrupt: Interrupt<'_>,
) -> Result<bool> {
    let mut steps = Steps::new(interrupt);
    let cost: usize = region.rings().iter().map(|part| part.ring.vertices().len()).sum();
    for item in items {
        steps.take(cost)?;
        if contains(item) == within {
            return Ok(true);
        }
    }
    Ok(false)
}
