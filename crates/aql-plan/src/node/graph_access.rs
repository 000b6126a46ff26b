//! The part of a graph that a traversal or path search follows.

use super::index_range::IndexConditions;
use super::{IndexLookup, NodePrinter};
use crate::catalog::{CollectionReference, IndexInfo};
use crate::expression::Expression;
use crate::index_search::{IndexBound, IndexSearch, bounded_fields};

/// The edges that a traversal or path search follows, and the collections of its vertices.
#[derive(Debug, Clone)]
pub struct GraphAccess {
    /// Edges to follow, in this order. An edge collection followed both ways (`ANY`) is there
    /// twice. Never empty.
    pub edges: Vec<EdgeAccess>,
    /// Collections of vertices that the query names (by `WITH`, or through the named graph), for
    /// rights and explain. Vertices of other collections are found by their `_id` all the same, as
    /// ArangoDB does on a single server.
    pub vertex_collections: Vec<CollectionReference>,
    /// Name of the graph, for explain; `None` for a list of edge collections.
    pub graph: Option<Box<str>>,
}

/// The way in which the edges of one collection are followed in one direction.
#[derive(Debug, Clone)]
pub struct EdgeAccess {
    /// The edge collection.
    pub collection: CollectionReference,
    /// The end of an edge at which the search is when it follows the edge.
    pub direction: EdgeDirection,
    /// The lookup of edges at depths that `at_depth` does not list.
    pub lookup: EdgeLookup,
    /// Lookups of the edges at certain depths (0: from the start vertex), where a condition on
    /// them has its own index.
    pub at_depth: Vec<(u64, EdgeLookup)>,
}

/// The end of an edge at which a vertex is.
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
    /// The edge index, or a persistent or multi-dimensional ("vertex-centric") index whose first
    /// field is `_from` or `_to`.
    pub index: IndexInfo,
    /// Vertex-centric index: conditions on the fields after the first. The expressions read
    /// variables of the outer row only, here and below.
    pub lookups: Vec<IndexLookup>,
    /// Persistent index: lower bound of the field after those.
    pub lower: Option<IndexBound>,
    /// Persistent index: upper bound of the field after those.
    pub upper: Option<IndexBound>,
    /// Multi-dimensional index: bounds of the fields after the prefix.
    pub search: Option<IndexSearch>,
}

impl GraphAccess {
    pub(super) fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        for edges in &self.edges {
            edges.lookup.for_each_expression(visit);
            edges.at_depth.iter().for_each(|(_, lookup)| lookup.for_each_expression(visit));
        }
    }

    pub(super) fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        for edges in &mut self.edges {
            edges.lookup.for_each_expression_mut(visit);
            edges.at_depth.iter_mut().for_each(|(_, lookup)| lookup.for_each_expression_mut(visit));
        }
    }

    pub(super) fn print(&self, printer: &NodePrinter<'_>) -> String {
        let name = self.graph.as_ref().map(|name| format!(" GRAPH {name}")).unwrap_or_default();
        let edges: Vec<String> = self.edges.iter().map(|edges| edges.print(printer)).collect();
        format!("{name} EDGES {}", edges.join(", "))
    }
}

impl EdgeAccess {
    /// Returns the lookup of the edges that leave a vertex at a depth.
    pub fn lookup_at(&self, depth: u64) -> &EdgeLookup {
        let own = self.at_depth.iter().find(|(at, _)| *at == depth).map(|(_, lookup)| lookup);
        own.unwrap_or(&self.lookup)
    }

    fn print(&self, printer: &NodePrinter<'_>) -> String {
        let direction = match self.direction {
            EdgeDirection::Outbound => "OUTBOUND",
            EdgeDirection::Inbound => "INBOUND",
        };
        let base = self.lookup.print(self.direction, printer);
        let levels = self.at_depth.iter();
        let levels =
            levels.map(|(depth, lookup)| format!(" at {depth} {}", lookup.print(self.direction, printer)));
        format!("{direction} {} USING {base}{}", self.collection.name, levels.collect::<String>())
    }
}

impl EdgeDirection {
    /// Returns the attribute of an edge that has the vertex at which the search is.
    pub fn vertex_field(self) -> &'static str {
        match self {
            Self::Outbound => "_from",
            Self::Inbound => "_to",
        }
    }
}

impl EdgeLookup {
    /// Creates a lookup of all edges of a vertex in an edge index.
    pub fn by_edge_index(index: IndexInfo) -> Self {
        Self { index, lookups: Vec::new(), lower: None, upper: None, search: None }
    }

    /// Returns the number of conditions besides the one on the vertex.
    pub fn conditions(&self) -> usize {
        let ends = usize::from(self.lower.is_some()) + usize::from(self.upper.is_some());
        self.lookups.len() + ends + self.search.as_ref().map_or(0, bounded_fields)
    }

    /// Calls `visit` with the expressions that are looked up.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        self.after_vertex().for_each_expression(visit);
    }

    fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        self.lookups.iter_mut().for_each(|lookup| visit(lookup.expression_mut()));
        [&mut self.lower, &mut self.upper].into_iter().flatten().for_each(|bound| visit(&mut bound.value));
        self.search.iter_mut().for_each(|search| search.for_each_mut(visit));
    }

    fn print(&self, direction: EdgeDirection, printer: &NodePrinter<'_>) -> String {
        let mut conditions = vec![direction.vertex_field().to_owned()];
        conditions.extend(self.after_vertex().print(&self.index, 1, printer));
        format!("{}({})", self.index.name, conditions.join(", "))
    }

    /// Returns the conditions on the fields after the vertex.
    fn after_vertex(&self) -> IndexConditions<'_> {
        let Self { lookups, lower, upper, search, .. } = self;
        IndexConditions { lookups, lower, upper, search }
    }
}
