//! Identifiers of vertices as small numbers: a search compares and marks numbers instead of text.

use std::hash::{BuildHasher, Hasher, RandomState};

use errors::{Error, ErrorCode, Result};
use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

/// A vertex of a query, numbered from 0 in the order of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Vertex(pub(crate) u32);

impl Vertex {
    /// Returns its position in arrays that have a place for each vertex.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The identifiers found so far, each once.
pub(crate) struct VertexArena {
    /// All identifiers, concatenated.
    bytes: Vec<u8>,
    /// The end of each identifier.
    ends: Vec<u32>,
    /// An open-addressing table of the hash and the vertex plus one; 0 for a free place.
    ///
    /// The lowest bits of the hash select the first place. The length is a power of two.
    table: Vec<(u32, u32)>,
    /// Keys of the hash, different in each query, because clients choose identifiers.
    secrets: RapidSecrets,
}

/// Places of an empty arena's table.
const SMALLEST_TABLE: usize = 64;

impl VertexArena {
    pub(crate) fn new() -> Self {
        let seed = RandomState::new().build_hasher().finish();
        let table = vec![(0, 0); SMALLEST_TABLE];
        Self { bytes: Vec::new(), ends: Vec::new(), table, secrets: RapidSecrets::seed(seed) }
    }

    /// Returns the number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the vertex with an identifier. Errors: 32 if the identifiers reach 4 GiB.
    pub(crate) fn intern(&mut self, id: &[u8]) -> Result<Vertex> {
        let hash = rapidhash_v3_seeded(id, &self.secrets) as u32;
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while let Some(&(found, vertex)) = self.table.get(place)
            && vertex != 0
        {
            if found == hash && self.id(Vertex(vertex - 1)) == id {
                return Ok(Vertex(vertex - 1));
            }
            place = (place + 1) & mask;
        }
        self.insert(id, place, hash)
    }

    fn insert(&mut self, id: &[u8], place: usize, hash: u32) -> Result<Vertex> {
        let too_many = || Error::new(ErrorCode::ResourceLimit, "too many vertices in a graph query");
        let end = u32::try_from(self.bytes.len() + id.len()).map_err(|_| too_many())?;
        let vertex = u32::try_from(self.ends.len()).ok().filter(|vertex| *vertex < u32::MAX - 1);
        let vertex = vertex.ok_or_else(too_many)?;
        self.bytes.extend_from_slice(id);
        self.ends.push(end);
        if let Some(entry) = self.table.get_mut(place) {
            *entry = (hash, vertex + 1);
        }
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
        Ok(Vertex(vertex))
    }

    fn grow(&mut self) {
        let mut table = vec![(0, 0); self.table.len() * 2];
        let mask = table.len() - 1;
        for known in self.table.iter().filter(|(_, vertex)| *vertex != 0) {
            let mut place = known.0 as usize & mask;
            while table.get(place).is_some_and(|(_, taken)| *taken != 0) {
                place = (place + 1) & mask;
            }
            if let Some(entry) = table.get_mut(place) {
                *entry = *known;
            }
        }
        self.table = table;
    }

    /// Returns the identifier of a vertex.
    pub(crate) fn id(&self, vertex: Vertex) -> &[u8] {
        let start = vertex.index().checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(vertex.index()).copied().unwrap_or(0);
        self.bytes.get(start.unwrap_or(0) as usize..end as usize).unwrap_or_default()
    }

    /// Splits the identifier of a vertex into collection and key. `None` for text that is no
    /// identifier.
    pub(crate) fn collection_and_key(&self, vertex: Vertex) -> Option<(&str, &str)> {
        std::str::from_utf8(self.id(vertex)).ok()?.split_once('/')
    }

    /// Returns the bytes of memory.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let entries =
            self.ends.capacity() * size_of::<u32>() + self.table.capacity() * size_of::<(u32, u32)>();
        (self.bytes.capacity() + entries) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_identifiers_are_one_vertex() {
        let mut arena = VertexArena::new();
        let ids: Vec<String> = (0..10_000).map(|number| format!("v/{}", number * 7919 % 5000)).collect();
        let vertices: Vec<Vertex> = ids.iter().map(|id| arena.intern(id.as_bytes()).unwrap()).collect();
        assert_eq!(arena.len(), 5000);
        for (id, vertex) in ids.iter().zip(vertices) {
            assert_eq!(arena.id(vertex), id.as_bytes());
            assert_eq!(arena.intern(id.as_bytes()).unwrap(), vertex);
        }
        assert!(arena.memory_bytes() > 5000 * 4);
    }

    #[test]
    fn identifiers_are_taken_apart_at_the_first_slash() {
        let mut arena = VertexArena::new();
        let mut parts = |id: &[u8]| {
            let vertex = arena.intern(id).unwrap();
            arena.collection_and_key(vertex).map(|(collection, key)| format!("{collection}|{key}"))
        };
        assert_eq!(parts(b"v/1").as_deref(), Some("v|1"));
        assert_eq!(parts(b"v/1/2").as_deref(), Some("v|1/2"));
        assert_eq!((parts(b""), parts(b"v"), parts(b"v/\xff")), (None, None, None));
    }
}
