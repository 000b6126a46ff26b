//! Searches of one shortest path.

use super::{GraphAccess, NodePrinter, PathSearchOptions, PlanNode, Role};
use crate::expression::Expression;
use crate::variable::VariableId;

/// A row for each vertex of one shortest path; none where there is no path.
#[derive(Debug, Clone)]
pub struct ShortestPath {
    /// The edges to follow.
    pub graph: GraphAccess,
    /// The first vertex: its `_id`, or an object that has one.
    pub start: VariableId,
    /// The last vertex, likewise.
    pub target: VariableId,
    /// Set to the vertex, if used.
    pub vertex_out: Option<VariableId>,
    /// Set to the edge that leads to the vertex (null for the first), if used.
    pub edge_out: Option<VariableId>,
    /// `OPTIONS`.
    pub options: PathSearchOptions,
}

impl PlanNode for ShortestPath {
    fn name(&self) -> &'static str {
        "ShortestPath"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        format!(
            "ShortestPath{}{} FROM {} TO {}{}{}",
            printer.titled_name(" vertex ", self.vertex_out),
            printer.titled_name(" edge ", self.edge_out),
            printer.name(self.start),
            printer.name(self.target),
            self.graph.print(printer),
            self.options.print()
        )
    }

    fn role(&self) -> Role {
        Role::Loop
    }

    fn sets(&self) -> Vec<VariableId> {
        self.vertex_out.into_iter().chain(self.edge_out).collect()
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        [self.start, self.target].into_iter().for_each(visit);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        [&mut self.start, &mut self.target].into_iter().for_each(visit);
    }

    fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.graph.for_each_expression(visit);
    }

    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.graph.for_each_expression_mut(visit);
    }
}
