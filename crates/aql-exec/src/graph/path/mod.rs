//! Searches for paths between two vertices. No path visits a vertex twice.

mod all_shortest;
mod breadth_first;
mod dijkstra;
mod k_paths;
mod k_shortest;
#[cfg(test)]
mod tests;

pub(crate) use all_shortest::AllShortestPaths;
pub(crate) use k_paths::KPaths;
pub(crate) use k_shortest::KShortestPaths;

use super::edges::{EdgeList, EdgeName};
use super::vertices::Vertex;
use aql_value::{Result, Value};
use std::collections::HashSet;

/// From which of the two vertices a search goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// From the first vertex, along the edges.
    Start,
    /// From the last vertex, against the direction in which paths follow edges.
    Target,
}

/// What a search asks of its surroundings.
pub(crate) trait PathHost {
    /// Puts into `list` all edges by which paths may go on from a vertex; on the target's side those by which they may
    /// come to it; with their weights, none of them negative, in searches by weight. An edge has the same name on both
    /// sides.
    fn edges(&mut self, vertex: Vertex, side: Side, list: &mut EdgeList) -> Result<()>;

    /// To be called now and then: ends the query if it was killed, or if the search takes more memory than there is.
    fn checkpoint(&mut self, search_bytes: u64) -> Result<()>;
}

/// An edge of a found path: its name in a list of keys, its ends, and its document as far as it is known.
pub(crate) type FoundEdge<'a> = (EdgeName, &'a [u8], (Vertex, Vertex), Value);

/// A path that was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FoundPath {
    /// At least one.
    pub(crate) vertices: Vec<Vertex>,
    /// One fewer.
    pub(crate) edges: Vec<EdgeName>,
    /// The keys of the edges.
    pub(crate) keys: Vec<u8>,
    /// The weight of each edge: 1 in searches without weights.
    pub(crate) weights: Vec<f64>,
}

impl FoundPath {
    /// The path of one vertex.
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

    /// Adds the edges and vertices of a path that begins where this one ends.
    fn append(&mut self, rest: &FoundPath) {
        let steps = rest.edges.iter().zip(&rest.weights).zip(rest.vertices.iter().skip(1));
        for ((edge, weight), vertex) in steps {
            self.push(*edge, &rest.keys, *weight, *vertex);
        }
    }

    /// Edge `position`: its name in a list of keys, its ends, and in place of its document, which is not known, null.
    pub(crate) fn edge(&self, position: usize) -> Option<FoundEdge<'_>> {
        let ends = (*self.vertices.get(position)?, *self.vertices.get(position + 1)?);
        Some((*self.edges.get(position)?, &self.keys, ends, Value::Null))
    }

    /// Sum of the edges' weights.
    pub(crate) fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The first `edges` edges with their vertices.
    fn prefix(&self, edges: usize) -> Self {
        let mut prefix = Self::default();
        prefix.vertices.extend(self.vertices.first());
        let steps = self.edges.iter().zip(&self.weights).zip(self.vertices.iter().skip(1));
        for ((edge, weight), vertex) in steps.take(edges) {
            prefix.push(*edge, &self.keys, *weight, *vertex);
        }
        prefix
    }

    /// What tells edge `position` from others between its two vertices.
    fn edge_identity(&self, position: usize) -> (u16, &[u8]) {
        self.edges.get(position).map_or((0, &[]), |edge| (edge.access, edge.key(&self.keys)))
    }

    fn memory_bytes(&self) -> u64 {
        let vertices = self.vertices.capacity() * size_of::<Vertex>();
        let edges = self.edges.capacity() * (size_of::<EdgeName>() + size_of::<f64>());
        (size_of::<Self>() + vertices + edges + self.keys.capacity()) as u64
    }
}

/// What a search must not use.
#[derive(Debug, Default)]
pub(crate) struct Excluded {
    /// Vertices that may not be visited.
    vertices: HashSet<Vertex>,
    /// Edges by access and key that may not be followed from the first vertex.
    first_edges: HashSet<(u16, Box<[u8]>)>,
    /// Bytes that whoever asks for the search keeps himself.
    kept_bytes: u64,
}

impl Excluded {
    fn is_nothing(&self) -> bool {
        self.vertices.is_empty() && self.first_edges.is_empty()
    }

    /// Whether an edge that leads from `from` to `to` in the direction of paths may be followed.
    fn allows(&self, start: Vertex, from: Vertex, to: Vertex, edge: EdgeName, keys: &[u8]) -> bool {
        if !self.vertices.is_empty() && (self.vertices.contains(&from) || self.vertices.contains(&to)) {
            return false;
        }
        from != start
            || self.first_edges.is_empty()
            || !self.first_edges.contains(&(edge.access, Box::from(edge.key(keys))))
    }
}

/// Finds one lightest path; without weights one with the fewest edges. Keeps its memory from one search to the next.
pub(crate) enum ShortestPath {
    /// Each edge counts one.
    Unweighted(breadth_first::Bidirectional),
    /// By weights.
    Weighted(dijkstra::Bidirectional),
}

impl ShortestPath {
    pub(crate) fn new(is_weighted: bool) -> Self {
        if is_weighted { Self::Weighted(Default::default()) } else { Self::Unweighted(Default::default()) }
    }

    /// The path, if there is one.
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
