//! Geographical functions that need no geometry on the sphere: constructors of GeoJSON without areas, the distance of
//! two points, and polygons in the plane.

mod constructors;
mod distance;
mod polygon;

use crate::define::pure;
use aql_value::Function;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("DISTANCE", 4, 4, distance::distance),
    pure("GEO_LINESTRING", 1, 1, constructors::geo_linestring),
    pure("GEO_MULTILINESTRING", 1, 1, constructors::geo_multilinestring),
    pure("GEO_MULTIPOINT", 1, 1, constructors::geo_multipoint),
    pure("GEO_POINT", 2, 3, constructors::geo_point),
    pure("IS_IN_POLYGON", 2, 3, polygon::is_in_polygon),
];
