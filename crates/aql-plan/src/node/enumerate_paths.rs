//! Searches of several paths between two vertices.

use super::path::print_conditions;
use super::{
    CoveredCondition, GraphAccess, NodePrinter, PathOutput, PathSearchOptions, PlanNode, Role, StepCondition,
};
use crate::expression::Expression;
use crate::variable::VariableId;

/// A row for each path between two vertices.
#[derive(Debug, Clone)]
pub struct EnumeratePaths {
    /// The kind of paths to find.
    pub kind: EnumeratePathsKind,
    /// The edges to follow.
    pub graph: GraphAccess,
    /// The first vertex: its `_id`, or an object that has one.
    pub start: VariableId,
    /// The last vertex, likewise.
    pub target: VariableId,
    /// Minimum number of edges of a path (`KPaths`).
    pub min_depth: u64,
    /// Maximum number of edges of a path (`KPaths`).
    pub max_depth: u64,
    /// The path.
    pub path: PathOutput,
    /// Conditions on all vertices or all edges (rule `optimize-enumerate-path-filters`).
    pub conditions: Vec<StepCondition>,
    /// The conditions of the query that `conditions` stands for.
    pub covered: Vec<CoveredCondition>,
    /// `OPTIONS`.
    pub options: PathSearchOptions,
}

/// The kind of paths that an [`EnumeratePaths`] finds. No path visits a vertex twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EnumeratePathsKind {
    /// All paths, lightest (without weights: shortest) first, found one at a time on demand.
    KShortestPaths,
    /// All paths with a number of edges within the depths.
    KPaths,
    /// All paths with the smallest number of edges.
    AllShortestPaths,
}

impl PlanNode for EnumeratePaths {
    fn name(&self) -> &'static str {
        "EnumeratePaths"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let name = match self.kind {
            EnumeratePathsKind::KShortestPaths => "KShortestPaths",
            EnumeratePathsKind::KPaths => "KPaths",
            EnumeratePathsKind::AllShortestPaths => "AllShortestPaths",
        };
        let depth = match self.kind {
            EnumeratePathsKind::KPaths => format!(" IN {}..{}", self.min_depth, self.max_depth),
            _ => String::new(),
        };
        format!(
            "{name} path {}{depth} FROM {} TO {}{}{}{}",
            self.path.print(printer),
            printer.name(self.start),
            printer.name(self.target),
            self.graph.print(printer),
            print_conditions(&self.conditions, printer),
            self.options.print()
        )
    }

    fn role(&self) -> Role {
        Role::Loop
    }

    fn sets(&self) -> Vec<VariableId> {
        vec![self.path.out]
    }

    fn locals(&self) -> Vec<VariableId> {
        self.conditions.iter().map(|condition| condition.input).collect()
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        [self.start, self.target].into_iter().for_each(visit);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        [&mut self.start, &mut self.target].into_iter().for_each(visit);
    }

    fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.graph.for_each_expression(visit);
        self.conditions.iter().for_each(|condition| visit(&condition.condition));
    }

    /// Visits `covered` too, as in a traversal.
    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.graph.for_each_expression_mut(visit);
        self.conditions.iter_mut().for_each(|condition| visit(&mut condition.condition));
        self.covered.iter_mut().for_each(|covered| visit(&mut covered.condition));
    }
}
