//! Filters.

use super::{NodePrinter, PlanNode};
use crate::variable::VariableId;

/// A filter that keeps the rows in which a variable is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// Set by a calculation before.
    pub condition: VariableId,
}

impl PlanNode for Filter {
    fn name(&self) -> &'static str {
        "Filter"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        format!("Filter {}", printer.name(self.condition))
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        visit(self.condition);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        visit(&mut self.condition);
    }
}
