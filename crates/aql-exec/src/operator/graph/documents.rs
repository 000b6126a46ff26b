//! Documents of vertices and edges: late materialization, many at a time.

use std::sync::Arc;

use aql_value::Value;
use errors::{ErrorCode, Result};
use storage::Collection;

use crate::context::ExecutionContext;
use crate::graph_search::vertices::{Vertex, VertexArena};

/// Documents of vertices, each fetched once. All are dropped when they take too much memory.
pub(super) struct VertexDocuments {
    /// By vertex: position in `documents` plus one; 0 if it was not fetched.
    places: Vec<u32>,
    /// The documents; null for a vertex that does not exist.
    documents: Vec<Value>,
    /// The vertices of `documents`.
    vertices: Vec<Vertex>,
    bytes: u64,
    limit_bytes: u64,
}

/// Keys of one lookup.
const KEYS_PER_LOOKUP: usize = 1000;

/// Maximum size in bytes of documents that are kept for later, and the divisor of a query's own
/// limit for them.
const KEPT_MAX_BYTES: u64 = 16 << 20;
const KEPT_MEMORY_SHARE: u64 = 8;

impl VertexDocuments {
    pub(super) fn new(memory_limit_bytes: Option<u64>) -> Self {
        let own_share = memory_limit_bytes.map_or(KEPT_MAX_BYTES, |limit| limit / KEPT_MEMORY_SHARE);
        let limit_bytes = KEPT_MAX_BYTES.min(own_share);
        Self { places: Vec::new(), documents: Vec::new(), vertices: Vec::new(), bytes: 0, limit_bytes }
    }

    /// Returns the document of a vertex.
    ///
    /// It is null if the vertex does not exist or was not part of the last
    /// [`VertexDocuments::load`].
    pub(super) fn get(&self, vertex: Vertex) -> &Value {
        static NULL: Value = Value::Null;
        let place = self.places.get(vertex.index()).and_then(|place| place.checked_sub(1));
        place.and_then(|place| self.documents.get(place as usize)).unwrap_or(&NULL)
    }

    /// Fetches the documents of some vertices that are not known yet.
    ///
    /// A vertex that does not exist causes a warning.
    pub(super) fn load(
        &mut self,
        wanted: impl Iterator<Item = Vertex>,
        vertices: &VertexArena,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let missing = self.load_quietly(wanted, vertices, context)?;
        self.warn_of_missing(&missing, vertices, context)
    }

    /// Fetches documents like [`VertexDocuments::load`], without warnings.
    ///
    /// Returns the vertices that were looked up.
    pub(super) fn load_quietly(
        &mut self,
        wanted: impl Iterator<Item = Vertex>,
        vertices: &VertexArena,
        context: &mut ExecutionContext,
    ) -> Result<Vec<Vertex>> {
        if self.bytes > self.limit_bytes {
            self.clear();
        }
        let mut missing = Vec::new();
        for vertex in wanted {
            if self.places.len() <= vertex.index() {
                self.places.resize(vertices.len().max(vertex.index() + 1).next_power_of_two(), 0);
            }
            if let Some(place) = self.places.get_mut(vertex.index()).filter(|place| **place == 0) {
                self.documents.push(Value::Null);
                self.vertices.push(vertex);
                *place = self.documents.len() as u32;
                missing.push(vertex);
            }
        }
        for some in missing.chunks(KEYS_PER_LOOKUP) {
            context.interrupt.check()?;
            self.fetch(some, vertices, context)?;
        }
        Ok(missing)
    }

    fn fetch(
        &mut self,
        missing: &[Vertex],
        vertices: &VertexArena,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        let mut named: Vec<(&str, &str, Vertex)> = Vec::with_capacity(missing.len());
        for vertex in missing {
            if let Some((collection, key)) = vertices.collection_and_key(*vertex) {
                named.push((collection, key, *vertex));
            }
        }
        // Neighbouring keys lie in the same blocks.
        named.sort_unstable();
        for same in named.chunk_by(|left, right| left.0 == right.0) {
            let Some((name, ..)) = same.first() else { continue };
            let collection = context.environment.readable_vertices(name)?.cloned();
            let keys: Vec<&str> = same.iter().map(|(_, key, _)| *key).collect();
            let Some(collection) = collection else { continue };
            let mut vertices = same.iter().map(|(_, _, vertex)| *vertex);
            let statistics = &mut context.statistics;
            context.data.start().get_all(&collection, &keys, |found| {
                self.bytes += found.block.bytes.len() as u64;
                for (offset, vertex) in found.offsets.iter().zip(vertices.by_ref()) {
                    if let Some(offset) = offset {
                        statistics.document_lookups += 1;
                        self.set(vertex, Value::in_block(&found.block, *offset));
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn set(&mut self, vertex: Vertex, document: Value) {
        let place = self.places.get(vertex.index()).and_then(|place| place.checked_sub(1));
        if let Some(slot) = place.and_then(|place| self.documents.get_mut(place as usize)) {
            *slot = document;
        }
    }

    fn warn_of_missing(
        &self,
        wanted: &[Vertex],
        vertices: &VertexArena,
        context: &mut ExecutionContext,
    ) -> Result<()> {
        for vertex in wanted.iter().filter(|vertex| self.get(**vertex).is_null()) {
            let id = String::from_utf8_lossy(vertices.id(*vertex));
            let message = format!("vertex '{id}' not found");
            context.warnings.register(ErrorCode::DocumentNotFound, message)?;
        }
        Ok(())
    }

    fn clear(&mut self) {
        for vertex in self.vertices.drain(..) {
            if let Some(place) = self.places.get_mut(vertex.index()) {
                *place = 0;
            }
        }
        self.documents.clear();
        self.bytes = 0;
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        let places = self.places.capacity() * size_of::<u32>();
        let values = self.documents.capacity() * (size_of::<Value>() + size_of::<Vertex>());
        self.bytes + (places + values) as u64
    }
}

/// Returns the documents of edges, each given by its collection and key, in order.
///
/// A missing document is null; one snapshot has none.
pub(super) fn edge_documents(
    edges: &[(&Arc<Collection>, &[u8])],
    context: &mut ExecutionContext,
) -> Result<Vec<Value>> {
    let mut documents = vec![Value::Null; edges.len()];
    let mut named: Vec<(u64, &str, usize)> = Vec::with_capacity(edges.len());
    for (position, (collection, key)) in edges.iter().enumerate() {
        if let Ok(key) = std::str::from_utf8(key) {
            named.push((collection.id().0, key, position));
        }
    }
    named.sort_unstable();
    for same in named.chunk_by(|left, right| left.0 == right.0) {
        for some in same.chunks(KEYS_PER_LOOKUP) {
            context.interrupt.check()?;
            let collection = some.first().and_then(|(_, _, position)| edges.get(*position));
            let Some((collection, _)) = collection else { continue };
            let keys: Vec<&str> = some.iter().map(|(_, key, _)| *key).collect();
            context.statistics.document_lookups += keys.len() as u64;
            let mut positions = some.iter().map(|(_, _, position)| *position);
            context.data.start().get_all(collection, &keys, |found| {
                for (offset, position) in found.offsets.iter().zip(positions.by_ref()) {
                    if let (Some(slot), Some(offset)) = (documents.get_mut(position), offset) {
                        *slot = Value::in_block(&found.block, *offset);
                    }
                }
                Ok(())
            })?;
        }
    }
    Ok(documents)
}
