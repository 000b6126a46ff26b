//! Searches of vector indexes.

use super::{DocumentSource, NodePrinter, PlanNode, Role};
use crate::catalog::IndexInfo;
use crate::expression::Expression;
use crate::variable::VariableId;

/// A row for each of the documents whose vectors are nearest to another one, the nearest first
/// (rule `use-vector-index`).
#[derive(Debug, Clone)]
pub struct NearVector {
    /// The collection and what is read of its documents. It always has a limit. The filter may read
    /// `distance`.
    pub source: DocumentSource,
    /// The index.
    pub index: IndexInfo,
    /// The vector that the documents are compared with.
    pub vector: VariableId,
    /// The third argument of the similarity function.
    pub options: Option<Expression>,
    /// The similarity or the distance of each document.
    pub distance: VariableId,
    /// True if documents beyond the limit are found, too, because they are counted.
    pub counts_all: bool,
}

impl PlanNode for NearVector {
    fn name(&self) -> &'static str {
        "EnumerateNearVector"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        format!(
            "EnumerateNearVector{} USING {} NEAR {}{} DISTANCE INTO {}",
            self.source.print(printer),
            self.index.name,
            printer.name(self.vector),
            printer.titled_text(" OPTIONS ", self.options.as_ref()),
            printer.name(self.distance),
        )
    }

    fn role(&self) -> Role {
        Role::Loop
    }

    fn sets(&self) -> Vec<VariableId> {
        let mut sets = self.source.sets();
        sets.push(self.distance);
        sets
    }

    fn locals(&self) -> Vec<VariableId> {
        let mut locals = self.source.locals();
        locals.push(self.distance);
        locals
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        visit(self.vector);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        visit(&mut self.vector);
    }

    fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.options.iter().for_each(&mut *visit);
        self.source.filter.iter().for_each(visit);
    }

    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.options.iter_mut().for_each(&mut *visit);
        self.source.filter.iter_mut().for_each(visit);
    }
}
