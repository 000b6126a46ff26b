//! Vertices known to exist without a lookup.
//!
//! The edge lists that storage keeps in memory record it, once a query has found all vertices of a
//! list.

use std::sync::Arc;

use storage::{Collection, EdgeEnds, LastLoss, VertexEdges};

use crate::context::ExecutionContext;
use crate::graph_search::edges::FoundEdge;
use crate::graph_search::vertices::{Vertex, VertexArena};

/// The knowledge of a query about the existence of vertices.
#[derive(Default)]
pub(super) struct VertexExistence {
    /// By vertex: true if it is known to exist.
    known: Vec<bool>,
    /// Collections of the vertices found so far.
    collections: Vec<VertexCollection>,
    /// Edge lists with vertices at the other ends that are not known to exist.
    unproven: Vec<UnprovenList>,
    /// Those vertices, list after list.
    ends: Vec<Vertex>,
}

/// A collection to which edges lead.
struct VertexCollection {
    /// The prefix of identifiers of its vertices: its name and a slash.
    prefix: Box<[u8]>,
    collection: Arc<Collection>,
    last_loss: LastLoss,
}

struct UnprovenList {
    ends: EdgeEnds,
    /// The first of its vertices that is not known to exist.
    from: usize,
    to: usize,
    /// The first vertex of the list.
    first: usize,
}

/// Maximum number of collections that are distinguished; lists that lead to others are not used.
const MOST_COLLECTIONS: usize = 64;

/// Maximum number of vertices of lists to be proven; further lists are left to later queries.
const MOST_UNPROVEN: usize = 1 << 16;

impl VertexExistence {
    /// Returns true if a vertex is known to exist.
    pub(super) fn knows(&self, vertex: Vertex) -> bool {
        self.known.get(vertex.index()).copied().unwrap_or(false)
    }

    /// Learns from a list of edges; `found` are the vertices at the other ends.
    pub(super) fn learn(&mut self, edges: VertexEdges<'_>, found: &[FoundEdge], context: &ExecutionContext) {
        let mut last_loss = LastLoss::default();
        for (_, other) in edges.iter() {
            let Some(collection) = self.collection_of(other, context) else { return };
            last_loss = last_loss.max(collection.last_loss);
        }
        if edges.ends_exist(last_loss) {
            self.note(found);
        } else if let Some(ends) = edges.ends().filter(|_| self.ends.len() + found.len() <= MOST_UNPROVEN) {
            let first = self.ends.len();
            self.ends.extend(found.iter().map(|edge| edge.vertex));
            self.unproven.push(UnprovenList { ends, from: first, to: self.ends.len(), first });
        }
    }

    /// Records that the vertices exist that edges lead to.
    fn note(&mut self, found: &[FoundEdge]) {
        let end = found.iter().map(|edge| edge.vertex.index() + 1).max().unwrap_or(0);
        if self.known.len() < end {
            self.known.resize(end, false);
        }
        for edge in found {
            if let Some(known) = self.known.get_mut(edge.vertex.index()) {
                *known = true;
            }
        }
    }

    /// Marks in storage the lists whose vertices are now all known to exist.
    pub(super) fn prove(&mut self, is_found: impl Fn(Vertex) -> bool, vertices: &VertexArena) {
        let mut unproven = std::mem::take(&mut self.unproven);
        unproven.retain_mut(|list| {
            let ahead = self.ends.get(list.from..list.to).unwrap_or_default();
            let exists = |vertex: &&Vertex| self.knows(**vertex) || is_found(**vertex);
            list.from += ahead.iter().take_while(exists).count();
            if list.from < list.to {
                return true;
            }
            let all = self.ends.get(list.first..list.to).unwrap_or_default();
            let collections: Option<Vec<_>> =
                all.iter().map(|vertex| self.known_collection(vertices.id(*vertex))).collect();
            if let Some(collections) = collections {
                list.ends.note_existing(collections.into_iter().map(|known| known.collection.commits()));
            }
            false
        });
        if unproven.is_empty() {
            self.ends.clear();
        }
        self.unproven = unproven;
    }

    fn known_collection(&self, id: &[u8]) -> Option<&VertexCollection> {
        self.collections.iter().find(|known| id.starts_with(&known.prefix))
    }

    /// Returns the collection of an identifier; `None` if there is none, or the user may not read
    /// it.
    fn collection_of(&mut self, id: &[u8], context: &ExecutionContext) -> Option<&VertexCollection> {
        let position = self.collections.iter().position(|known| id.starts_with(&known.prefix));
        if let Some(position) = position {
            return self.collections.get(position);
        }
        let slash = id.iter().position(|byte| *byte == b'/')?;
        let name = std::str::from_utf8(id.get(..slash)?).ok()?;
        // The code that reads the collection reports the error if the user may not.
        let collection = context.environment.readable_vertices(name).ok().flatten()?;
        // A number can also name a collection, but identifiers of documents do not use it.
        let is_restricted = !matches!(context.data.start().restriction(collection), Ok(None));
        // The user may see fewer vertices than are stored.
        if is_restricted || collection.name() != name || self.collections.len() >= MOST_COLLECTIONS {
            return None;
        }
        self.collections.push(VertexCollection {
            prefix: id.get(..=slash)?.into(),
            collection: Arc::clone(collection),
            last_loss: context.data.start().last_loss(collection),
        });
        self.collections.last()
    }

    /// Returns the bytes of memory.
    pub(super) fn memory_bytes(&self) -> u64 {
        let lists = self.unproven.capacity() * size_of::<UnprovenList>();
        (self.known.capacity() + lists + self.ends.capacity() * size_of::<Vertex>()) as u64
    }
}
