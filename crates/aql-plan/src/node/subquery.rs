//! Subqueries.

use super::{Node, NodePrinter, PlanNode, flag};
use crate::variable::VariableId;

/// A pipeline that runs for each row.
///
/// As a [`PlanNode`], it answers for itself only. `dataflow.rs` adds the answers of the nodes in
/// it.
#[derive(Debug, Clone)]
pub struct Subquery {
    /// Set to the array of values that the pipeline returns (empty if it has no Return).
    pub out: VariableId,
    /// The pipeline, from its Singleton to its last node.
    pub nodes: Vec<Node>,
    /// The pipeline runs only in rows in which this variable is true; in others `out` is an empty
    /// array. For subqueries in operands that are not always evaluated (`? :`, `&&`, `||`).
    pub run_if: Option<VariableId>,
    /// The pipeline reads no variable of the outer query, changes nothing and is deterministic. It
    /// can run once, and all rows can use the result.
    pub is_constant: bool,
}

impl PlanNode for Subquery {
    fn name(&self) -> &'static str {
        "Subquery"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let guard = printer.titled_name(" if ", self.run_if);
        format!("Subquery {}{guard}{}", printer.name(self.out), flag(" constant", self.is_constant))
    }

    fn sets(&self) -> Vec<VariableId> {
        vec![self.out]
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        self.run_if.into_iter().for_each(visit);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        self.run_if.iter_mut().for_each(visit);
    }
}
