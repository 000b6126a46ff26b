//! Filters.

use super::{NodePrinter, PlanNode};
use crate::variable::VariableId;

/// A filter that keeps the rows in which a variable is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// Set by a calculation before.
    pub condition: VariableId,
    /// The condition that this one is a part of, while the optimizer treats the operands of an AND
    /// as filters of their own.
    pub part_of: Option<VariableId>,
    /// True for the rules of a collection. Calculations over the document stay behind them, because
    /// warnings would tell about hidden documents.
    pub is_rule: bool,
}

impl Filter {
    /// Returns a filter that stands for a whole condition.
    pub fn new(condition: VariableId) -> Self {
        Filter { condition, part_of: None, is_rule: false }
    }
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
