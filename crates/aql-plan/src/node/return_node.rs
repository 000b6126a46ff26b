//! RETURN.

use super::{NodePrinter, PlanNode};
use crate::variable::VariableId;

/// The result of a query or subquery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Return {
    /// The value of each result row.
    pub input: VariableId,
}

impl PlanNode for Return {
    fn name(&self) -> &'static str {
        "Return"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        format!("Return {}", printer.name(self.input))
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        visit(self.input);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        visit(&mut self.input);
    }
}
