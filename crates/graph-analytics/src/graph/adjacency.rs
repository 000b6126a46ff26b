//! Edges in compressed sparse rows: the neighbours of vertex `v` are
//! `targets[offsets[v]..offsets[v + 1]]`, in ascending order.
//!
//! An edge takes 4 bytes, and 8 more for its weight; a vertex takes 8.

use errors::{Error, Result};
use rayon::prelude::*;

use crate::parallel;
use crate::work::Work;

/// An edge of a list from which a graph is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The vertex that the edge leaves.
    pub from: u32,
    /// The vertex at which it arrives.
    pub to: u32,
    /// Its weight; ignored in a graph without weights.
    pub weight: f64,
}

/// Edges that are together at their vertices already.
#[derive(Clone, Debug, Default)]
pub struct EdgeRuns {
    /// A vertex and the number of its edges, in the order of `targets`. A vertex may occur again.
    pub runs: Vec<(u32, u32)>,
    /// The targets of all edges.
    pub targets: Vec<u32>,
}

/// The edges at each vertex, in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjacency {
    offsets: Vec<u64>,
    targets: Vec<u32>,
    weights: Option<Vec<f64>>,
}

impl Adjacency {
    /// Makes the rows of `offsets.len() - 1` vertices from their parts. The targets of each vertex
    /// need not be in order yet; equal ones keep their order.
    ///
    /// Errors: 10 if the parts do not fit, or a target is not there.
    pub fn from_parts(
        work: &Work,
        offsets: Vec<u64>,
        targets: Vec<u32>,
        weights: Option<Vec<f64>>,
    ) -> Result<Self> {
        let vertices = offsets.len().saturating_sub(1);
        let fits = offsets.first() == Some(&0)
            && offsets.last() == Some(&(targets.len() as u64))
            && offsets.is_sorted()
            && weights.as_ref().is_none_or(|weights| weights.len() == targets.len());
        let are_there = targets.par_iter().all(|target| (*target as usize) < vertices);
        if !fits || !are_there {
            return Err(Error::bad_parameter("the rows of the graph do not fit each other"));
        }
        let mut adjacency = Adjacency { offsets, targets, weights };
        adjacency.sort_rows(work)?;
        Ok(adjacency)
    }

    /// Makes the rows of lists of edges.
    ///
    /// Errors: 10 for an edge of a vertex that is not there.
    pub fn from_edges(work: &Work, vertices: usize, lists: &[&[Edge]], is_weighted: bool) -> Result<Self> {
        let mut offsets = vec![0; vertices + 1];
        for edge in checked(work, lists) {
            let edge = edge?;
            match offsets.get_mut(edge.from as usize + 1) {
                Some(count) if (edge.to as usize) < vertices => *count += 1,
                _ => {
                    let Edge { from, to, .. } = edge;
                    return Err(Error::bad_parameter(format!(
                        "an edge leads from vertex {from} to {to}; the graph has {vertices} vertices"
                    )));
                }
            }
        }
        sum_up(&mut offsets);
        let mut next = offsets.clone();
        let edges = lists.iter().map(|edges| edges.len()).sum();
        let mut targets = vec![0; edges];
        let mut weights = is_weighted.then(|| vec![0.0; edges]);
        for edge in checked(work, lists) {
            let edge = edge?;
            let place = next[edge.from as usize];
            next[edge.from as usize] += 1;
            targets[place as usize] = edge.to;
            if let Some(weights) = &mut weights {
                weights[place as usize] = edge.weight;
            }
        }
        Adjacency::from_parts(work, offsets, targets, weights)
    }

