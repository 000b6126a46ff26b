//! `GEO_CONTAINS()`, `GEO_INTERSECTS()`, `GEO_EQUALS()`.

use aql_value::{EvaluationContext, Value};
use errors::Result;
use geometry::{Interrupt, Shape};

use super::shape::{refuse, shape};
use crate::argument::{Outcome, answer, invalid, stop};

/// `GEO_CONTAINS(geoJsonA, geoJsonB)`: true if all of B is in A, which must be a Polygon or a
/// MultiPolygon.
pub(crate) fn geo_contains(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    const NAME: &str = "GEO_CONTAINS";
    let related = |outer: &Shape, inner: &Shape, interrupt: Interrupt<'_>| {
        if outer.as_region().is_none() {
            return Ok(None);
        }
        geometry::contains(outer, inner, interrupt).map(Some)
    };
    answer(relate(arguments, NAME, context, related))
}

/// `GEO_INTERSECTS(geoJsonA, geoJsonB)`: true if A and B have a point in common.
pub(crate) fn geo_intersects(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(relate(arguments, "GEO_INTERSECTS", context, |a, b, interrupt| {
        geometry::intersects(a, b, interrupt).map(Some)
    }))
}

/// `GEO_EQUALS(geoJsonA, geoJsonB)`: true if A and B are the same shape.
pub(crate) fn geo_equals(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(relate(arguments, "GEO_EQUALS", context, |a, b, _| Ok(Some(geometry::equals(a, b)))))
}

/// Returns the result of `related` for the first two arguments; null with a warning if it has none.
fn relate(
    arguments: &[Value],
    name: &str,
    context: &mut EvaluationContext<'_>,
    related: impl FnOnce(&Shape, &Shape, Interrupt<'_>) -> geometry::Result<Option<bool>>,
) -> Outcome<Value> {
    let first = shape(arguments, 0, name, context)?;
    let second = shape(arguments, 1, name, context)?;
    let interrupt = context.interrupt;
    match related(&first, &second, &|| interrupt.check().is_err()) {
        Ok(Some(answer)) => Ok(Value::Bool(answer)),
        Ok(None) => stop(invalid(context, name)),
        Err(error) => refuse(&error, name, context),
    }
}
