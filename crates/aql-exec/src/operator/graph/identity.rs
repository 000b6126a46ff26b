//! Attributes of vertices that follow from their identifiers.

use aql_value::{Batch, BlockBuilder, Column, ShortString, Value};
use errors::Result;

use super::reader::GraphReader;
use crate::graph_search::vertices::Vertex;
use crate::operator::document_source::ProjectionProgram;

/// An attribute of a vertex that follows from its identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identity {
    Key,
    Id,
}

/// Returns true if a vertex that exists needs no document for these projections.
pub(super) fn are_identities(projections: &[ProjectionProgram]) -> bool {
    !projections.is_empty() && projections.iter().all(|projection| Identity::of(&projection.path).is_some())
}

impl Identity {
    fn of(path: &[Box<str>]) -> Option<Self> {
        let [name] = path else { return None };
        match &**name {
            "_key" => Some(Self::Key),
            "_id" => Some(Self::Id),
            _ => None,
        }
    }

    /// Returns the attribute of a vertex that is known to exist.
    fn of_vertex(self, vertex: Vertex, reader: &GraphReader) -> Option<&str> {
        match self {
            Self::Key => reader.vertices.collection_and_key(vertex).map(|(_, key)| key),
            Self::Id => std::str::from_utf8(reader.vertices.id(vertex)).ok(),
        }
    }
}

/// Returns the values of a projection for the selected rows.
///
/// Those of vertices that are known to exist come from identifiers, the others from fetched
/// documents.
pub(super) fn project_identity(
    projection: &ProjectionProgram,
    vertices: &[Vertex],
    batch: &Batch,
    reader: &GraphReader,
) -> Result<Column> {
    let mut values = vec![Value::Null; batch.rows()];
    let identity = Identity::of(&projection.path);
    // Strings that do not fit in a value share blocks.
    let (mut long, mut long_rows) = (BlockBuilder::new(0), Vec::new());
    for row in batch.selected() {
        let (Some(slot), Some(&vertex)) = (values.get_mut(row), vertices.get(row)) else { continue };
        let known = identity.filter(|_| reader.is_known(vertex));
        match known.and_then(|identity| identity.of_vertex(vertex, reader)) {
            Some(text) if text.len() > ShortString::MAX_BYTES => {
                long.builder().add_str(text)?;
                long.end_value();
                long_rows.push(row);
            }
            Some(text) => *slot = Value::from_str(text),
            None => *slot = reader.document(vertex).get_path(&projection.path),
        }
    }
    for (row, value) in long_rows.into_iter().zip(long.finish()) {
        if let Some(slot) = values.get_mut(row) {
            *slot = value;
        }
    }
    Ok(Column::from_values(values))
}
