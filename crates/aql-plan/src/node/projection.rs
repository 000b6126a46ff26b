//! Attributes that are fetched instead of whole documents.

use super::NodePrinter;
use crate::variable::VariableId;

/// One attribute that a scan fetches.
#[derive(Debug, Clone)]
pub struct Projection {
    /// Attribute names from the document down; at least one.
    pub path: Vec<Box<str>>,
    /// Set to the value at `path`, null if there is none.
    pub out: VariableId,
    /// The place where an index scan finds the value; always `Document` in a full scan.
    pub source: ProjectionSource,
}

/// The place where the value of a projection is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProjectionSource {
    /// The document, which has to be fetched.
    Document,
    /// A field of the index entry (of the only index of the scan).
    IndexField {
        /// Position in the fields of the index.
        position: usize,
        /// The number of names of the path that lead to the field; the rest of the path is looked
        /// up in the field's value.
        consumed: usize,
    },
    /// A stored value of the index entry.
    StoredValue {
        /// Position in the stored values of the index.
        position: usize,
        /// As in `IndexField`.
        consumed: usize,
    },
    /// The `_key`, which every index entry has.
    Key,
    /// The `_id`, made of the collection's name and the `_key`.
    Id,
}

pub(super) fn print_projections(
    title: &str,
    projections: &[Projection],
    printer: &NodePrinter<'_>,
) -> String {
    if projections.is_empty() {
        return String::new();
    }
    let list = projections.iter().map(|projection| {
        let source = match projection.source {
            ProjectionSource::Document => String::new(),
            ProjectionSource::IndexField { position, consumed } => format!(" field {position}/{consumed}"),
            ProjectionSource::StoredValue { position, consumed } => format!(" stored {position}/{consumed}"),
            ProjectionSource::Key => " key".into(),
            ProjectionSource::Id => " id".into(),
        };
        format!("{} = {}{source}", printer.name(projection.out), projection.path.join("."))
    });
    format!("{title} ({})", list.collect::<Vec<_>>().join(", "))
}
