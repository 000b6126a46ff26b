//! Documents fetched late.

use super::{NodePrinter, PlanNode, Projection, print_projections};
use crate::catalog::CollectionReference;
use crate::variable::VariableId;

/// A fetch of documents whose keys an earlier index scan or search has found (rules
/// `late-document-materialization` and `late-document-materialization-arangosearch`).
#[derive(Debug, Clone)]
pub struct Materialize {
    /// The collection of the documents.
    pub collection: CollectionReference,
    /// Further collections, if the documents are those of several.
    pub others: Vec<CollectionReference>,
    /// The `_key` of the document, or its `_id` if there are several collections.
    pub key: VariableId,
    /// The document. Set only if there are no projections.
    pub out: VariableId,
    /// Attributes to take of the document instead of the whole, each with a variable of its own.
    pub projections: Vec<Projection>,
}

impl Materialize {
    /// Returns the collections of the documents.
    pub fn collections(&self) -> impl Iterator<Item = &CollectionReference> {
        std::iter::once(&self.collection).chain(&self.others)
    }
}

impl PlanNode for Materialize {
    fn name(&self) -> &'static str {
        "Materialize"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        format!(
            "Materialize {} BY {} IN {}{}",
            printer.name(self.out),
            printer.name(self.key),
            self.collections().map(|collection| &*collection.name).collect::<Vec<_>>().join(", "),
            print_projections(" projections", &self.projections, printer)
        )
    }

    fn sets(&self) -> Vec<VariableId> {
        if self.projections.is_empty() {
            return vec![self.out];
        }
        self.projections.iter().map(|projection| projection.out).collect()
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        visit(self.key);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        visit(&mut self.key);
    }
}
