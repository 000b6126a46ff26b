//! Points, lines and polygons on the sphere.
//!
//! GeoJSON's syntax is read ([`parse`]), but edges are geodesics, the shorter piece of the great circle through their
//! ends, and the inside of a polygon is what lies to the left of its first ring, as ArangoDB has it since 3.10. So
//! neither the poles nor the antimeridian are special.
//!
//! Cells are those of the library `s2`; polygons and lines, which it lacks, are here, and so are the predicates that they
//! rest on (`sign`, `crossing`): those of the library leave three points on one great circle undecided.

mod crossing;
mod edges;
mod error;
mod geojson;
mod measure;
mod position;
#[cfg(test)]
mod predicate_tests;
mod region;
mod relate;
mod ring;
mod search;
mod shape;
mod sign;
#[cfg(test)]
mod tests;
mod validity;

pub use error::{Error, Result};
pub use geojson::{Rules, parse, parse_lat_lng, parse_lng_lat};
pub use measure::{EARTH_RADIUS_METERS, Ellipsoid};
pub use position::Position;
pub use region::{Polygons, Region};
pub use relate::{contains, equals, intersects};
pub use search::{CellRange, Rings, SearchRing, covering_of, ranges_meeting};
pub use shape::Shape;

/// Asked now and then during long computations: true to end them by [`Error::Interrupted`].
pub type Interrupt<'a> = &'a dyn Fn() -> bool;

/// Most positions of one shape: what is computed for it grows faster than that number.
pub const POSITIONS_MAX: usize = 1 << 20;
