//! The vertex that a value names.

use aql_value::{Batch, Value};
use errors::{ErrorCode, Result};

use super::path_host::PathReader;
use crate::context::ExecutionContext;
use crate::graph_search::vertices::{Vertex, VertexArena};

/// Returns the vertex of an identifier, or of an object with one.
///
/// Anything else names none and causes a warning.
pub(in crate::operator) fn vertex_of(
    value: &Value,
    search: &str,
    vertices: &mut VertexArena,
    context: &mut ExecutionContext,
) -> Result<Option<Vertex>> {
    let id = if value.is_object() { value.get("_id") } else { value.clone() };
    match id.as_str().filter(|id| id.contains('/')) {
        Some(id) => vertices.intern(id.as_bytes()).map(Some),
        None => {
            let message =
                format!("Invalid input for {search}: Only id strings or objects with _id are allowed");
            context.warnings.register(ErrorCode::BadParameter, message)?;
            Ok(None)
        }
    }
}

/// Returns the first and the last vertex of the paths; `None` if there can be no path.
pub(in crate::operator) fn ends_of(
    values: &(Value, Value),
    search: &str,
    reader: &mut PathReader,
    outer_row: &Batch,
    context: &mut ExecutionContext,
) -> Result<Option<(Vertex, Vertex)>> {
    reader.start_row(context);
    let vertices = &mut reader.reader.vertices;
    let Some(start) = vertex_of(&values.0, search, vertices, context)? else { return Ok(None) };
    let Some(target) = vertex_of(&values.1, search, vertices, context)? else { return Ok(None) };
    // Paths with edges may lead from and to vertices that do not exist; one without is the vertex
    // itself.
    if start == target && !reader.reader.exists(start, context)? {
        return Ok(None);
    }
    let is_allowed =
        reader.allows(start, outer_row, context)? && reader.allows(target, outer_row, context)?;
    Ok(is_allowed.then_some((start, target)))
}
