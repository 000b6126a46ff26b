//! Points, lines and polygons on the sphere.
//!
//! [`parse`] reads GeoJSON's syntax, but edges are geodesics: the shorter piece of the great circle
//! through their ends. The inside of a polygon lies to the left of its first ring, as in ArangoDB
//! since 3.10. So neither the poles nor the antimeridian are special.
//!
//! Cells are those of the library `s2`. It lacks polygons and lines, so this crate has them. It
//! also has the predicates that they rest on (`sign`, `crossing`), because those of the library
//! leave three points on one great circle undecided.

mod error;
mod position;
mod sign;
mod crossing;
mod edges;
mod ring;
mod validity;
mod region;
mod shape;
mod geojson;
mod measure;
mod relate;
mod search;
#[cfg(test)]
mod predicate_tests;
#[cfg(test)]
mod tests;

pub use error::{Error, Result};
pub use geojson::{Rules, parse, parse_lat_lng, parse_lng_lat};
pub use measure::{EARTH_RADIUS_METERS, Ellipsoid};
pub use position::Position;
pub use region::{Polygons, Region};
pub use relate::{contains, equals, intersects};
pub use search::{
    CellRange, Covering, Rings, SearchRing, cell_token, covering_of, covering_with, ranges_meeting,
    ranges_near,
};
pub use shape::Shape;

/// A check that runs periodically in long computations: true ends them by [`Error::Interrupted`].
pub type Interrupt<'a> = &'a dyn Fn() -> bool;

/// Maximum number of positions of one shape. The computation for a shape grows faster than their
/// number.
pub const POSITIONS_MAX: usize = 1 << 20;
