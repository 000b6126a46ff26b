//! INSERT.

use super::{ModificationOptions, NodePrinter, PlanNode, Role};
use crate::catalog::CollectionReference;
use crate::variable::VariableId;

/// INSERT.
#[derive(Debug, Clone)]
pub struct Insert {
    /// The collection to write to.
    pub collection: CollectionReference,
    /// The document.
    pub input: VariableId,
    /// Set to the document before (null if there was none), if used.
    pub out_old: Option<VariableId>,
    /// Set to the document as stored, if used.
    pub out_new: Option<VariableId>,
    /// The options of the statement.
    pub options: ModificationOptions,
}

impl PlanNode for Insert {
    fn name(&self) -> &'static str {
        "Insert"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        format!(
            "Insert {} INTO {}{}{}{}",
            printer.name(self.input),
            self.collection.name,
            printer.titled_name(" old ", self.out_old),
            printer.titled_name(" new ", self.out_new),
            self.options.print()
        )
    }

    fn role(&self) -> Role {
        Role::Modification
    }

    fn sets(&self) -> Vec<VariableId> {
        self.out_old.into_iter().chain(self.out_new).collect()
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        visit(self.input);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        visit(&mut self.input);
    }
}
