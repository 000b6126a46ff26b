//! REMOVE.

use super::{ModificationOptions, NodePrinter, PlanNode, Role};
use crate::catalog::CollectionReference;
use crate::variable::VariableId;

/// REMOVE.
#[derive(Debug, Clone)]
pub struct Remove {
    /// The collection to remove from.
    pub collection: CollectionReference,
    /// The key of the document, or an object with `_key` or `_id`.
    pub input: VariableId,
    /// Set to the removed document, if used.
    pub out_old: Option<VariableId>,
    /// The options of the statement.
    pub options: ModificationOptions,
}

impl PlanNode for Remove {
    fn name(&self) -> &'static str {
        "Remove"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        format!(
            "Remove {} IN {}{}{}",
            printer.name(self.input),
            self.collection.name,
            printer.titled_name(" old ", self.out_old),
            self.options.print()
        )
    }

    fn role(&self) -> Role {
        Role::Modification
    }

    fn sets(&self) -> Vec<VariableId> {
        self.out_old.into_iter().collect()
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        visit(self.input);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        visit(&mut self.input);
    }
}
