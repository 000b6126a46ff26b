//! A small graph in memory, and all its paths, found by the simplest algorithm.

use proptest::prelude::*;

use super::edges::{EdgeList, ReadPosition};
use super::path::Side;
use super::vertices::Vertex;

/// A directed graph. Vertices are their own numbers; the key of an edge is its position.
#[derive(Debug, Clone)]
pub(crate) struct TestGraph {
    pub(crate) vertices: u32,
    /// From, to, weight.
    pub(crate) edges: Vec<(u32, u32, u8)>,
    /// True if edges are followed from `_from` to `_to`; `backward` is the reverse direction.
    pub(crate) forward: bool,
    pub(crate) backward: bool,
}

/// A step along an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hop {
    pub(crate) edge: usize,
    pub(crate) access: u16,
    pub(crate) to: u32,
    pub(crate) weight: f64,
}

impl TestGraph {
    /// Returns graphs of some vertices with up to `edges` edges.
    pub(crate) fn any(vertices: u32, edges: usize) -> impl Strategy<Value = Self> {
        let edge = (0..vertices, 0..vertices, 0..4u8);
        let directions = prop_oneof![Just((true, false)), Just((false, true)), Just((true, true))];
        (prop::collection::vec(edge, 0..edges), directions)
            .prop_map(move |(edges, (forward, backward))| Self { vertices, edges, forward, backward })
    }

    /// Returns the accesses: 0 leads from `_from` to `_to`, 1 back.
    fn accesses(&self) -> impl Iterator<Item = u16> {
        [(0, self.forward), (1, self.backward)].into_iter().filter(|(_, is_used)| *is_used).map(|(a, _)| a)
    }

    /// Returns the edges that may be followed from a vertex, or to it.
    pub(crate) fn hops(&self, vertex: u32, side: Side) -> Vec<Hop> {
        let mut hops = Vec::new();
        for access in self.accesses() {
            for (edge, &(from, to, weight)) in self.edges.iter().enumerate() {
                let (own, other) =
                    if (access == 0) == (side == Side::Start) { (from, to) } else { (to, from) };
                if own == vertex {
                    hops.push(Hop { edge, access, to: other, weight: f64::from(weight) });
                }
            }
        }
        hops
    }

    /// Adds the edges at a vertex to a list.
    pub(crate) fn list(&self, vertex: Vertex, side: Side, list: &mut EdgeList) {
        for hop in self.hops(vertex.0, side) {
            list.push(Vertex(hop.to), hop.access, key(hop.edge).as_bytes());
        }
    }

    /// Adds at most `rows` edges at a vertex from a position on.
    pub(crate) fn list_some(
        &self,
        vertex: Vertex,
        rows: usize,
        position: &mut ReadPosition,
        list: &mut EdgeList,
    ) -> bool {
        let hops = self.hops(vertex.0, Side::Start);
        for hop in hops.iter().skip(position.access).take(rows) {
            list.push(Vertex(hop.to), hop.access, key(hop.edge).as_bytes());
        }
        position.access += rows;
        position.access < hops.len()
    }

    /// Returns the weight of the edge with a key.
    pub(crate) fn weight(&self, key: &[u8]) -> f64 {
        let position: usize = std::str::from_utf8(key).unwrap().parse().unwrap();
        f64::from(self.edges[position].2)
    }

    /// Returns all paths from one vertex to another that visit no vertex twice.
    pub(crate) fn simple_paths(&self, start: u32, target: u32) -> Vec<Vec<Hop>> {
        let mut found = Vec::new();
        self.extend(start, target, &mut vec![start], &mut Vec::new(), &mut found);
        found
    }

    fn extend(
        &self,
        at: u32,
        target: u32,
        on: &mut Vec<u32>,
        hops: &mut Vec<Hop>,
        found: &mut Vec<Vec<Hop>>,
    ) {
        if at == target {
            found.push(hops.clone());
            return;
        }
        for hop in self.hops(at, Side::Start) {
            if !on.contains(&hop.to) {
                on.push(hop.to);
                hops.push(hop);
                self.extend(hop.to, target, on, hops, found);
                on.pop();
                hops.pop();
            }
        }
    }
}

/// Returns the `_key` of an edge.
pub(crate) fn key(edge: usize) -> String {
    format!("{edge}")
}
