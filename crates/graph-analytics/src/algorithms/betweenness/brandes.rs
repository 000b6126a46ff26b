//! The dependencies of one source on all vertices.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use errors::Result;
use owner::Charge;

use crate::graph::Adjacency;
use crate::work::{Checks, Work};

/// The knowledge about a vertex in a search.
#[derive(Clone, Copy)]
struct State {
    distance: f64,
    paths: f64,
    dependency: f64,
}

const UNKNOWN: State = State { distance: f64::INFINITY, paths: 0.0, dependency: 0.0 };

/// The arrays of a search.
pub(super) struct Search {
    states: Vec<State>,
    /// Vertices in ascending order of their distances.
    order: Vec<u32>,
    /// Distances, as bits, and vertices. Distances are not negative, so their bits are ordered.
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    checks: Checks,
    charge: Charge,
}

impl Search {
    pub(super) fn new(work: &Work, vertices: usize) -> Result<Self> {
        let charge = work.reserve_for::<(State, u32)>(vertices)?;
        Ok(Search {
            states: vec![UNKNOWN; vertices],
            order: Vec::with_capacity(vertices),
            heap: BinaryHeap::new(),
            checks: Checks::default(),
            charge,
        })
    }

    /// Adds the dependencies of `source` to `sums`. The rows have no loops and no parallel edges.
    pub(super) fn run(&mut self, work: &Work, rows: &Adjacency, source: u32, sums: &mut [f64]) -> Result<()> {
        self.states[source as usize] = State { distance: 0.0, paths: 1.0, dependency: 0.0 };
        if rows.is_weighted() {
            self.search_weighted(work, rows, source)?;
        } else {
            self.search(work, rows, source)?;
        }
        for i in (0..self.order.len()).rev() {
            let vertex = self.order[i];
            self.checks.note(work, rows.degree(vertex) + 1)?;
            let State { distance, paths, .. } = self.states[vertex as usize];
            let mut sum = 0.0;
            for (target, weight) in rows.edges(vertex) {
                let state = &self.states[target as usize];
                if state.distance == distance + weight {
                    sum += (1.0 + state.dependency) / state.paths;
                }
            }
            self.states[vertex as usize].dependency = paths * sum;
            if vertex != source {
                sums[vertex as usize] += paths * sum;
            }
        }
        self.order.drain(..).for_each(|vertex| self.states[vertex as usize] = UNKNOWN);
        Ok(())
    }

    fn search(&mut self, work: &Work, rows: &Adjacency, source: u32) -> Result<()> {
        self.order.push(source);
        let mut done = 0;
        while let Some(vertex) = self.order.get(done).copied() {
            done += 1;
            self.checks.note(work, rows.degree(vertex) + 1)?;
            let State { distance, paths, .. } = self.states[vertex as usize];
            for target in rows.targets(vertex) {
                let state = &mut self.states[*target as usize];
                if state.distance == f64::INFINITY {
                    state.distance = distance + 1.0;
                    self.order.push(*target);
                }
                if state.distance == distance + 1.0 {
                    state.paths += paths;
                }
            }
        }
        Ok(())
    }

    fn search_weighted(&mut self, work: &Work, rows: &Adjacency, source: u32) -> Result<()> {
        self.heap.push(Reverse((0, source)));
        while let Some(Reverse((bits, vertex))) = self.heap.pop() {
            let State { distance, paths, dependency } = self.states[vertex as usize];
            // A mark of vertices that are done already.
            if bits != distance.to_bits() || dependency != 0.0 {
                continue;
            }
            self.states[vertex as usize].dependency = -1.0;
            self.order.push(vertex);
            self.checks.note(work, rows.degree(vertex) + 1)?;
            for (target, weight) in rows.edges(vertex) {
                let state = &mut self.states[target as usize];
                let its = distance + weight;
                if its < state.distance {
                    (state.distance, state.paths) = (its, paths);
                    if self.heap.len() == self.heap.capacity() {
                        let more = self.heap.capacity().max(1 << 10);
                        self.charge.grow((more * size_of::<(u64, u32)>()) as u64)?;
                        self.heap.reserve_exact(more);
                    }
                    self.heap.push(Reverse((its.to_bits(), target)));
                } else if its == state.distance {
                    state.paths += paths;
                }
            }
        }
        Ok(())
    }
}
