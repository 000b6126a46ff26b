//! Traversals.

use super::path::{print_conditions, print_weight};
use super::{
    CoveredCondition, EdgeDirection, GraphAccess, NodePrinter, PathOutput, PlanNode, Projection, Role,
    StepCondition, flag, listed, print_projections,
};
use crate::catalog::CollectionReference;
use crate::expression::Expression;
use crate::variable::VariableId;

/// A row for each path from a start vertex.
#[derive(Debug, Clone)]
pub struct Traversal {
    /// The edges to follow.
    pub graph: GraphAccess,
    /// The start vertex: its `_id`, or an object that has one. Anything else: no rows, and a
    /// warning.
    pub start: VariableId,
    /// Shorter paths produce no row.
    pub min_depth: u64,
    /// Longer paths are not followed.
    pub max_depth: u64,
    /// Set to the last vertex of the path, if used. With `vertex_projections` the variable holds it
    /// only while `output_filter` is evaluated, if that reads it.
    pub vertex_out: Option<VariableId>,
    /// Set to the last edge of the path (null for the path of depth 0), if used; with
    /// `edge_projections` likewise.
    pub edge_out: Option<VariableId>,
    /// The path, if used.
    pub path: Option<PathOutput>,
    /// Attributes to fetch of the last vertex instead of `vertex_out`; empty for the whole
    /// document.
    pub vertex_projections: Vec<Projection>,
    /// Attributes to fetch of the last edge instead of `edge_out`; empty for the whole document.
    pub edge_projections: Vec<Projection>,
    /// The variables of vertex and edge that projections took the place of, for explain.
    pub projected: (Option<VariableId>, Option<VariableId>),
    /// `PRUNE`.
    pub prune: Option<Prune>,
    /// Conditions on the way.
    pub conditions: Vec<StepCondition>,
    /// The conditions of the query that `conditions`, lookups and depths stand for.
    pub covered: Vec<CoveredCondition>,
    /// Only paths for which it is true (cast to a boolean) produce a row. It reads `vertex_out`,
    /// `edge_out` and variables of the outer row. The path is made after it.
    pub output_filter: Option<Expression>,
    /// `OPTIONS`.
    pub options: TraversalOptions,
}

/// `PRUNE`: the path is produced, but not followed further where the condition is true.
///
/// Its variables may be the same as those that the node sets for each row.
#[derive(Debug, Clone)]
pub struct Prune {
    /// Reads the variables below and those of the outer row.
    pub condition: Expression,
    /// Set to the condition's value for each row, if it has a name.
    pub out: Option<VariableId>,
    /// Holds the last vertex, if the condition reads it.
    pub vertex: Option<VariableId>,
    /// Holds the last edge, if the condition reads it.
    pub edge: Option<VariableId>,
    /// Holds the path, if the condition reads it.
    pub path: Option<PathOutput>,
}

/// `OPTIONS` of a traversal, checked.
#[derive(Debug, Clone)]
pub struct TraversalOptions {
    /// The order in which paths are produced.
    pub order: TraversalOrder,
    /// `uniqueVertices`.
    pub unique_vertices: Uniqueness,
    /// With `Global` vertices: the start counts as visited only when a path comes back to it, which
    /// produces it (once). The optimizer sets this where the vertices of all paths are wanted, each
    /// once.
    pub revisit_start: bool,
    /// `uniqueEdges`; never `Global`.
    pub unique_edges: Uniqueness,
    /// `weightAttribute`: the names that lead to the weight.
    pub weight_attribute: Option<Box<[Box<str>]>>,
    /// `defaultWeight`: of an edge without a number in that attribute.
    pub default_weight: f64,
    /// `vertexCollections`: vertices of other collections are not walked to.
    pub vertex_collections: Option<Vec<CollectionReference>>,
    /// `edgeCollections`, for explain: the [`GraphAccess`] leaves the other edge collections out.
    pub edge_collections: Option<Vec<Box<str>>>,
    /// `indexHint`, for the optimizer.
    pub index_hints: Vec<EdgeIndexHint>,
    /// `useCache`, for explain.
    pub use_cache: bool,
    /// `parallelism`, for explain.
    pub parallelism: u64,
    /// `maxProjections`.
    pub max_projections: usize,
}

/// Indexes to try first for the edges of one collection in one direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeIndexHint {
    /// Name of the edge collection.
    pub collection: Box<str>,
    /// The direction in which its edges are followed.
    pub direction: EdgeDirection,
    /// The depth of the edges; `None` for depths without a hint of their own.
    pub depth: Option<u64>,
    /// Names of indexes, the preferred one first.
    pub names: Vec<Box<str>>,
}

