//! Constructors of GeoJSON objects.

use aql_value::{BoundedBlock, EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, given, invalid, value};

/// `GEO_POINT(longitude, latitude, elevation)`
pub(crate) fn geo_point(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let coordinates =
        if given(arguments, 2).is_some() { arguments } else { arguments.get(..2).unwrap_or_default() };
    if !coordinates.iter().all(Value::is_number) {
        return invalid(context, "GEO_POINT");
    }
    geometry("Point", &Value::array(coordinates), context)
}

/// `GEO_MULTIPOINT(points)`: at least two points.
pub(crate) fn geo_multipoint(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let points = value(arguments, 0);
    if !is_list_of(points, 2, is_position, context)? {
        return invalid(context, "GEO_MULTIPOINT");
    }
    geometry("MultiPoint", points, context)
}

/// `GEO_LINESTRING(points)`: at least two points.
pub(crate) fn geo_linestring(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let points = value(arguments, 0);
    if !is_list_of(points, 2, is_position, context)? {
        return invalid(context, "GEO_LINESTRING");
    }
    geometry("LineString", points, context)
}

/// `GEO_MULTILINESTRING(points)`: at least one line of at least two points.
pub(crate) fn geo_multilinestring(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let lines = value(arguments, 0);
    let mut is_valid = is_list_of(lines, 1, Value::is_array, context)?;
    for line in lines.elements() {
        is_valid = is_valid && is_list_of(&line, 2, is_position, context)?;
    }
    if !is_valid {
        return invalid(context, "GEO_MULTILINESTRING");
    }
    geometry("MultiLineString", lines, context)
}

/// Returns true for an array of at least `fewest` elements that all pass the test.
fn is_list_of(
    list: &Value,
    fewest: usize,
    test: impl Fn(&Value) -> bool,
    context: &EvaluationContext<'_>,
) -> Result<bool> {
    for (round, element) in list.elements().enumerate() {
        check_round(context, round)?;
        if !test(&element) {
            return Ok(false);
        }
    }
    Ok(list.is_array() && list.len() >= fewest)
}

/// Returns true for an array of longitude, latitude and perhaps elevation.
fn is_position(value: &Value) -> bool {
    (2..=3).contains(&value.len()) && value.is_array() && value.elements().all(|number| number.is_number())
}

pub(super) fn geometry(kind: &str, coordinates: &Value, context: &EvaluationContext<'_>) -> Result<Value> {
    let mut block = BoundedBlock::new(1, context.memory, context.interrupt);
    block.builder().open_object()?;
    block.key("type")?;
    block.append(&Value::from_str(kind))?;
    block.key("coordinates")?;
    block.append(coordinates)?;
    block.close_object()?;
    block.end_value();
    Ok(block.into_value())
}
