//! Nodes of graph queries.

use super::{IndexLookup, Projection};
use crate::catalog::{CollectionReference, IndexInfo};
use crate::expression::Expression;
use crate::index_search::{IndexBound, IndexSearch, bounded_fields};
use crate::variable::VariableId;

/// The edges that a traversal or path search follows, and where its vertices are.
#[derive(Debug, Clone)]
pub struct GraphAccess {
    /// Edges to follow, in this order; an edge collection followed both ways (`ANY`) is there twice. Never empty.
    pub edges: Vec<EdgeAccess>,
    /// Collections of vertices that the query names (by `WITH`, or through the named graph), for rights and explain.
    /// Vertices of other collections are found by their `_id` all the same, as ArangoDB does on a single server.
    pub vertex_collections: Vec<CollectionReference>,
    /// Name of the graph, for explain; `None` for a list of edge collections.
    pub graph: Option<Box<str>>,
}

/// How the edges of one collection are followed in one direction.
#[derive(Debug, Clone)]
pub struct EdgeAccess {
    /// The edge collection.
    pub collection: CollectionReference,
    /// Which end of an edge the vertex is that it is followed from.
    pub direction: EdgeDirection,
    /// How edges are looked up, where `at_depth` says nothing else.
    pub lookup: EdgeLookup,
    /// Look-ups of the edges at certain depths (0: from the start vertex), where a condition on them has its own index.
    pub at_depth: Vec<(u64, EdgeLookup)>,
}

impl EdgeAccess {
    /// How the edges that leave a vertex at a depth are looked up.
    pub fn lookup_at(&self, depth: u64) -> &EdgeLookup {
        let own = self.at_depth.iter().find(|(at, _)| *at == depth).map(|(_, lookup)| lookup);
        own.unwrap_or(&self.lookup)
    }
}

/// Which end of an edge a vertex is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EdgeDirection {
    /// The vertex is the edge's `_from`.
    Outbound,
    /// The vertex is the edge's `_to`.
    Inbound,
}

/// An index that finds the edges of a vertex.
#[derive(Debug, Clone)]
pub struct EdgeLookup {
    /// The edge index, or a persistent or multi-dimensional ("vertex-centric") index whose first field is `_from` or
    /// `_to`.
    pub index: IndexInfo,
    /// Vertex-centric index: conditions on the fields after the first. The expressions read variables of the outer row
    /// only, here and below.
    pub lookups: Vec<IndexLookup>,
    /// Persistent index: lower bound of the field after those.
    pub lower: Option<IndexBound>,
    /// Persistent index: upper bound of the field after those.
    pub upper: Option<IndexBound>,
    /// Multi-dimensional index: bounds of the fields behind the prefix.
    pub search: Option<IndexSearch>,
}

impl EdgeLookup {
    /// A look-up of all edges of a vertex in an edge index.
    pub fn by_edge_index(index: IndexInfo) -> Self {
        Self { index, lookups: Vec::new(), lower: None, upper: None, search: None }
    }

    /// How many conditions besides the one on the vertex are looked up.
    pub fn conditions(&self) -> usize {
        let ends = usize::from(self.lower.is_some()) + usize::from(self.upper.is_some());
        self.lookups.len() + ends + self.search.as_ref().map_or(0, bounded_fields)
    }

    /// Calls `visit` with the expressions that are looked up.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.lookups.iter().for_each(|lookup| visit(lookup.expression()));
        [&self.lower, &self.upper].into_iter().flatten().for_each(|bound| visit(&bound.value));
        self.search.iter().for_each(|search| search.for_each(visit));
    }

    pub(crate) fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.lookups.iter_mut().for_each(|lookup| visit(lookup.expression_mut()));
        [&mut self.lower, &mut self.upper].into_iter().flatten().for_each(|bound| visit(&mut bound.value));
        self.search.iter_mut().for_each(|search| search.for_each_mut(visit));
    }
}

/// A condition that every vertex or edge of a path, or the one at a depth, must satisfy for the path to be followed.
///
/// A path that is too short to have an element at `depth` passes: the planner raises the minimum depth where such paths
/// must not be produced.
#[derive(Debug, Clone)]
pub struct StepCondition {
    /// Whether it is about vertices or edges.
    pub element: PathElement,
    /// Position in `path.vertices` or `path.edges`; `None` for all of them.
    pub depth: Option<u64>,
    /// Holds the vertex or edge while `condition` is evaluated.
    pub input: VariableId,
    /// Reads `input` and variables of the outer row. Cast to a boolean.
    pub condition: Expression,
}

/// A condition of the query on the paths of a node, which the node takes care of while it searches.
#[derive(Debug, Clone)]
pub struct CoveredCondition {
    /// As the query has it: reads the variables that the node sets and those of the outer row. For explain, and to find
    /// the filter that it came from.
    pub condition: Expression,
    /// Every path that the node produces satisfies it, so that no filter is needed.
    pub entirely: bool,
}

/// What a path consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathElement {
    /// A member of `path.vertices`.
    Vertex,
    /// A member of `path.edges`.
    Edge,
}

