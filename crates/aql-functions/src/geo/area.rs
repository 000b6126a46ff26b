//! `GEO_AREA()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::distance::ellipsoid;
use super::shape::shape;
use crate::argument::{Outcome, answer};

/// `GEO_AREA(geoJson, ellipsoid)`: square meters of a Polygon or MultiPolygon; 0 for other shapes.
pub(crate) fn geo_area(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(area(arguments, context))
}

fn area(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    const NAME: &str = "GEO_AREA";
    let shape = shape(arguments, 0, NAME, context)?;
    let ellipsoid = ellipsoid(arguments, 1, NAME, context)?;
    Ok(Value::from_f64(ellipsoid.area_square_meters(&shape)))
}
