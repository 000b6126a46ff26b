//! Edges as a search finds them.

use super::vertices::Vertex;
use aql_value::Value;

/// An edge found at a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoundEdge {
    /// The vertex that it leads to.
    pub(crate) vertex: Vertex,
    /// Which edge and how it is followed.
    pub(crate) name: EdgeName,
}

/// An edge: the access that it was found by, and where its `_key` lies in some buffer of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct EdgeName {
    pub(crate) access: u16,
    key_bytes: u8,
    key_start: u32,
}

impl EdgeName {
    /// The edge's `_key` in the buffer that this name was made for.
    pub(crate) fn key(self, keys: &[u8]) -> &[u8] {
        let start = self.key_start as usize;
        keys.get(start..start + usize::from(self.key_bytes)).unwrap_or_default()
    }

    /// The same edge with its key copied from one buffer to another.
    pub(crate) fn copied(self, from: &[u8], to: &mut Vec<u8>) -> Self {
        Self::appended(self.access, self.key(from), to)
    }

    /// An edge whose key is appended to a buffer. Buffers stay below 4 GiB: whoever fills one accounts for it.
    pub(crate) fn appended(access: u16, key: &[u8], keys: &mut Vec<u8>) -> Self {
        let key_start = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        keys.extend_from_slice(key);
        Self { access, key_start, key_bytes: u8::try_from(key.len()).unwrap_or(u8::MAX) }
    }
}

/// Some edges of a vertex.
#[derive(Debug, Default)]
pub(crate) struct EdgeList {
    /// In the order in which they were found.
    pub(crate) edges: Vec<FoundEdge>,
    /// The keys of the edges.
    pub(crate) keys: Vec<u8>,
    /// The document of each edge, if they had to be read to find the edges; otherwise empty.
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

    /// Forgets all edges.
    pub(crate) fn clear(&mut self) {
        self.edges.clear();
        self.keys.clear();
        self.documents.clear();
        self.weights.clear();
    }
}

/// How far the edges of a vertex have been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReadPosition {
    /// The access that is read.
    pub(crate) access: usize,
    /// The key of the edge to go on behind.
    pub(crate) after: Option<Vec<u8>>,
    /// The number of a scan to go on with.
    pub(crate) scan: Option<usize>,
}
