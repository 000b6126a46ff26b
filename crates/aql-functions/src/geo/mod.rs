//! Geographical functions: GeoJSON and its constructors, distances, relations.
//!
//! The crate `geometry` computes on the sphere.

mod area;
mod constructors;
mod distance;
mod polygon;
mod polygons;
mod relations;
mod shape;

use aql_value::Function;

use crate::define::pure;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("DISTANCE", 4, 4, distance::distance),
    pure("GEO_AREA", 1, 2, area::geo_area),
    pure("GEO_CONTAINS", 2, 2, relations::geo_contains),
    pure("GEO_DISTANCE", 2, 3, distance::geo_distance),
    pure("GEO_EQUALS", 2, 2, relations::geo_equals),
    pure("GEO_INTERSECTS", 2, 2, relations::geo_intersects),
    pure("GEO_IN_RANGE", 4, 7, distance::geo_in_range),
    pure("GEO_LINESTRING", 1, 1, constructors::geo_linestring),
    pure("GEO_MULTILINESTRING", 1, 1, constructors::geo_multilinestring),
    pure("GEO_MULTIPOINT", 1, 1, constructors::geo_multipoint),
    pure("GEO_MULTIPOLYGON", 1, 1, polygons::geo_multipolygon),
    pure("GEO_POINT", 2, 3, constructors::geo_point),
    pure("GEO_POLYGON", 1, 1, polygons::geo_polygon),
    pure("IS_IN_POLYGON", 2, 3, polygon::is_in_polygon),
];
