//! UPDATE and REPLACE.

use super::{ModificationOptions, NodePrinter, PlanNode, Role};
use crate::catalog::CollectionReference;
use crate::variable::VariableId;

/// UPDATE and REPLACE.
#[derive(Debug, Clone)]
pub struct Update {
    /// The collection to write to.
    pub collection: CollectionReference,
    /// True for REPLACE.
    pub replace: bool,
    /// The new document or the patch.
    pub input: VariableId,
    /// The key of the document, or an object with `_key` or `_id`; `None` if the input has it.
    pub key: Option<VariableId>,
    /// Set to the document before, if used.
    pub out_old: Option<VariableId>,
    /// Set to the document after, if used.
    pub out_new: Option<VariableId>,
    /// The options of the statement.
    pub options: ModificationOptions,
}

impl PlanNode for Update {
    fn name(&self) -> &'static str {
        if self.replace { "Replace" } else { "Update" }
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let key = self.key.map(|key| format!("{} WITH ", printer.name(key))).unwrap_or_default();
        format!(
            "{} {key}{} IN {}{}{}{}",
            self.name(),
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
        Some(self.input).into_iter().chain(self.key).for_each(visit);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        Some(&mut self.input).into_iter().chain(&mut self.key).for_each(visit);
    }
}
