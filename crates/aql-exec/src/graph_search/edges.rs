//! Edges found by a search.

use aql_value::Value;

use super::vertices::Vertex;

/// An edge found at a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoundEdge {
    /// The vertex that it leads to.
    pub(crate) vertex: Vertex,
    /// The name of the edge, with the direction of the step.
    pub(crate) name: EdgeName,
}

/// The name of an edge: its access, and the position of its `_key` in some buffer of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct EdgeName {
    pub(crate) access: u16,
    key_bytes: u8,
    key_start: u32,
}

impl EdgeName {
    /// Returns the edge's `_key` in the buffer that this name was made for.
    pub(crate) fn key(self, keys: &[u8]) -> &[u8] {
        let start = self.key_start as usize;
        keys.get(start..start + usize::from(self.key_bytes)).unwrap_or_default()
    }

    /// Returns the name of the same edge with its key copied from one buffer to another.
    pub(crate) fn copied(self, from: &[u8], to: &mut Vec<u8>) -> Self {
        Self::appended(self.access, self.key(from), to)
    }

    /// Creates the name of an edge whose key is appended to a buffer.
    ///
    /// Buffers stay below 4 GiB: the code that fills one accounts for its memory.
    pub(crate) fn appended(access: u16, key: &[u8], keys: &mut Vec<u8>) -> Self {
        let key_start = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        keys.extend_from_slice(key);
        Self { access, key_start, key_bytes: u8::try_from(key.len()).unwrap_or(u8::MAX) }
    }
}

/// Some edges of a vertex.
#[derive(Debug, Default)]
pub(crate) struct EdgeList {
    /// The edges in the order in which they were found.
    pub(crate) edges: Vec<FoundEdge>,
    /// The keys of the edges.
    pub(crate) keys: Vec<u8>,
    /// The document of each edge, if finding the edges required reading it; otherwise empty.
    pub(crate) documents: Vec<Value>,
    /// The weight of each edge, in searches by weight; otherwise empty.
    pub(crate) weights: Vec<f64>,
}

impl EdgeList {
    /// Adds an edge.
    pub(crate) fn push(&mut self, vertex: Vertex, access: u16, key: &[u8]) {
        let name = EdgeName::appended(access, key, &mut self.keys);
        self.edges.push(FoundEdge { vertex, name });
    }

    /// Drops all edges.
    pub(crate) fn clear(&mut self) {
        self.edges.clear();
        self.keys.clear();
        self.documents.clear();
        self.weights.clear();
    }
}

/// The position up to which the edges of a vertex have been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReadPosition {
    /// The access in progress.
    pub(crate) access: usize,
    /// The key of the edge after which to resume.
    pub(crate) after: Option<Vec<u8>>,
    /// The number of the scan to resume.
    pub(crate) scan: Option<usize>,
}
