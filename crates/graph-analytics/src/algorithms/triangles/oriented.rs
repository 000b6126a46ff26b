//! The undirected graph with each edge at one end only: at the vertex with fewer neighbours.

use errors::Result;
use owner::Charge;
use rayon::prelude::*;

use crate::graph::{Adjacency, Graph};
use crate::parallel::{self, CHUNK};
use crate::work::Work;

/// Vertices by rank, which is their place in the order of the number of neighbours, and the
/// neighbours of each that have a greater rank. A vertex has few of these, even with many edges.
pub(super) struct Oriented {
    /// The vertex of each rank.
    pub(super) vertices: Vec<u32>,
    /// The number of neighbours of each vertex.
    pub(super) degrees: Vec<u32>,
    offsets: Vec<u64>,
    /// Ranks of neighbours; they ascend.
    neighbours: Vec<u32>,
    /// True for neighbours with edges in both directions.
    are_mutual: Vec<bool>,
    _charge: Charge,
}

impl Oriented {
    pub(super) fn new(graph: &Graph, work: &Work) -> Result<Self> {
        let (outgoing, incoming) = (graph.outgoing(), graph.incoming(work)?);
        let count = graph.vertex_count();
        let mut charge = work.reserve_for::<[u32; 4]>(count)?;
        let _ranks = work.reserve_for::<[u32; 3]>(count)?;
        let mut degrees = vec![0_u32; count];
        parallel::fill(work, &mut degrees, |first, part| {
            for (degree, vertex) in part.iter_mut().zip(first as u32..) {
                for_each_neighbour(outgoing, incoming, vertex, |_, _| *degree += 1);
            }
            Ok(())
        })?;
        let mut vertices: Vec<u32> = (0..count as u32).collect();
        vertices.par_sort_unstable_by_key(|vertex| (degrees[*vertex as usize], *vertex));
        work.check()?;
        let mut ranks = vec![0_u32; count];
        vertices.iter().zip(0..).for_each(|(vertex, rank)| ranks[*vertex as usize] = rank);

        let mut lengths = vec![0_u64; count];
        parallel::fill(work, &mut lengths, |first, part| {
            for (i, length) in part.iter_mut().enumerate() {
                let rank = (first + i) as u32;
                for_each_neighbour(outgoing, incoming, vertices[first + i], |to, _| {
                    *length += u64::from(ranks[to as usize] > rank);
                });
            }
            Ok(())
        })?;
        let edges = lengths.iter().sum::<u64>() as usize;
        charge.grow((edges * (size_of::<u32>() + size_of::<bool>())) as u64)?;
        let (mut neighbours, mut are_mutual) = (vec![0_u32; edges], vec![false; edges]);
        let (mut rest, mut rest_mutual) = (neighbours.as_mut_slice(), are_mutual.as_mut_slice());
        let mut parts = Vec::with_capacity(count.div_ceil(CHUNK));
        for lengths in lengths.chunks(CHUNK) {
            let length = lengths.iter().sum::<u64>() as usize;
            let (part, others) = rest.split_at_mut(length);
            let (part_mutual, others_mutual) = rest_mutual.split_at_mut(length);
            (rest, rest_mutual) = (others, others_mutual);
            parts.push((part, part_mutual));
        }
        parts.into_par_iter().enumerate().try_for_each(|(i, (neighbours, are_mutual))| {
            work.check()?;
            let ranks_here = i * CHUNK..count.min((i + 1) * CHUNK);
            let (mut end, mut row) = (0, Vec::new());
            for (vertex, rank) in vertices[ranks_here.clone()].iter().zip(ranks_here.start as u32..) {
                row.clear();
                for_each_neighbour(outgoing, incoming, *vertex, |to, is_mutual| {
                    row.push((ranks[to as usize], is_mutual));
                });
                row.retain(|(its, _)| *its > rank);
                row.sort_unstable();
                for entry in &row {
                    (neighbours[end], are_mutual[end]) = *entry;
                    end += 1;
                }
            }
            Ok::<(), errors::Error>(())
        })?;
        let mut end = 0;
        let mut offsets = lengths;
        for offset in &mut offsets {
            end += std::mem::replace(offset, end);
        }
        offsets.push(end);
        Ok(Oriented { vertices, degrees, offsets, neighbours, are_mutual, _charge: charge })
    }

    /// Returns the edges by the greater rank of their two ends.
    pub(super) fn reversed(&self, work: &Work) -> Result<Reversed> {
        let ranks = self.vertices.len();
        let charge = work.reserve(((ranks + 1) * 8 + self.neighbours.len() * size_of::<End>()) as u64)?;
        let mut offsets = vec![0_u64; ranks + 1];
        for part in self.neighbours.chunks(1 << 16) {
            work.check()?;
            part.iter().for_each(|rank| offsets[*rank as usize] += 1);
        }
        // Each offset is first the end of its row, and falls to the beginning as the row fills.
        let mut end = 0;
        for offset in &mut offsets {
            end += *offset;
            *offset = end;
        }
        let mut ends = vec![End { rank: 0, place: 0 }; self.neighbours.len()];
        for rank in (0..ranks as u32).rev() {
            if rank % 4_096 == 0 {
                work.check()?;
            }
            for (to, place) in self.row(rank).0.iter().zip(0..) {
                let offset = &mut offsets[*to as usize];
                *offset -= 1;
                ends[*offset as usize] = End { rank, place };
            }
        }
        Ok(Reversed { offsets, ends, _charge: charge })
    }

    /// Returns the neighbours of a greater rank, and which of them have edges in both directions.
    pub(super) fn row(&self, rank: u32) -> (&[u32], &[bool]) {
        let row = self.offsets[rank as usize] as usize..self.offsets[rank as usize + 1] as usize;
        (&self.neighbours[row.clone()], &self.are_mutual[row])
    }
}

/// Edges by the greater rank of their ends.
pub(super) struct Reversed {
    offsets: Vec<u64>,
    ends: Vec<End>,
    _charge: Charge,
}

/// The end of an edge that has the smaller rank.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub(super) rank: u32,
    /// The place of the edge in its row.
    pub(super) place: u32,
}

impl Reversed {
    /// Returns the ends of the edges to a rank.
    pub(super) fn row(&self, rank: u32) -> &[End] {
        &self.ends[self.offsets[rank as usize] as usize..self.offsets[rank as usize + 1] as usize]
    }
}

/// Calls `take` with each vertex at the other end of an edge once, and true if there are edges in
/// both directions. Loops have none.
fn for_each_neighbour(
    outgoing: &Adjacency,
    incoming: &Adjacency,
    vertex: u32,
    mut take: impl FnMut(u32, bool),
) {
    let (mut after, mut before) = (outgoing.targets(vertex), incoming.targets(vertex));
    loop {
        let next = match (after.first(), before.first()) {
            (Some(one), Some(other)) => *one.min(other),
            (Some(one), None) | (None, Some(one)) => *one,
            (None, None) => return,
        };
        let is_after = skip(&mut after, next);
        let is_before = skip(&mut before, next);
        if next != vertex {
            take(next, is_after && is_before);
        }
    }
}

/// Removes equal vertices from the beginning of a row, and returns true if there are any.
fn skip(row: &mut &[u32], vertex: u32) -> bool {
    let length = row.len();
    while let [first, rest @ ..] = *row
        && *first == vertex
    {
        *row = rest;
    }
    row.len() < length
}
