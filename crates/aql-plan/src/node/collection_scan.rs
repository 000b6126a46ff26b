//! Full scans of collections.

use super::{DocumentSource, NodePrinter, PlanNode, Role, flag};
use crate::expression::Expression;
use crate::variable::VariableId;

/// A row for each document of a collection.
#[derive(Debug, Clone)]
pub struct CollectionScan {
    /// The collection and what is fetched of its documents.
    pub source: DocumentSource,
    /// Only one document is needed, chosen at random (rule `remove-sort-rand-limit-1`).
    pub random: bool,
}

impl CollectionScan {
    /// Creates a scan of all documents.
    pub fn new(source: DocumentSource) -> Self {
        Self { source, random: false }
    }
}

impl PlanNode for CollectionScan {
    fn name(&self) -> &'static str {
        "EnumerateCollection"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        format!("EnumerateCollection{}{}", flag(" random", self.random), self.source.print(printer))
    }

    fn role(&self) -> Role {
        Role::Loop
    }

    fn sets(&self) -> Vec<VariableId> {
        self.source.sets()
    }

    fn locals(&self) -> Vec<VariableId> {
        self.source.locals()
    }

    fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.source.filter.iter().for_each(visit);
    }

    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.source.filter.iter_mut().for_each(visit);
    }
}
