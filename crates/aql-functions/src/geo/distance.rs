//! Distances: `DISTANCE()`, `GEO_DISTANCE()`, `GEO_IN_RANGE()`.

use aql_value::{EvaluationContext, Value};
use errors::{ErrorCode, Result};
use geometry::{Ellipsoid, Position};

use super::shape::shape;
use crate::argument::{Outcome, answer, given, invalid, stop, value, warned};

/// `DISTANCE(latitude1, longitude1, latitude2, longitude2)`: meters on a sphere.
pub(crate) fn distance(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let degrees = |index: usize| value(arguments, index).as_f64();
    let (Some(latitude1), Some(longitude1), Some(latitude2), Some(longitude2)) =
        (degrees(0), degrees(1), degrees(2), degrees(3))
    else {
        return invalid(context, "DISTANCE");
    };
    let (from, to) = (Position::new(longitude1, latitude1), Position::new(longitude2, latitude2));
    if !from.is_in_range() || !to.is_in_range() {
        return warned(context, "DISTANCE", ErrorCode::QueryInvalidGeoValue, "invalid geo coordinate value");
    }
    Ok(Value::from_f64(Ellipsoid::Sphere.distance_meters(from, to)))
}

/// `GEO_DISTANCE(geoJsonA, geoJsonB, ellipsoid)`: meters between the centroids.
pub(crate) fn geo_distance(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(distance_of_shapes(arguments, "GEO_DISTANCE", 2, context).map(Value::from_f64))
}

/// `GEO_IN_RANGE(geoJsonA, geoJsonB, low, high, includeLow, includeHigh, ellipsoid)`: true if the
/// distance of the centroids lies between two bounds.
pub(crate) fn geo_in_range(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    const NAME: &str = "GEO_IN_RANGE";
    let bounds = value(arguments, 2).as_f64().zip(value(arguments, 3).as_f64());
    let includes = |index| given(arguments, index).map_or(Some(true), Value::as_bool);
    let (Some((low, high)), Some(include_low), Some(include_high)) = (bounds, includes(4), includes(5))
    else {
        return invalid(context, NAME);
    };
    answer(distance_of_shapes(arguments, NAME, 6, context).map(|meters| {
        let is_above = if include_low { low <= meters } else { low < meters };
        let is_below = if include_high { meters <= high } else { meters < high };
        Value::Bool(is_above && is_below)
    }))
}

/// Returns the distance of the first two arguments.
///
/// The argument at `ellipsoid_index` names the ellipsoid.
fn distance_of_shapes(
    arguments: &[Value],
    name: &str,
    ellipsoid_index: usize,
    context: &mut EvaluationContext<'_>,
) -> Outcome<f64> {
    let first = shape(arguments, 0, name, context)?;
    let second = shape(arguments, 1, name, context)?;
    let ellipsoid = ellipsoid(arguments, ellipsoid_index, name, context)?;
    Ok(ellipsoid.distance_meters(first.centroid(), second.centroid()))
}

/// Returns the ellipsoid that an argument names; the sphere if it was not given.
pub(super) fn ellipsoid(
    arguments: &[Value],
    index: usize,
    name: &str,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Ellipsoid> {
    let Some(argument) = given(arguments, index) else { return Ok(Ellipsoid::Sphere) };
    match argument.as_str().and_then(Ellipsoid::from_name) {
        Some(ellipsoid) => Ok(ellipsoid),
        None => stop(invalid(context, name)),
    }
}
