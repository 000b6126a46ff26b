//! Geographical functions that need no geometry: constructors of GeoJSON and the distance of two points.

mod constructors;
mod distance;

use crate::define::pure;
use aql_value::Function;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("DISTANCE", 4, 4, distance::distance),
    pure("GEO_LINESTRING", 1, 1, constructors::geo_linestring),
    pure("GEO_MULTILINESTRING", 1, 1, constructors::geo_multilinestring),
    pure("GEO_MULTIPOINT", 1, 1, constructors::geo_multipoint),
    pure("GEO_POINT", 2, 3, constructors::geo_point),
];
