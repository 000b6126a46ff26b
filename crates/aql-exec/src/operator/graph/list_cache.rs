//! A cache of the edges of vertices.

use crate::graph_search::edges::{EdgeList, FoundEdge};
use crate::graph_search::vertices::Vertex;

/// Complete lists of edges by vertex. All are dropped when they take too much memory.
pub(super) struct ListCache {
    places: Vec<Place>,
    edges: Vec<FoundEdge>,
    keys: Vec<u8>,
    weights: Vec<f64>,
    limit_bytes: u64,
}

/// The place of a vertex's list.
#[derive(Clone, Copy)]
struct Place {
    first_edge: u32,
    /// Number of edges; [`UNKNOWN`] if the list is not cached.
    edges: u32,
    first_key: u32,
    key_bytes: u32,
}

const UNKNOWN: u32 = u32::MAX;

/// Maximum number of edges of a cached list.
pub(super) const LONGEST_LIST: usize = 4096;

impl ListCache {
    pub(super) fn new(limit_bytes: u64) -> Self {
        Self { places: Vec::new(), edges: Vec::new(), keys: Vec::new(), weights: Vec::new(), limit_bytes }
    }

    /// Returns true if the list of a vertex is cached.
    pub(super) fn has(&self, vertex: Vertex) -> bool {
        self.places.get(vertex.index()).is_some_and(|place| place.edges != UNKNOWN)
    }

    /// Appends the list of a vertex to an empty one; false if it is not cached.
    ///
    /// The names of edges stay valid: they count from the start of the list's own keys.
    pub(super) fn get(&self, vertex: Vertex, list: &mut EdgeList) -> bool {
        let Some(place) = self.places.get(vertex.index()).filter(|place| place.edges != UNKNOWN) else {
            return false;
        };
        let edges = place.first_edge as usize..place.first_edge as usize + place.edges as usize;
        let keys = place.first_key as usize..place.first_key as usize + place.key_bytes as usize;
        list.edges.extend_from_slice(self.edges.get(edges.clone()).unwrap_or_default());
        list.keys.extend_from_slice(self.keys.get(keys).unwrap_or_default());
        list.weights.extend_from_slice(self.weights.get(edges).unwrap_or_default());
        true
    }

    /// Caches the list of a vertex, if it is not too long.
    pub(super) fn insert(&mut self, vertex: Vertex, list: &EdgeList) {
        if list.edges.len() > LONGEST_LIST {
            return;
        }
        if self.memory_bytes() > self.limit_bytes {
            self.clear();
        }
        let number = |length: usize| u32::try_from(length).unwrap_or(UNKNOWN);
        let place = Place {
            first_edge: number(self.edges.len()),
            edges: number(list.edges.len()),
            first_key: number(self.keys.len()),
            key_bytes: number(list.keys.len()),
        };
        if self.places.len() <= vertex.index() {
            let unknown = Place { first_edge: 0, edges: UNKNOWN, first_key: 0, key_bytes: 0 };
            self.places.resize((vertex.index() + 1).next_power_of_two(), unknown);
        }
        if let Some(slot) = self.places.get_mut(vertex.index()) {
            *slot = place;
            self.edges.extend_from_slice(&list.edges);
            self.keys.extend_from_slice(&list.keys);
            self.weights.extend_from_slice(&list.weights);
        }
    }

    /// Drops all lists.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.limit_bytes);
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        let edges =
            self.edges.capacity() * size_of::<FoundEdge>() + self.weights.capacity() * size_of::<f64>();
        (self.places.capacity() * size_of::<Place>() + edges + self.keys.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(keys: &[&str]) -> EdgeList {
        let mut list = EdgeList::default();
        keys.iter().enumerate().for_each(|(n, key)| list.push(Vertex(n as u32), 1, key.as_bytes()));
        list
    }

    #[test]
    fn lists_come_back_as_they_were() {
        let mut cache = ListCache::new(1 << 20);
        cache.insert(Vertex(7), &list(&["a", "bc"]));
        cache.insert(Vertex(3), &list(&[]));
        cache.insert(Vertex(0), &list(&["def"]));
        for (vertex, keys) in [(7, &["a", "bc"][..]), (3, &[]), (0, &["def"])] {
            let (mut found, expected) = (EdgeList::default(), list(keys));
            assert!(cache.get(Vertex(vertex), &mut found));
            assert_eq!((found.edges, found.keys), (expected.edges, expected.keys));
        }
        assert!(!cache.get(Vertex(1), &mut EdgeList::default()));
        assert!(!cache.get(Vertex(1000), &mut EdgeList::default()));
    }

    #[test]
    fn memory_is_bounded() {
        let mut cache = ListCache::new(10_000);
        for vertex in 0..1000 {
            cache.insert(Vertex(vertex % 100), &list(&["k"; 100]));
            assert!(cache.memory_bytes() < 30_000);
        }
        assert!(cache.get(Vertex(99), &mut EdgeList::default()));
        cache.insert(Vertex(1), &list(&vec!["k"; LONGEST_LIST + 1]));
        assert!(!cache.get(Vertex(1), &mut EdgeList::default()));
    }
}