    /// Makes the rows of edges without weights that are together at their vertices.
    ///
    /// Errors: 10 for a vertex that is not there, or runs that do not fit their targets.
    pub fn from_runs(work: &Work, vertices: usize, parts: &[EdgeRuns]) -> Result<Self> {
        let not_there = || Error::bad_parameter("the edges of the graph do not fit its vertices");
        let mut offsets = vec![0; vertices + 1];
        for (vertex, count) in parts.iter().flat_map(|part| &part.runs) {
            *offsets.get_mut(*vertex as usize + 1).ok_or_else(not_there)? += u64::from(*count);
        }
        sum_up(&mut offsets);
        let mut next = offsets.clone();
        let mut targets = vec![0; parts.iter().map(|part| part.targets.len()).sum()];
        for part in parts {
            let mut rest = part.targets.as_slice();
            work.check()?;
            for (vertex, count) in &part.runs {
                let (run, others) = rest.split_at_checked(*count as usize).ok_or_else(not_there)?;
                let place = next.get_mut(*vertex as usize).ok_or_else(not_there)?;
                let end = *place as usize + run.len();
                targets.get_mut(*place as usize..end).ok_or_else(not_there)?.copy_from_slice(run);
                *place = end as u64;
                rest = others;
            }
        }
        Adjacency::from_parts(work, offsets, targets, None)
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> u64 {
        self.targets.len() as u64
    }

    /// Returns true if edges have weights.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Returns the number of edges at a vertex.
    pub fn degree(&self, vertex: u32) -> usize {
        self.row(vertex).len()
    }

    /// Returns the vertices at the other ends, in ascending order. Parallel edges repeat them.
    pub fn targets(&self, vertex: u32) -> &[u32] {
        &self.targets[self.row(vertex)]
    }

    /// Returns the weights of the edges at a vertex; `None` if edges have none.
    pub fn weights(&self, vertex: u32) -> Option<&[f64]> {
        self.weights.as_ref().map(|weights| &weights[self.row(vertex)])
    }

    /// Iterates over the vertices at the other ends and the weights; without weights, each is 1.
    pub fn edges(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
        let row = self.row(vertex);
        let weights = self.weights.as_ref().map(|weights| &weights[row.clone()]);
        let weight_of = move |i: usize| weights.map_or(1.0, |weights| weights[i]);
        self.targets[row].iter().enumerate().map(move |(i, target)| (*target, weight_of(i)))
    }

    /// Returns the position of the first edge of each vertex among all edges, and their number as
    /// the last element.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Returns the targets of all edges.
    pub fn all_targets(&self) -> &[u32] {
        &self.targets
    }

    /// Returns the weights of all edges; `None` if edges have none.
    pub fn all_weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Returns the bytes that the rows take.
    pub fn bytes(&self) -> u64 {
        Adjacency::bytes_of(self.vertex_count() as u64, self.edge_count(), self.is_weighted())
    }

    /// Returns the bytes that rows of this size take.
    pub fn bytes_of(vertices: u64, edges: u64, is_weighted: bool) -> u64 {
        let edge_bytes = if is_weighted { 12 } else { 4 };
        edges.saturating_mul(edge_bytes).saturating_add((vertices + 1).saturating_mul(8))
    }

    /// Returns the same edges in the other direction. The sources of each target ascend.
    pub(super) fn transposed(&self, work: &Work) -> Result<Adjacency> {
        let vertices = self.vertex_count();
        let mut offsets = vec![0; vertices + 1];
        for targets in self.targets.chunks(1 << 16) {
            work.check()?;
            targets.iter().for_each(|target| offsets[*target as usize + 1] += 1);
        }
        sum_up(&mut offsets);
        let _next = work.reserve_for::<u64>(offsets.len())?;
        let mut next = offsets.clone();
        let mut targets = vec![0; self.targets.len()];
        let mut weights = self.weights.as_ref().map(|weights| vec![0.0; weights.len()]);
        for vertex in 0..vertices as u32 {
            if vertex % 4_096 == 0 {
                work.check()?;
            }
            for place in self.row(vertex) {
                let target = self.targets[place] as usize;
                let new_place = next[target] as usize;
                next[target] += 1;
                targets[new_place] = vertex;
                if let (Some(new), Some(old)) = (&mut weights, &self.weights) {
                    new[new_place] = old[place];
                }
            }
        }
        Ok(Adjacency { offsets, targets, weights })
    }

    fn row(&self, vertex: u32) -> std::ops::Range<usize> {
        self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize
    }

    /// Sorts the targets of each vertex. Equal ones keep their order.
    fn sort_rows(&mut self, work: &Work) -> Result<()> {
        let Adjacency { offsets, targets, weights } = self;
        let mut rows = Vec::with_capacity(offsets.len());
        let _rows = work.reserve_for::<(&mut [u32], Option<&mut [f64]>)>(offsets.len())?;
        let (mut targets, mut weights) = (targets.as_mut_slice(), weights.as_deref_mut());
        for bounds in offsets.windows(2) {
            let length = (bounds[1] - bounds[0]) as usize;
            let (row, rest) = targets.split_at_mut(length);
            targets = rest;
            let weights_of_row = weights.take().map(|all| {
                let (row, rest) = all.split_at_mut(length);
                weights = Some(rest);
                row
            });
            rows.push((row, weights_of_row));
        }
        rows.par_chunks_mut(parallel::CHUNK).try_for_each(|rows| {
            work.check()?;
            rows.iter_mut().for_each(|(targets, weights)| sort_row(targets, weights.as_deref_mut()));
            Ok(())
        })
    }
}

fn sort_row(targets: &mut [u32], weights: Option<&mut [f64]>) {
    if targets.is_sorted() {
        return;
    }
    let Some(weights) = weights else { return targets.sort_unstable() };
    let mut pairs: Vec<(u32, f64)> = targets.iter().copied().zip(weights.iter().copied()).collect();
    pairs.sort_by_key(|(target, _)| *target);
    for (i, (target, weight)) in pairs.into_iter().enumerate() {
        targets[i] = target;
        weights[i] = weight;
    }
}

/// Iterates over the edges of lists, with a check of the interrupt now and then.
fn checked<'e>(work: &'e Work, lists: &'e [&'e [Edge]]) -> impl Iterator<Item = Result<Edge>> + 'e {
    let chunks = lists.iter().flat_map(|edges| edges.chunks(1 << 16));
    chunks.flat_map(|chunk| {
        let stopped = work.check().err().map(Err);
        stopped.into_iter().chain(chunk.iter().map(|edge| Ok(*edge)))
    })
}

/// Turns the number of edges of each vertex, one place later, into the position of its first edge.
fn sum_up(offsets: &mut [u64]) {
    let mut sum = 0;
    for offset in offsets {
        sum += *offset;
        *offset = sum;
    }
}
