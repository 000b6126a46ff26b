//! Constructors of areas, which validate their result.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use super::constructors::geometry;
use super::shape::shape;
use crate::argument::{Outcome, answer, invalid, stop, value};
use crate::memory::{ArrayBuffer, room_for_bytes};

/// `GEO_POLYGON(points)`: one ring, or several rings of which the first is the outer one.
pub(crate) fn geo_polygon(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(polygon(value(arguments, 0), context))
}

fn polygon(points: &Value, context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    const NAME: &str = "GEO_POLYGON";
    if !points.is_array() || points.is_empty() {
        return stop(invalid(context, NAME));
    }
    // The coordinates of a single ring need no array around them.
    let is_ring = points.at(0).at(0).is_number();
    let rings =
        if is_ring { ArrayBuffer::collect(context, [points.clone()])?.into_array()? } else { points.clone() };
    checked(geometry("Polygon", &rings, context)?, NAME, context)
}

/// `GEO_MULTIPOLYGON(polygons)`: at least two polygons, each an array of rings.
pub(crate) fn geo_multipolygon(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    const NAME: &str = "GEO_MULTIPOLYGON";
    let polygons = value(arguments, 0);
    if !polygons.is_array() || polygons.len() < 2 {
        return invalid(context, NAME);
    }
    answer(
        geometry("MultiPolygon", polygons, context)
            .map_err(Into::into)
            .and_then(|built| checked(built, NAME, context)),
    )
}

/// Returns the object if it is a valid shape.
fn checked(built: Value, name: &str, context: &mut EvaluationContext<'_>) -> Outcome<Value> {
    // Nobody else accounts for the object while it is checked.
    let _built = room_for_bytes(built.memory_bytes(), context)?;
    shape(std::slice::from_ref(&built), 0, name, context)?;
    Ok(built)
}