/// The path that a node produces: an object of arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathOutput {
    /// Set to the path.
    pub out: VariableId,
    /// Somebody reads `path.vertices`.
    pub vertices: bool,
    /// Somebody reads `path.edges`.
    pub edges: bool,
    /// Somebody reads `path.weights` (traversals by weight) or `path.weight` (K_SHORTEST_PATHS; the paths of other searches have
    /// none).
    pub weights: bool,
}

/// A row for each path from a start vertex.
#[derive(Debug, Clone)]
pub struct Traversal {
    /// What is followed.
    pub graph: GraphAccess,
    /// The start vertex: its `_id`, or an object that has one. Anything else: no rows, and a warning.
    pub start: VariableId,
    /// Shorter paths produce no row.
    pub min_depth: u64,
    /// Longer paths are not followed.
    pub max_depth: u64,
    /// Set to the last vertex of the path, if used. With `vertex_projections` it is only held while `output_filter` is
    /// evaluated, if that reads it.
    pub vertex_out: Option<VariableId>,
    /// Set to the last edge of the path (null for the path of depth 0), if used; with `edge_projections` likewise.
    pub edge_out: Option<VariableId>,
    /// The path, if used.
    pub path: Option<PathOutput>,
    /// Attributes to fetch of the last vertex instead of `vertex_out`; empty for the whole document.
    pub vertex_projections: Vec<Projection>,
    /// Attributes to fetch of the last edge instead of `edge_out`; empty for the whole document.
    pub edge_projections: Vec<Projection>,
    /// The variables of vertex and edge that projections took the place of, for explain.
    pub projected: (Option<VariableId>, Option<VariableId>),
    /// `PRUNE`.
    pub prune: Option<Prune>,
    /// Conditions on the way.
    pub conditions: Vec<StepCondition>,
    /// The conditions of the query that `conditions`, look-ups and depths stand for.
    pub covered: Vec<CoveredCondition>,
    /// Only paths for which it is true (cast to a boolean) produce a row; reads `vertex_out`, `edge_out` and
    /// variables of the outer row. The path is made after it.
    pub output_filter: Option<Expression>,
    /// `OPTIONS`.
    pub options: TraversalOptions,
}

/// `PRUNE`: the path is produced, but not followed further where the condition is true. Its variables may be the same
/// as those that the node sets for each row.
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
    /// In which order paths are produced.
    pub order: TraversalOrder,
    /// `uniqueVertices`.
    pub unique_vertices: Uniqueness,
    /// With `Global` vertices: the start counts as visited only when a path comes back to it, which produces it (once).
    /// Made by the optimizer where the vertices of all paths are wanted, each once.
    pub revisit_start: bool,
    /// `uniqueEdges`; never `Global`.
    pub unique_edges: Uniqueness,
    /// `weightAttribute`.
    pub weight_attribute: Option<Box<str>>,
    /// `defaultWeight`: of an edge without a number in that attribute.
    pub default_weight: f64,
    /// `vertexCollections`: vertices of other collections are not walked to.
    pub vertex_collections: Option<Vec<CollectionReference>>,
    /// `edgeCollections`, for explain: the other edge collections are left out of the [`GraphAccess`].
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
    /// In which direction its edges are followed.
    pub direction: EdgeDirection,
    /// At which depth; `None` for those without a hint of their own.
    pub depth: Option<u64>,
    /// Names of indexes, the preferred one first.
    pub names: Vec<Box<str>>,
}

/// In which order a traversal produces paths.
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

/// Where a vertex or edge may occur only once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Uniqueness {
    /// Nowhere.
    None,
    /// In a path.
    Path,
    /// In all paths of a traversal (from one start vertex).
    Global,
}

/// A row for each vertex of one shortest path; none where there is no path.
#[derive(Debug, Clone)]
pub struct ShortestPath {
    /// What is followed.
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

/// A row for each path between two vertices.
#[derive(Debug, Clone)]
pub struct EnumeratePaths {
    /// Which paths.
    pub kind: EnumeratePathsKind,
    /// What is followed.
    pub graph: GraphAccess,
    /// The first vertex: its `_id`, or an object that has one.
    pub start: VariableId,
    /// The last vertex, likewise.
    pub target: VariableId,
    /// Fewest edges of a path (`KPaths`).
    pub min_depth: u64,
    /// Most edges of a path (`KPaths`).
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

/// Which paths an [`EnumeratePaths`] finds. No path visits a vertex twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EnumeratePathsKind {
    /// All, lightest (without weights: shortest) first, one after the other as they are asked for.
    KShortestPaths,
    /// All with a number of edges within the depths.
    KPaths,
    /// All of the smallest number of edges.
    AllShortestPaths,
}

/// `OPTIONS` of a path search, checked.
#[derive(Debug, Clone)]
pub struct PathSearchOptions {
    /// `weightAttribute`.
    pub weight_attribute: Option<Box<str>>,
    /// `defaultWeight`: of an edge without a number in that attribute.
    pub default_weight: f64,
    /// `useCache`, for explain.
    pub use_cache: bool,
}
