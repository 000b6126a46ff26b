//! Calculations.

use super::{NodePrinter, PlanNode};
use crate::expression::Expression;
use crate::variable::VariableId;

/// A calculation that sets a variable.
#[derive(Debug, Clone)]
pub struct Calculation {
    /// Set to the value.
    pub out: VariableId,
    /// Evaluated for each row.
    pub expression: Expression,
}

impl PlanNode for Calculation {
    fn name(&self) -> &'static str {
        "Calculation"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        format!("Calculation {} = {}", printer.name(self.out), printer.text(&self.expression))
    }

    fn sets(&self) -> Vec<VariableId> {
        vec![self.out]
    }

    fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        visit(&self.expression);
    }

    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        visit(&mut self.expression);
    }
}
