//! The shapes of GeoJSON.

use s2::point::Point;

use crate::position::Position;
use crate::region::Region;

/// One shape on the sphere.
#[derive(Clone, Debug)]
pub struct Shape {
    pub(crate) kind: Kind,
}

/// The kinds of shapes. None is empty.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Point(Position),
    MultiPoint(Vec<Point>),
    /// Lines of at least two points each.
    Lines {
        lines: Vec<Vec<Point>>,
        is_multi: bool,
    },
    Region(Region),
}

impl Shape {
    /// Creates a shape of a single place.
    pub fn point(place: Position) -> Self {
        Self { kind: Kind::Point(place) }
    }

    /// Returns the place if the shape is a single one.
    pub fn as_point(&self) -> Option<Position> {
        match self.kind {
            Kind::Point(place) => Some(place),
            _ => None,
        }
    }

    /// Returns the area if the shape is a Polygon or a MultiPolygon.
    pub fn as_region(&self) -> Option<&Region> {
        match &self.kind {
            Kind::Region(region) => Some(region),
            _ => None,
        }
    }

    /// Returns the points if the shape consists of single points.
    pub(crate) fn points(&self) -> Option<Vec<Point>> {
        match &self.kind {
            Kind::Point(place) => Some(vec![place.point()]),
            Kind::MultiPoint(points) => Some(points.clone()),
            _ => None,
        }
    }

    /// Returns all edges; those of a region have it to their left.
    pub(crate) fn edges(&self) -> Vec<(Point, Point)> {
        match &self.kind {
            Kind::Point(_) | Kind::MultiPoint(_) => Vec::new(),
            Kind::Lines { lines, .. } => lines.iter().flat_map(|line| line_edges(line)).collect(),
            Kind::Region(region) => region.edges().collect(),
        }
    }
}

/// Returns the edges of an open line.
pub(crate) fn line_edges(line: &[Point]) -> impl Iterator<Item = (Point, Point)> {
    line.iter().copied().zip(line.iter().copied().skip(1))
}
