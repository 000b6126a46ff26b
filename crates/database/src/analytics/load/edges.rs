//! Reads the edges of a graph.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aql_value::{Charge, MemoryAccount};
use errors::{Error, Result};
use graph_analytics::{Adjacency, Edge, EdgeRuns, Work};
use rayon::prelude::*;
use storage::{Collection, DocumentScanSpec, EdgeDirection, KeyBound};
use velocypack::Slice;

use super::{BLOCK, LoadRequest, ranges};
use crate::state::analytics::Vertices;

/// Edges that are listed one after the other.
pub(crate) struct EdgeLists {
    edges: Vec<Edge>,
    charge: Charge,
    dangling: u64,
}

impl EdgeLists {
    pub(crate) fn new(memory: &Arc<MemoryAccount>) -> Self {
        EdgeLists { edges: Vec::new(), charge: Charge::new(Arc::clone(memory)), dangling: 0 }
    }

    /// Adds the edge of a document. `weight` is the attribute with its weight.
    ///
    /// Errors: 10 for a weight that is no number, 32 beyond the limit of memory.
    pub(crate) fn add(&mut self, vertices: &Vertices, edge: Slice<'_>, weight: Option<&str>) -> Result<()> {
        let vertex = |name: &str| edge.get(name).and_then(Slice::as_str).and_then(|id| vertices.find(id));
        let (Some(from), Some(to)) = (vertex("_from"), vertex("_to")) else {
            self.dangling += 1;
            return Ok(());
        };
        if self.edges.len() == self.edges.capacity() {
            let more = self.edges.len().max(1_024);
            self.charge.grow((more * size_of::<Edge>()) as u64)?;
            self.edges.reserve_exact(more);
        }
        let weight = weight.map_or(Ok(1.0), |name| weight_of(edge, name))?;
        self.edges.push(Edge { from, to, weight });
        Ok(())
    }

    /// Makes the rows of all edges. Returns also the number of edges that were left out.
    pub(crate) fn finish(
        lists: &[EdgeLists],
        vertices: &Vertices,
        is_weighted: bool,
        work: &Work,
    ) -> Result<(Adjacency, u64)> {
        let edges: Vec<&[Edge]> = lists.iter().map(|list| list.edges.as_slice()).collect();
        let count: usize = edges.iter().map(|edges| edges.len()).sum();
        let _rows = work.reserve(Adjacency::bytes_of(vertices.len() as u64, count as u64, is_weighted))?;
        let adjacency = Adjacency::from_edges(work, vertices.len(), &edges, is_weighted)?;
        Ok((adjacency, lists.iter().map(|list| list.dangling).sum()))
    }
}

/// Returns the weight of an edge; 1 where it has none.
fn weight_of(edge: Slice<'_>, name: &str) -> Result<f64> {
    let path: Vec<&str> = name.split('.').collect();
    match edge.get_path(&path).filter(|value| !value.is_null()) {
        None => Ok(1.0),
        Some(value) => value.as_f64().filter(|weight| weight.is_finite()).ok_or_else(|| {
            let id = edge.get("_key").and_then(Slice::as_str).unwrap_or_default();
            Error::bad_parameter(format!("the weight '{name}' of the edge with the key '{id}' is no number"))
        }),
    }
}

