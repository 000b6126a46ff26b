//! Documents fetched late.

use super::Projection;
use crate::catalog::CollectionReference;
use crate::variable::VariableId;

/// Fetches documents whose keys an index scan before has found (rule `late-document-materialization`).
#[derive(Debug, Clone)]
pub struct Materialize {
    /// Where the documents are.
    pub collection: CollectionReference,
    /// The `_key` of the document.
    pub key: VariableId,
    /// The document. Set only if there are no projections.
    pub out: VariableId,
    /// Attributes to take of the document instead of the whole, each with a variable of its own.
    pub projections: Vec<Projection>,
}
