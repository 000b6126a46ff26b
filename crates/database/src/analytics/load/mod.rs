//! Loads a graph from one snapshot: vertices in key order of their collections, edges from the edge
//! index, or from their documents where they have weights. All threads of the pool take part.

mod attributes;
mod edges;
mod vertices;

use std::sync::Arc;
use std::time::Instant;

use aql_value::{Charge, MemoryAccount};
use errors::Result;
use graph_analytics::{Adjacency, Column, Graph, Work};
use kv::BlockLimits;
use storage::{Collection, Snapshot, Store};

use crate::state::analytics::LoadedGraph;

pub(crate) use attributes::{AttributeKind, AttributeSpec};
pub(crate) use edges::EdgeLists;
pub(crate) use vertices::VertexList;

/// Documents or index entries that one step reads.
const BLOCK: BlockLimits = BlockLimits { rows: 4_096, bytes: 1 << 20 };

/// The parts of a collection for each thread, so that no thread waits long for another.
const PARTS_PER_THREAD: usize = 8;

/// The collections of a graph, and the attributes that are loaded with it.
pub(crate) struct LoadRequest<'l> {
    pub(crate) store: &'l Store,
    pub(crate) snapshot: &'l Snapshot,
    pub(crate) vertices: Vec<Arc<Collection>>,
    pub(crate) edges: Vec<Arc<Collection>>,
    /// The attribute with the weight of each edge; 1 where it is missing or null.
    pub(crate) weight: Option<&'l str>,
    pub(crate) attributes: &'l [AttributeSpec],
    /// Maximum number of vertices.
    pub(crate) vertices_max: u64,
    /// The account that pays for the graph.
    pub(crate) memory: Arc<MemoryAccount>,
    pub(crate) work: &'l Work,
    pub(crate) threads: usize,
}

impl LoadRequest<'_> {
    /// Loads the graph, on the threads of the current pool.
    ///
    /// Errors: 10 for too many vertices or a weight that is no number, 32 beyond the limit of
    /// memory, 1218, 1500, those of the store.
    pub(crate) fn load(&self) -> Result<LoadedGraph> {
        let began = Instant::now();
        self.work.set_progress(0, 2);
        let (vertices, columns) = self.load_vertices()?;
        self.work.set_progress(1, 2);
        let (adjacency, dangling_edges) = self.load_edges(&vertices)?;
        let (graph, charge) = graph_of(adjacency, self.attributes, columns, &self.memory)?;
        self.work.set_progress(2, 2);
        let sources = self.vertices.iter().chain(&self.edges);
        let sources = sources.map(|collection| collection.name().to_owned()).collect();
        Ok(LoadedGraph { graph, vertices, sources, dangling_edges, load_time: began.elapsed(), charge })
    }

    /// Returns the number of parts into which a collection is divided.
    fn parts(&self) -> usize {
        if self.threads == 1 { 1 } else { self.threads * PARTS_PER_THREAD }
    }
}

/// Makes a graph of its edges and the attributes of its vertices, with the charge for both.
///
/// Errors: 32 beyond the limit of memory.
pub(crate) fn graph_of(
    adjacency: Adjacency,
    attributes: &[AttributeSpec],
    columns: Vec<Column>,
    memory: &Arc<MemoryAccount>,
) -> Result<(Graph, Charge)> {
    let mut charge = Charge::new(Arc::clone(memory));
    charge.grow(adjacency.bytes())?;
    let mut graph = Graph::new(adjacency);
    for (spec, column) in attributes.iter().zip(columns) {
        charge.grow(column.bytes())?;
        graph.set_attribute(spec.name.clone(), column);
    }
    Ok((graph, charge))
}

/// Returns the ranges between points: from one, included, to the next, excluded.
fn ranges(mut points: Vec<String>) -> Vec<(Option<String>, Option<String>)> {
    points.sort();
    points.dedup();
    let starts = std::iter::once(None).chain(points.iter().cloned().map(Some));
    let ends = points.iter().cloned().map(Some).chain(std::iter::once(None));
    starts.zip(ends).collect()
}
