//! Attributes of documents that come from the columns of an index.

use aql_value::{Column, Value};
use search::Hit;
use storage::SearchState;
use velocypack::Slice;

use super::documents::Visible;
use super::{Found, ViewParts};
use crate::operator::document_source::{CoveredValue, ProjectionProgram};

/// Returns the values of a projection for the visible hits.
pub(super) fn column(
    projection: &ProjectionProgram,
    found: &[Found],
    visible: &Visible,
    parts: &ViewParts,
    state: &SearchState,
) -> Column {
    let rows = visible.rows.iter().zip(&visible.documents);
    let values = rows.map(|(row, document)| match found.get(*row) {
        Some(found) => value(projection, found.hit, document, parts, state),
        None => Value::Null,
    });
    Column::from_values(values.collect())
}

fn value(
    projection: &ProjectionProgram,
    hit: Hit,
    document: &Value,
    parts: &ViewParts,
    state: &SearchState,
) -> Value {
    let Some(part) = state.snapshot().parts().get(hit.segment as usize) else { return Value::Null };
    let key = part.segment.key(hit.document);
    match projection.covered {
        Some(CoveredValue::Key) => Value::from_str(key),
        Some(CoveredValue::Id) => match parts.indexes.get(state.owner(hit)) {
            Some((collection, _)) => Value::from_str(&format!("{}/{key}", collection.name())),
            None => Value::Null,
        },
        Some(CoveredValue::Position { position, consumed }) if !parts.reads_documents => {
            let Some((column, place)) = parts.columns.get(position) else { return Value::Null };
            let values = part.segment.column(hit.document, *column);
            if values.is_empty() {
                return Value::Null;
            }
            let stored = Slice::new(values).elements().nth(*place);
            let mut rest = projection.path.iter().skip(consumed);
            let found = stored.and_then(|stored| rest.try_fold(stored, |value, name| value.get(name)));
            found.map_or(Value::Null, Value::from_slice)
        }
        // The document was read, and may be newer than the index.
        _ => projection.path.iter().fold(document.clone(), |value, name| value.get(name)),
    }
}
