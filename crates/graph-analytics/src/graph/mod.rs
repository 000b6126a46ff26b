//! Graphs in memory: vertices are numbers, and the edges of each are one row.

mod adjacency;
mod undirected;
mod views;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use errors::{Error, Result};
use owner::Charge;

use crate::column::{Column, NO_VERTEX};
use crate::work::Work;

pub use adjacency::{Adjacency, Edge, EdgeRuns};
pub use views::{Direction, Rows, Sides};

/// A directed graph with parallel edges and loops. Undirected algorithms ignore directions.
///
/// Clones share the edges.
#[derive(Clone, Debug)]
pub struct Graph {
    outgoing: Arc<Adjacency>,
    /// The same edges by their targets, once somebody asks for them.
    incoming: Arc<OnceLock<(Adjacency, Charge)>>,
    attributes: BTreeMap<String, Arc<Column>>,
}

impl Graph {
    /// Makes a graph of the edges that leave each vertex.
    pub fn new(outgoing: Adjacency) -> Self {
        Graph { outgoing: Arc::new(outgoing), incoming: Arc::default(), attributes: BTreeMap::new() }
    }

    /// Makes a graph with vertices `0..vertices` of a list of edges.
    ///
    /// Errors: 10 for an edge of a vertex that is not there, 32 beyond the limit of memory.
    pub fn from_edges(work: &Work, vertices: usize, edges: &[Edge], is_weighted: bool) -> Result<Self> {
        check_vertex_count(vertices as u64)?;
        Adjacency::from_edges(work, vertices, &[edges], is_weighted).map(Graph::new)
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.outgoing.vertex_count()
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> u64 {
        self.outgoing.edge_count()
    }

    /// Returns true if edges have weights.
    pub fn is_weighted(&self) -> bool {
        self.outgoing.is_weighted()
    }

    /// Returns the edges that leave each vertex.
    pub fn outgoing(&self) -> &Adjacency {
        &self.outgoing
    }

    /// Returns the edges that arrive at each vertex. They are made on first use and kept.
    pub fn incoming(&self, work: &Work) -> Result<&Adjacency> {
        if let Some((incoming, _)) = self.incoming.get() {
            return Ok(incoming);
        }
        let charge = work.reserve(self.outgoing.bytes())?;
        let incoming = self.outgoing.transposed(work)?;
        Ok(&self.incoming.get_or_init(|| (incoming, charge)).0)
    }

    /// Returns the edges that arrive at each vertex if they were made before.
    pub fn made_incoming(&self) -> Option<&Adjacency> {
        self.incoming.get().map(|(incoming, _)| incoming)
    }

    /// Returns an attribute of the vertices.
    ///
    /// Errors: 10 if the graph has none of this name.
    pub fn attribute(&self, name: &str) -> Result<&Column> {
        self.attributes.get(name).map(|column| &**column).ok_or_else(|| {
            Error::bad_parameter(format!("the graph was loaded without the vertex attribute '{name}'"))
        })
    }

    /// Returns the attributes of the vertices.
    pub fn attributes(&self) -> &BTreeMap<String, Arc<Column>> {
        &self.attributes
    }

    /// Sets an attribute of the vertices, which has a value for each.
    pub fn set_attribute(&mut self, name: String, column: Column) {
        debug_assert_eq!(column.len(), self.vertex_count());
        self.attributes.insert(name, Arc::new(column));
    }
}

/// Checks that vertices can be numbered.
///
/// Errors: 10 for too many.
pub fn check_vertex_count(vertices: u64) -> Result<()> {
    if vertices >= u64::from(NO_VERTEX) {
        return Err(Error::bad_parameter(format!(
            "the graph has {vertices} vertices; at most {} are accepted",
            NO_VERTEX - 1
        )));
    }
    Ok(())
}
