//! `DISTANCE()`.

use crate::argument::{invalid, value, warned};
use aql_value::{EvaluationContext, Result, Value};

/// `ERROR_QUERY_INVALID_GEO_VALUE`
const INVALID_GEO_VALUE: u32 = 1505;

/// Mean radius of the earth.
const EARTH_RADIUS_METERS: f64 = 6_371_000.0;

/// `DISTANCE(latitude1, longitude1, latitude2, longitude2)`: meters on a sphere, by the haversine formula.
pub(crate) fn distance(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let degrees = |index: usize| value(arguments, index).as_f64();
    let (Some(latitude1), Some(longitude1), Some(latitude2), Some(longitude2)) =
        (degrees(0), degrees(1), degrees(2), degrees(3))
    else {
        return invalid(context, "DISTANCE");
    };
    let are_valid = [latitude1, latitude2].iter().all(|latitude| latitude.abs() <= 90.0)
        && [longitude1, longitude2].iter().all(|longitude| longitude.abs() <= 180.0);
    if !are_valid {
        return warned(context, "DISTANCE", INVALID_GEO_VALUE, "invalid geo coordinate value");
    }
    let radians = std::f64::consts::PI / 180.0;
    let half_sine = |from: f64, to: f64| ((to - from) * radians / 2.0).sin();
    let (vertical, horizontal) = (half_sine(latitude1, latitude2), half_sine(longitude1, longitude2));
    let chord = vertical * vertical
        + (latitude1 * radians).cos() * (latitude2 * radians).cos() * horizontal * horizontal;
    Ok(Value::from_f64(2.0 * EARTH_RADIUS_METERS * chord.sqrt().min(1.0).asin()))
}