/// The order in which a traversal produces paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TraversalOrder {
    /// Depth first.
    #[default]
    Dfs,
    /// Breadth first: shorter paths first.
    Bfs,
    /// By the sum of the edges' weights, lightest first.
    Weighted,
}

/// The scope within which a vertex or edge may occur only once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Uniqueness {
    /// No scope: it may occur any number of times.
    None,
    /// One path.
    Path,
    /// All paths of a traversal (from one start vertex).
    Global,
}

impl PlanNode for Traversal {
    fn name(&self) -> &'static str {
        "Traversal"
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let mut text = String::from("Traversal");
        text += &printer.titled_name(" vertex ", self.vertex_out);
        text += &print_projections(" vertex projections", &self.vertex_projections, printer);
        text += &printer.titled_name(" edge ", self.edge_out);
        text += &print_projections(" edge projections", &self.edge_projections, printer);
        text += &self.path.map(|path| format!(" path {}", path.print(printer))).unwrap_or_default();
        text += &format!(" IN {}..{} FROM {}", self.min_depth, self.max_depth, printer.name(self.start));
        text += &self.graph.print(printer);
        text += &self.prune.as_ref().map(|prune| prune.print(printer)).unwrap_or_default();
        text += &print_conditions(&self.conditions, printer);
        text += &printer.titled_text(" FILTER ", self.output_filter.as_ref());
        text + &self.options.print()
    }

    fn role(&self) -> Role {
        Role::Loop
    }

    fn sets(&self) -> Vec<VariableId> {
        let vertex = self.vertex_out.filter(|_| self.vertex_projections.is_empty());
        let edge = self.edge_out.filter(|_| self.edge_projections.is_empty());
        let path = self.path.map(|path| path.out);
        let prune = self.prune.as_ref().and_then(|prune| prune.out);
        let projections = self.vertex_projections.iter().chain(&self.edge_projections);
        let others = [vertex, edge, path, prune].into_iter().flatten();
        others.chain(projections.map(|projection| projection.out)).collect()
    }

    fn locals(&self) -> Vec<VariableId> {
        let conditions = self.conditions.iter().map(|condition| condition.input);
        let prune = self.prune.iter().flat_map(Prune::inputs);
        conditions.chain(prune).chain(self.vertex_out).chain(self.edge_out).collect()
    }

    fn for_each_direct_read(&self, visit: &mut dyn FnMut(VariableId)) {
        visit(self.start);
    }

    fn for_each_direct_read_mut(&mut self, visit: &mut dyn FnMut(&mut VariableId)) {
        visit(&mut self.start);
    }

    fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.graph.for_each_expression(visit);
        self.prune.iter().for_each(|prune| visit(&prune.condition));
        self.conditions.iter().for_each(|condition| visit(&condition.condition));
        self.output_filter.iter().for_each(visit);
    }

    /// Visits `covered` too: explain must show its conditions with the same variables. They are not
    /// evaluated, so that the other visitor does not count them.
    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.graph.for_each_expression_mut(visit);
        self.prune.iter_mut().for_each(|prune| visit(&mut prune.condition));
        self.conditions.iter_mut().for_each(|condition| visit(&mut condition.condition));
        self.covered.iter_mut().for_each(|covered| visit(&mut covered.condition));
        self.output_filter.iter_mut().for_each(visit);
    }
}

impl Prune {
    /// Returns the variables that the node sets while the condition is evaluated.
    pub fn inputs(&self) -> impl Iterator<Item = VariableId> + use<> {
        [self.vertex, self.edge, self.path.map(|path| path.out)].into_iter().flatten()
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let name = self.out.map(|out| format!("{} = ", printer.name(out))).unwrap_or_default();
        let document = [self.vertex, self.edge].into_iter().flatten().map(|id| printer.name(id));
        let path = self.path.into_iter().map(|path| path.print(printer));
        format!(" PRUNE {name}{}{}", printer.text(&self.condition), listed(" WITH ", document.chain(path)))
    }
}

impl TraversalOptions {
    /// Returns the options that differ from the defaults.
    fn print(&self) -> String {
        let mut text = String::new();
        text += match self.order {
            TraversalOrder::Dfs => "",
            TraversalOrder::Bfs => " bfs",
            TraversalOrder::Weighted => " weighted",
        };
        text += match self.unique_vertices {
            Uniqueness::None => "",
            Uniqueness::Path => " unique vertices in path",
            Uniqueness::Global if self.revisit_start => " unique vertices, start again",
            Uniqueness::Global => " unique vertices",
        };
        text += flag(" any edges", self.unique_edges == Uniqueness::None);
        text += &print_weight(self.weight_attribute.as_deref(), self.default_weight);
        let collections = self.vertex_collections.iter().flatten();
        text + &listed(" vertices of ", collections.map(|collection| collection.name.to_string()))
    }
}