impl LoadRequest<'_> {
    /// Reads the edges, and counts those that lead to a vertex that is not in the graph.
    pub(super) fn load_edges(&self, vertices: &Vertices) -> Result<(Adjacency, u64)> {
        match self.weight {
            Some(weight) => self.load_documents(vertices, weight),
            None => self.load_index(vertices),
        }
    }

    /// Reads edges without weights from the edge index, whose entries are together at each vertex.
    fn load_index(&self, vertices: &Vertices) -> Result<(Adjacency, u64)> {
        let bounds = self.vertex_ranges(vertices);
        let dangling = AtomicU64::new(0);
        let parts =
            self.edges.iter().flat_map(|collection| bounds.iter().map(move |bounds| (collection, bounds)));
        let parts: Result<Vec<(EdgeRuns, Charge)>> = parts
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|(collection, (from, to))| {
                self.walk(collection, (from.as_deref(), to.as_deref()), vertices, &dangling)
            })
            .collect();
        // The charges are for the runs, which live until the rows are made.
        let (runs, _charges): (Vec<EdgeRuns>, Vec<Charge>) = parts?.into_iter().unzip();
        let count: usize = runs.iter().map(|part| part.targets.len()).sum();
        let _rows = self.work.reserve(Adjacency::bytes_of(vertices.len() as u64, count as u64, false))?;
        let adjacency = Adjacency::from_runs(self.work, vertices.len(), &runs)?;
        Ok((adjacency, dangling.into_inner()))
    }

    /// Returns ranges of identifiers that have similar numbers of vertices, in byte order.
    fn vertex_ranges(&self, vertices: &Vertices) -> Vec<(Option<String>, Option<String>)> {
        let step = (vertices.len() / self.parts()).max(1);
        let id = |vertex: usize| {
            vertices.get(vertex as u32).map(|(collection, key)| format!("{collection}/{key}"))
        };
        ranges((1..self.parts()).filter_map(|part| id(part * step)).collect())
    }

    fn walk(
        &self,
        collection: &Collection,
        (from, to): (Option<&str>, Option<&str>),
        vertices: &Vertices,
        dangling: &AtomicU64,
    ) -> Result<(EdgeRuns, Charge)> {
        let mut walk = self.snapshot.edge_walk(collection, EdgeDirection::Outbound, from, to)?;
        let (mut runs, mut charge) = (EdgeRuns::default(), Charge::new(Arc::clone(&self.memory)));
        let (mut last, mut number, mut left_out) = (String::new(), None, 0);
        while let Some(edges) = walk.next_block(BLOCK)? {
            self.work.check()?;
            for ends in edges.iter() {
                let (vertex, other) = ends?;
                if vertex != last {
                    last.clear();
                    last.push_str(vertex);
                    number = vertices.find(vertex);
                }
                let (Some(number), Some(other)) = (number, vertices.find(other)) else {
                    left_out += 1;
                    continue;
                };
                match runs.runs.last_mut() {
                    Some((of, count)) if *of == number && *count < u32::MAX => *count += 1,
                    _ => runs.runs.push((number, 1)),
                }
                runs.targets.push(other);
            }
            let bytes = (runs.runs.capacity() * 8 + runs.targets.capacity() * 4) as u64;
            charge.grow(bytes.saturating_sub(charge.bytes()))?;
        }
        dangling.fetch_add(left_out, Ordering::Relaxed);
        Ok((runs, charge))
    }

    /// Reads edges with weights from their documents.
    fn load_documents(&self, vertices: &Vertices, weight: &str) -> Result<(Adjacency, u64)> {
        let mut parts = Vec::new();
        for collection in &self.edges {
            if !collection.is_edge() {
                // The error of a collection without edges is that of the walk.
                self.snapshot.edge_walk(collection, EdgeDirection::Outbound, None, None)?;
            }
            let bounds = ranges(self.store.split_points(collection, self.parts())?);
            parts.extend(bounds.into_iter().map(|bounds| (collection, bounds)));
        }
        let lists: Result<Vec<EdgeLists>> = parts
            .into_par_iter()
            .map(|(collection, (from, to))| {
                let spec = DocumentScanSpec {
                    from_key: from.map(|key| KeyBound { key, inclusive: true }),
                    to_key: to.map(|key| KeyBound { key, inclusive: false }),
                    sequential: true,
                    ..DocumentScanSpec::default()
                };
                let (mut list, mut scan) =
                    (EdgeLists::new(&self.memory), self.snapshot.scan(collection, &spec)?);
                while let Some(documents) = scan.next_block(BLOCK)? {
                    self.work.check()?;
                    documents.iter().try_for_each(|edge| list.add(vertices, edge, Some(weight)))?;
                }
                Ok(list)
            })
            .collect();
        EdgeLists::finish(&lists?, vertices, true, self.work)
    }
}
