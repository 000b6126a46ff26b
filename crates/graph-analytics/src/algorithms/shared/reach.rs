//! The edges of each vertex in one direction or in both, without a copy of the graph.

use errors::Result;

use crate::graph::{Adjacency, Direction, Graph};
use crate::work::Work;

/// The edges of each vertex in a direction. In direction [`Direction::Any`] those that leave a
/// vertex come before those that arrive, and a loop comes twice.
#[derive(Clone, Copy, Debug)]
pub(in crate::algorithms) struct Reach<'g> {
    first: &'g Adjacency,
    second: Option<&'g Adjacency>,
}

impl<'g> Reach<'g> {
    /// Makes the view of a graph.
    pub(in crate::algorithms) fn new(graph: &'g Graph, work: &Work, direction: Direction) -> Result<Self> {
        Ok(match direction {
            Direction::Outbound => Reach { first: graph.outgoing(), second: None },
            Direction::Inbound => Reach { first: graph.incoming(work)?, second: None },
            Direction::Any => Reach { first: graph.outgoing(), second: Some(graph.incoming(work)?) },
        })
    }

    /// Returns the number of edges at a vertex.
    pub(in crate::algorithms) fn degree(&self, vertex: u32) -> usize {
        self.first.degree(vertex) + self.second.map_or(0, |second| second.degree(vertex))
    }

    /// Returns the vertex at the other end of edge `i` at a vertex; `None` beyond the last.
    pub(in crate::algorithms) fn target(&self, vertex: u32, i: usize) -> Option<u32> {
        let first = self.first.targets(vertex);
        match first.get(i) {
            Some(target) => Some(*target),
            None => self.second.and_then(|second| second.targets(vertex).get(i - first.len()).copied()),
        }
    }

    /// Iterates over the vertices at the other ends.
    pub(in crate::algorithms) fn targets(&self, vertex: u32) -> impl Iterator<Item = u32> + use<'g> {
        let second = self.second.map_or(&[][..], |second| second.targets(vertex));
        self.first.targets(vertex).iter().chain(second).copied()
    }

    /// Calls `visit` with the vertex at the other end and the weight of each edge at a vertex.
    #[inline]
    pub(in crate::algorithms) fn for_each(&self, vertex: u32, mut visit: impl FnMut(u32, f64)) {
        for rows in [Some(self.first), self.second].into_iter().flatten() {
            let targets = rows.targets(vertex);
            match rows.weights(vertex) {
                Some(weights) => {
                    targets.iter().zip(weights).for_each(|(target, weight)| visit(*target, *weight));
                }
                None => targets.iter().for_each(|target| visit(*target, 1.0)),
            }
        }
    }
}
