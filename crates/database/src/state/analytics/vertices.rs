//! The names of the vertices of a graph in memory: a number for each document identifier.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use aql_value::{Charge, MemoryAccount};
use errors::{Error, Result};
use graph_analytics::graph::check_vertex_count;
use hashbrown::HashTable;
use rapidhash::fast::SeedableState;

/// Bytes that a vertex takes beside its key: its end, its collection, and its place in the table.
const BYTES_PER_VERTEX: u64 = 8 + 2 + 10;

/// The identifiers of vertices, in order of their numbers.
#[derive(Debug)]
pub(crate) struct Vertices {
    collections: Vec<Arc<str>>,
    /// The keys of all vertices, one after the other, and where each ends.
    keys: Vec<u8>,
    ends: Vec<u64>,
    /// The position in `collections` of each vertex's collection.
    collection_of: Vec<u16>,
    numbers: HashTable<u32>,
    seed: u64,
    charge: Charge,
}

impl Vertices {
    /// Makes an empty list, whose memory `memory` is charged for.
    pub(crate) fn new(memory: Arc<MemoryAccount>) -> Self {
        Vertices {
            collections: Vec::new(),
            keys: Vec::new(),
            ends: Vec::new(),
            collection_of: Vec::new(),
            numbers: HashTable::new(),
            seed: fastrand::u64(..),
            charge: Charge::new(memory),
        }
    }

    /// Returns the bytes that vertices take, of whose keys `key_bytes` are known or estimated.
    pub(crate) fn bytes_of(vertices: u64, key_bytes: u64) -> u64 {
        vertices.saturating_mul(BYTES_PER_VERTEX).saturating_add(key_bytes)
    }

    /// Makes room for vertices that will be added.
    ///
    /// Errors: 32 beyond the limit of memory, 10 for more vertices than can be numbered.
    pub(crate) fn reserve(&mut self, vertices: usize, key_bytes: usize) -> Result<()> {
        check_vertex_count((self.len() + vertices) as u64)?;
        self.charge.grow(Vertices::bytes_of(vertices as u64, key_bytes as u64))?;
        self.keys.reserve(key_bytes);
        self.ends.reserve(vertices);
        self.collection_of.reserve(vertices);
        let Vertices { numbers, collection_of, keys, ends, seed, .. } = self;
        numbers.reserve(vertices, |vertex| hash_of(*seed, collection_of, keys, ends, *vertex));
        Ok(())
    }

    /// Returns the number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the position of a collection, which is added if it is new.
    ///
    /// Errors: 10 for too many collections.
    pub(crate) fn collection(&mut self, name: &str) -> Result<u16> {
        if let Some(number) = self.collection_number(name) {
            return Ok(number);
        }
        let number = u16::try_from(self.collections.len())
            .map_err(|_| Error::bad_parameter("the vertices of the graph are in too many collections"))?;
        self.collections.push(name.into());
        Ok(number)
    }

    /// Adds a vertex for which there is room. Returns false if it is there already.
    pub(crate) fn add(&mut self, collection: u16, key: &str) -> bool {
        if self.find_in(collection, key).is_some() {
            return false;
        }
        let number = self.len() as u32;
        let hash = hash(self.seed, collection, key.as_bytes());
        self.keys.extend_from_slice(key.as_bytes());
        self.ends.push(self.keys.len() as u64);
        self.collection_of.push(collection);
        let Vertices { numbers, collection_of, keys, ends, seed, .. } = self;
        numbers.insert_unique(hash, number, |vertex| hash_of(*seed, collection_of, keys, ends, *vertex));
        true
    }

    /// Returns the number of the vertex with an identifier.
    pub(crate) fn find(&self, id: &str) -> Option<u32> {
        let (collection, key) = id.split_once('/')?;
        self.find_in(self.collection_number(collection)?, key)
    }

    /// Returns the collection's name and the key of a vertex.
    pub(crate) fn get(&self, vertex: u32) -> Option<(&Arc<str>, &str)> {
        let key = std::str::from_utf8(key_of(&self.keys, &self.ends, vertex)).ok()?;
        let collection = *self.collection_of.get(vertex as usize)?;
        Some((self.collections.get(usize::from(collection))?, key))
    }

    /// Returns the names of the collections in order of their positions.
    pub(crate) fn collections(&self) -> &[Arc<str>] {
        &self.collections
    }

    /// Returns the bytes that are charged for the list.
    pub(crate) fn bytes(&self) -> u64 {
        self.charge.bytes()
    }

    fn find_in(&self, collection: u16, key: &str) -> Option<u32> {
        let is_it = |vertex: &u32| {
            self.collection_of.get(*vertex as usize) == Some(&collection)
                && key_of(&self.keys, &self.ends, *vertex) == key.as_bytes()
        };
        self.numbers.find(hash(self.seed, collection, key.as_bytes()), is_it).copied()
    }

    fn collection_number(&self, name: &str) -> Option<u16> {
        // Graphs have few collections.
        self.collections.iter().position(|its| **its == *name).map(|position| position as u16)
    }
}

fn key_of<'k>(keys: &'k [u8], ends: &[u64], vertex: u32) -> &'k [u8] {
    let vertex = vertex as usize;
    let start = vertex.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or_default();
    let end = ends.get(vertex).copied().unwrap_or_default();
    keys.get(start as usize..end as usize).unwrap_or_default()
}

fn hash_of(seed: u64, collection_of: &[u16], keys: &[u8], ends: &[u64], vertex: u32) -> u64 {
    let collection = collection_of.get(vertex as usize).copied().unwrap_or_default();
    hash(seed, collection, key_of(keys, ends, vertex))
}

/// Hashes a vertex. The seed keeps clients from choosing keys that collide.
fn hash(seed: u64, collection: u16, key: &[u8]) -> u64 {
    let mut hasher = SeedableState::fixed().build_hasher();
    hasher.write_u64(seed ^ u64::from(collection));
    hasher.write(key);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_found_by_their_identifiers() {
        let memory = Arc::new(MemoryAccount::new(Some(1 << 20), None));
        let mut vertices = Vertices::new(Arc::clone(&memory));
        vertices.reserve(4, 16).unwrap();
        let (persons, places) =
            (vertices.collection("persons").unwrap(), vertices.collection("places").unwrap());
        assert!(vertices.add(persons, "a") && vertices.add(places, "a") && vertices.add(persons, "b"));
        assert!(!vertices.add(persons, "a"), "the vertex is there already");
        assert_eq!(vertices.find("places/a"), Some(1));
        assert_eq!(vertices.get(2).map(|(collection, key)| (&**collection, key)), Some(("persons", "b")));
        assert_eq!(
            (vertices.find("places/b"), vertices.find("persons"), vertices.find("x/a")),
            (None, None, None)
        );
        assert!(memory.used_bytes() > 0);
        drop(vertices);
        assert_eq!(memory.used_bytes(), 0);
    }

    #[test]
    fn more_vertices_than_fit_into_memory_are_refused() {
        let mut vertices = Vertices::new(Arc::new(MemoryAccount::new(Some(1 << 20), None)));
        assert_eq!(vertices.reserve(100_000, 1_000_000).unwrap_err().number(), 32);
    }
}
