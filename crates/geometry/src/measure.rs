//! Distances, areas and centroids.

use std::sync::LazyLock;

use geographiclib_rs::{Geodesic, InverseGeodesic, PolygonArea, Winding};
use s2::point::Point;
use s2::r3::vector::Vector;

use crate::position::{Position, angle};
use crate::region::Region;
use crate::ring::Ring;
use crate::shape::{Kind, Shape, line_edges};

/// Mean radius of the earth, as ArangoDB documents it.
pub const EARTH_RADIUS_METERS: f64 = 6_371_000.0;

/// The body whose surface is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ellipsoid {
    /// A sphere of [`EARTH_RADIUS_METERS`].
    Sphere,
    /// The ellipsoid of the World Geodetic System 1984, which satellite navigation uses.
    Wgs84,
}

/// The ellipsoid with its precomputed series.
static WGS84: LazyLock<Geodesic> = LazyLock::new(Geodesic::wgs84);

impl Ellipsoid {
    /// Returns the ellipsoid with this name in AQL.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "sphere" => Some(Self::Sphere),
            "wgs84" => Some(Self::Wgs84),
            _ => None,
        }
    }

    /// Returns the meters from one place to the other on the shortest way.
    pub fn distance_meters(self, from: Position, to: Position) -> f64 {
        match self {
            Self::Sphere => angle(&from.point(), &to.point()) * EARTH_RADIUS_METERS,
            Self::Wgs84 => WGS84.inverse(from.latitude, from.longitude, to.latitude, to.longitude),
        }
    }

    /// Returns the square meters of a region; 0 for other shapes.
    pub fn area_square_meters(self, shape: &Shape) -> f64 {
        let Some(region) = shape.as_region() else { return 0.0 };
        let parts = region.rings().iter();
        let signed = parts.map(|part| {
            let area = match self {
                Self::Sphere => part.ring.area() * EARTH_RADIUS_METERS * EARTH_RADIUS_METERS,
                Self::Wgs84 => ellipsoid_area(&part.ring),
            };
            if part.is_hole { -area } else { area }
        });
        signed.sum()
    }
}

fn ellipsoid_area(ring: &Ring) -> f64 {
    let mut polygon = PolygonArea::new(&WGS84, Winding::CounterClockwise);
    for vertex in ring.vertices() {
        let place = Position::of(vertex);
        polygon.add_point(place.latitude, place.longitude);
    }
    // Unsigned: the area to the left of the ring.
    polygon.compute(false).1
}

impl Shape {
    /// Returns the centroid of a shape.
    ///
    /// That of points is their mean; lines and areas are weighted by size.
    pub fn centroid(&self) -> Position {
        let (sum, vertices) = match &self.kind {
            Kind::Point(place) => return *place,
            Kind::MultiPoint(points) => (mean(points.iter()), points.first()),
            Kind::Lines { lines, .. } => {
                let edges = lines.iter().flat_map(|line| line_edges(line));
                let sum = edges.fold(zero(), |sum, (from, to)| sum + edge_centroid(&from, &to));
                (sum, lines.first().and_then(|line| line.first()))
            }
            Kind::Region(region) => return Position::of(&region_centroid(region)),
        };
        let fallback = vertices.copied().unwrap_or_else(Point::origin);
        Position::of(&normalized_or(sum, &fallback))
    }
}

fn region_centroid(region: &Region) -> Point {
    let sum = region.rings().iter().fold(zero(), |sum, part| {
        let own = part.ring.centroid();
        if part.is_hole { sum - own } else { sum + own }
    });
    let vertices = || region.rings().iter().take(1).flat_map(|part| part.ring.vertices());
    // For an area without extent.
    let fallback = normalized_or(mean(vertices()), vertices().next().unwrap_or(&Point::origin()));
    normalized_or(sum, &fallback)
}

fn zero() -> Vector {
    Vector::new(0.0, 0.0, 0.0)
}

fn mean<'a>(points: impl Iterator<Item = &'a Point>) -> Vector {
    points.fold(zero(), |sum, point| sum + point.0)
}

/// Returns the integral of the position over the edge.
fn edge_centroid(from: &Point, to: &Point) -> Vector {
    let sum = from.0 + to.0;
    let length = sum.norm();
    if length == 0.0 { zero() } else { sum * ((from.0 - to.0).norm() / length) }
}

fn normalized_or(vector: Vector, fallback: &Point) -> Point {
    if vector.norm() < 1e-30 { *fallback } else { Point(vector.normalize()) }
}
