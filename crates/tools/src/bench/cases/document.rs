//! Documents one by one, and by imports.

use super::super::operation::{Operation, Plan, document};
use super::super::stage::Stage;
use crate::Failure;

/// Makes the only collection.
pub(in super::super) fn prepare(stage: &Stage<'_>) -> Result<(), Failure> {
    stage.collection(&stage.plan.collection, false)
}

pub(in super::super) fn insert(plan: &Plan) -> Operation {
    Operation::post(format!("/_api/document/{}", plan.segment()), document(None, "", plan.complexity))
}

/// Returns an import of documents with two attributes.
pub(in super::super) fn import(plan: &Plan) -> Operation {
    let line = document(None, "", 2) + "\n";
    import_into(&plan.segment(), line.repeat(plan.complexity as usize))
}

/// Returns an import of JSON Lines that fails as a whole if one of them cannot be stored.
pub(super) fn import_into(segment: &str, lines: String) -> Operation {
    let path = format!("/_api/import?collection={segment}&type=documents&complete=true");
    Operation::post(path, lines)
}
