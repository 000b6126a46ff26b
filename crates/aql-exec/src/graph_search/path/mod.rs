//! Path searches between two vertices. No path visits a vertex twice.

mod all_shortest;
mod breadth_first;
mod dijkstra;
mod k_paths;
mod k_shortest;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use aql_value::Value;
use errors::Result;

use super::edges::{EdgeList, EdgeName};
use super::lookahead::Lookahead;
use super::vertices::Vertex;

pub(crate) use all_shortest::AllShortestPaths;
pub(crate) use k_paths::KPaths;
pub(crate) use k_shortest::KShortestPaths;

/// The end from which a search proceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The first vertex, along the edges.
    Start,
    /// The last vertex, against the direction in which paths follow edges.
    Target,
}

/// The services that a path search needs.
pub(crate) trait PathHost {
    /// Fills `list` with all edges by which paths may continue from a vertex.
    ///
    /// On the target's side these are the edges by which they may arrive. Weighted searches get
    /// non-negative weights. An edge has the same name on both sides.
    fn edges(&mut self, vertex: Vertex, side: Side, list: &mut EdgeList) -> Result<()>;

    /// Returns the number of vertices whose edges it reads concurrently; 1 if a prefetch has no
    /// effect.
    fn concurrent_reads(&self) -> usize {
        1
    }

    /// Prefetches the edges of vertices that will probably be read next.
    fn prefetch(&mut self, _vertices: &[Vertex], _side: Side) -> Result<()> {
        Ok(())
    }

    /// Ends the query if it was killed, or if the search takes too much memory. Called
    /// periodically.
    fn checkpoint(&mut self, search_bytes: u64) -> Result<()>;
}

/// Prefetches the vertices ahead of position `at` of a list that is read in order.
fn prefetch(
    ahead: &mut Lookahead,
    (at, len): (usize, usize),
    vertex: impl Fn(usize) -> Option<Vertex>,
    side: Side,
    host: &mut impl PathHost,
) -> Result<()> {
    let positions = ahead.advance(at, len, host.concurrent_reads());
    if positions.is_empty() {
        return Ok(());
    }
    host.prefetch(&positions.filter_map(vertex).collect::<Vec<_>>(), side)
}

/// An edge of a found path: its name in a list of keys, its ends, and its document if it is known.
pub(crate) type FoundEdge<'a> = (EdgeName, &'a [u8], (Vertex, Vertex), Value);

/// A path found by a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FoundPath {
    /// The vertices, at least one.
    pub(crate) vertices: Vec<Vertex>,
    /// The edges, one fewer than vertices.
    pub(crate) edges: Vec<EdgeName>,
    /// The keys of the edges.
    pub(crate) keys: Vec<u8>,
    /// The weight of each edge: 1 in searches without weights.
    pub(crate) weights: Vec<f64>,
}

impl FoundPath {
    /// Creates the path of one vertex.
    fn single(vertex: Vertex) -> Self {
        Self { vertices: vec![vertex], ..Self::default() }
    }

    /// Adds an edge, whose key lies in `keys`, and the vertex that it leads to.
    fn push(&mut self, edge: EdgeName, keys: &[u8], weight: f64, vertex: Vertex) {
        let edge = edge.copied(keys, &mut self.keys);
        self.edges.push(edge);
        self.weights.push(weight);
        self.vertices.push(vertex);
    }

    /// Appends a path that begins where this one ends.
    fn append(&mut self, rest: &FoundPath) {
        let steps = rest.edges.iter().zip(&rest.weights).zip(rest.vertices.iter().skip(1));
        for ((edge, weight), vertex) in steps {
            self.push(*edge, &rest.keys, *weight, *vertex);
        }
    }

    /// Returns edge `position`, with null in place of its unknown document.
    pub(crate) fn edge(&self, position: usize) -> Option<FoundEdge<'_>> {
        let ends = (*self.vertices.get(position)?, *self.vertices.get(position + 1)?);
        Some((*self.edges.get(position)?, &self.keys, ends, Value::Null))
    }

    /// Returns the sum of the edges' weights.
    pub(crate) fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Returns the first `edges` edges with their vertices.
    fn prefix(&self, edges: usize) -> Self {
        let mut prefix = Self::default();
        prefix.vertices.extend(self.vertices.first());
        let steps = self.edges.iter().zip(&self.weights).zip(self.vertices.iter().skip(1));
        for ((edge, weight), vertex) in steps.take(edges) {
            prefix.push(*edge, &self.keys, *weight, *vertex);
        }
        prefix
    }

    /// Returns the identity of edge `position` among others between its two vertices.
    fn edge_identity(&self, position: usize) -> (u16, &[u8]) {
        self.edges.get(position).map_or((0, &[]), |edge| (edge.access, edge.key(&self.keys)))
    }

    fn memory_bytes(&self) -> u64 {
        let vertices = self.vertices.capacity() * size_of::<Vertex>();
        let edges = self.edges.capacity() * (size_of::<EdgeName>() + size_of::<f64>());
        (size_of::<Self>() + vertices + edges + self.keys.capacity()) as u64
    }
}

/// The vertices and edges that a search must not use.
#[derive(Debug, Default)]
pub(crate) struct Excluded {
    /// Vertices that may not be visited.
    vertices: HashSet<Vertex>,
    /// Edges by access and key that may not be followed from the first vertex.
    first_edges: HashSet<(u16, Box<[u8]>)>,
    /// Bytes that the caller of the search keeps itself.
    kept_bytes: u64,
}

impl Excluded {
    fn is_nothing(&self) -> bool {
        self.vertices.is_empty() && self.first_edges.is_empty()
    }

    /// Returns true if an edge from `from` to `to`, in the direction of paths, may be followed.
    fn allows(&self, start: Vertex, from: Vertex, to: Vertex, edge: EdgeName, keys: &[u8]) -> bool {
        if !self.vertices.is_empty() && (self.vertices.contains(&from) || self.vertices.contains(&to)) {
            return false;
        }
        from != start
            || self.first_edges.is_empty()
            || !self.first_edges.contains(&(edge.access, Box::from(edge.key(keys))))
    }
}

/// A search for one lightest path, or for one with the fewest edges. It reuses its memory.
pub(crate) enum ShortestPath {
    /// By number of edges.
    Unweighted(breadth_first::Bidirectional),
    /// By weights.
    Weighted(dijkstra::Bidirectional),
}

impl ShortestPath {
    pub(crate) fn new(is_weighted: bool) -> Self {
        if is_weighted { Self::Weighted(Default::default()) } else { Self::Unweighted(Default::default()) }
    }

    /// Finds the path, if there is one.
    pub(crate) fn find(
        &mut self,
        start: Vertex,
        target: Vertex,
        host: &mut impl PathHost,
    ) -> Result<Option<FoundPath>> {
        self.find_without(start, target, &Excluded::default(), host)
    }

    fn find_without(
        &mut self,
        start: Vertex,
        target: Vertex,
        excluded: &Excluded,
        host: &mut impl PathHost,
    ) -> Result<Option<FoundPath>> {
        if start == target {
            return Ok(Some(FoundPath::single(start)));
        }
        match self {
            Self::Unweighted(search) => search.find(start, target, excluded, host),
            Self::Weighted(search) => search.find(start, target, excluded, host),
        }
    }
}
