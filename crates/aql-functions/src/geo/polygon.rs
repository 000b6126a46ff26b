//! `IS_IN_POLYGON()`, deprecated in favour of `GEO_CONTAINS()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, invalid, value};

/// A point in the plane of latitude and longitude.
type Point = (f64, f64);

/// `IS_IN_POLYGON(polygon, latitude, longitude)` or `IS_IN_POLYGON(polygon, coord, useLonLat)`:
/// true if a ray from the point crosses the polygon's border an odd number of times.
pub(crate) fn is_in_polygon(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    const NAME: &str = "IS_IN_POLYGON";
    let (polygon, position) = (value(arguments, 0), value(arguments, 1));
    // The order of the coordinates makes no difference if polygon and point agree in it.
    let is_third_valid = value(arguments, 2).is_null() || value(arguments, 2).is_bool();
    let point = if position.is_array() {
        point_of(position).filter(|_| is_third_valid)
    } else {
        position.as_f64().zip(value(arguments, 2).as_f64())
    };
    let (Some((latitude, longitude)), true) = (point, polygon.is_array()) else {
        return invalid(context, NAME);
    };
    let mut corners = polygon.elements().map(|corner| point_of(&corner));
    let (Some(Some(first)), true) = (corners.next(), polygon.len() >= 3) else {
        return invalid(context, NAME);
    };
    let mut is_inside = false;
    let mut from = first;
    for (round, corner) in corners.chain([Some(first)]).enumerate() {
        check_round(context, round)?;
        let Some(to) = corner else {
            return invalid(context, NAME);
        };
        is_inside ^= is_crossed(from, to, (latitude, longitude));
        from = to;
    }
    Ok(Value::Bool(is_inside))
}

/// Returns true if the edge crosses the ray from the point towards smaller latitudes.
fn is_crossed(from: Point, to: Point, point: Point) -> bool {
    let (latitude, longitude) = point;
    if (from.1 > longitude) == (to.1 > longitude) {
        return false;
    }
    latitude > from.0 + (longitude - from.1) / (to.1 - from.1) * (to.0 - from.0)
}

fn point_of(pair: &Value) -> Option<Point> {
    if pair.len() == 2 { pair.at(0).as_f64().zip(pair.at(1).as_f64()) } else { None }
}
