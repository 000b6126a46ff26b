//! A place on the earth.

use s2::latlng::LatLng;
use s2::point::Point;
use s2::r3::vector::Vector;

/// A place in degrees: longitude within -180 and 180, latitude within -90 and 90.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// Degrees east.
    pub longitude: f64,
    /// Degrees north.
    pub latitude: f64,
}

impl Position {
    /// Creates a place without any check.
    pub const fn new(longitude: f64, latitude: f64) -> Self {
        Self { longitude, latitude }
    }

    /// Returns true if both coordinates are within their bounds.
    pub fn is_in_range(self) -> bool {
        self.longitude.abs() <= 180.0 && self.latitude.abs() <= 90.0
    }

    /// Returns the place that finite coordinates out of bounds mean.
    ///
    /// The latitude is cut off at the poles; the longitude wraps around.
    #[must_use]
    pub fn wrapped(self) -> Self {
        let around = (self.longitude + 180.0).rem_euclid(360.0) - 180.0;
        let longitude = if self.longitude.abs() <= 180.0 { self.longitude } else { around };
        Self { longitude, latitude: self.latitude.clamp(-90.0, 90.0) }
    }

    /// Returns the place on the unit sphere.
    ///
    /// Each place is one point, even if it has several coordinates: at the poles and on the
    /// antimeridian.
    pub(crate) fn point(self) -> Point {
        if self.latitude.abs() == 90.0 {
            return Point::from_coords(0.0, 0.0, self.latitude.signum());
        }
        let longitude = if self.longitude == -180.0 { 180.0 } else { self.longitude };
        let point = Point::from(LatLng::from_degrees(self.latitude, longitude)).0;
        // Exact arithmetic must not come near the smallest numbers. These are far below the size of
        // an atom.
        let settled = |coordinate: f64| if coordinate.abs() < 1e-60 { 0.0 } else { coordinate };
        Point(Vector::new(settled(point.x), settled(point.y), settled(point.z)))
    }

    /// Returns the place of a point of the unit sphere.
    pub(crate) fn of(point: &Point) -> Self {
        let place = LatLng::from(point);
        Self { longitude: place.lng.deg(), latitude: place.lat.deg() }
    }
}

/// Returns the angle between two points of the unit sphere, in radians.
///
/// It is precise for small and for large angles.
pub(crate) fn angle(a: &Point, b: &Point) -> f64 {
    a.0.cross(&b.0).norm().atan2(a.0.dot(&b.0))
}

/// Returns the middle of a short edge.
pub(crate) fn middle(a: &Point, b: &Point) -> Point {
    Point((a.0 + b.0).normalize())
}
