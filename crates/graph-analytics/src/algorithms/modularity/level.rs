//! The graph of one level: its vertices are communities of the level below.

use errors::Result;
use owner::Charge;

use crate::algorithms::shared::reach::Reach;
use crate::graph::{Direction, Graph};
use crate::parallel;
use crate::work::{Checks, Work};

/// An undirected graph with weights.
#[derive(Debug)]
pub(super) struct Level<'g> {
    rows: Rows<'g>,
    /// Twice the weight of the loops at each vertex.
    loops: Vec<f64>,
    /// The weight of all edges at each vertex; loops count twice.
    strengths: Vec<f64>,
    /// The sum of the strengths.
    total: f64,
    _charge: Charge,
}

#[derive(Debug)]
enum Rows<'g> {
    /// The edges of the input, loops included.
    OfGraph(Reach<'g>),
    /// Edges between communities: each in two rows, and no loops.
    Merged { offsets: Vec<usize>, edges: Vec<(u32, f64)> },
}

impl<'g> Level<'g> {
    /// Makes the level of a graph itself.
    pub(super) fn of_graph(graph: &'g Graph, work: &Work) -> Result<Self> {
        let reach = Reach::new(graph, work, Direction::Any)?;
        let vertices = graph.vertex_count();
        let charge = work.reserve_for::<[f64; 2]>(vertices)?;
        let mut loops = vec![0.0; vertices];
        parallel::fill(work, &mut loops, |first, part| {
            for (sum, vertex) in part.iter_mut().zip(first as u32..) {
                reach.for_each(vertex, |target, weight| *sum += if target == vertex { weight } else { 0.0 });
            }
            Ok(())
        })?;
        let mut strengths = vec![0.0; vertices];
        parallel::fill(work, &mut strengths, |first, part| {
            for (sum, vertex) in part.iter_mut().zip(first as u32..) {
                reach.for_each(vertex, |_, weight| *sum += weight);
            }
            Ok(())
        })?;
        Level::new(work, Rows::OfGraph(reach), loops, strengths, charge)
    }

    fn new(
        work: &Work,
        rows: Rows<'g>,
        loops: Vec<f64>,
        strengths: Vec<f64>,
        charge: Charge,
    ) -> Result<Self> {
        let total = parallel::sum(work, strengths.len(), |range| strengths[range].iter().sum())?;
        Ok(Level { rows, loops, strengths, total, _charge: charge })
    }

    /// Returns the number of vertices.
    pub(super) fn len(&self) -> usize {
        self.strengths.len()
    }

    /// Returns the weight of all edges at a vertex.
    pub(super) fn strength(&self, vertex: u32) -> f64 {
        self.strengths[vertex as usize]
    }

    /// Returns the sum of all strengths: twice the weight of all edges.
    pub(super) fn total(&self) -> f64 {
        self.total
    }

    /// Returns the number of edges at a vertex; loops may be missing.
    pub(super) fn degree(&self, vertex: u32) -> usize {
        match &self.rows {
            Rows::OfGraph(reach) => reach.degree(vertex),
            Rows::Merged { offsets, .. } => offsets[vertex as usize + 1] - offsets[vertex as usize],
        }
    }

    /// Calls `visit` with the other end and the weight of each edge at a vertex, without loops.
    #[inline]
    pub(super) fn for_each(&self, vertex: u32, mut visit: impl FnMut(u32, f64)) {
        match &self.rows {
            Rows::OfGraph(reach) => reach.for_each(vertex, |target, weight| {
                if target != vertex {
                    visit(target, weight);
                }
            }),
            Rows::Merged { offsets, edges } => {
                let row = &edges[offsets[vertex as usize]..offsets[vertex as usize + 1]];
                row.iter().for_each(|(target, weight)| visit(*target, *weight));
            }
        }
    }

    /// Returns the modularity of communities, whose numbers are below the number of vertices.
    pub(super) fn modularity(&self, work: &Work, communities: &[u32], resolution: f64) -> Result<f64> {
        if self.total == 0.0 {
            return Ok(0.0);
        }
        let inside = parallel::sum(work, self.len(), |range| {
            let mut inside = 0.0;
            for vertex in range {
                let own = communities[vertex];
                inside += self.loops[vertex];
                self.for_each(vertex as u32, |target, weight| {
                    inside += if communities[target as usize] == own { weight } else { 0.0 };
                });
            }
            inside
        })?;
        let _charge = work.reserve_for::<f64>(self.len())?;
        let totals = self.totals(communities);
        let expected = parallel::sum(work, totals.len(), |range| {
            totals[range].iter().map(|total| (total / self.total).powi(2)).sum()
        })?;
        Ok(inside / self.total - resolution * expected)
    }

    /// Returns the sum of the strengths of each community.
    pub(super) fn totals(&self, communities: &[u32]) -> Vec<f64> {
        let mut totals = vec![0.0; self.len()];
        for (community, strength) in communities.iter().zip(&self.strengths) {
            totals[*community as usize] += strength;
        }
        totals
    }

    /// Makes the level above, whose vertices are communities `0..count`.
    pub(super) fn merged(&self, work: &Work, communities: &[u32], count: usize) -> Result<Level<'static>> {
        let _arrays = work.reserve_for::<u32>(self.len())?;
        let _sums = work.reserve_for::<(f64, bool)>(count)?;
        let mut charge = work.reserve_for::<(usize, f64, f64)>(count + 1)?;
        let (starts, members) = members(communities, count);
        let mut offsets = Vec::with_capacity(count + 1);
        offsets.push(0);
        let mut edges: Vec<(u32, f64)> = Vec::new();
        let (mut loops, mut strengths) = (vec![0.0; count], vec![0.0; count]);
        let (mut sums, mut is_near) = (vec![0.0; count], vec![false; count]);
        let mut near = Vec::new();
        let mut checks = Checks::default();
        for community in 0..count {
            for member in &members[starts[community]..starts[community + 1]] {
                loops[community] += self.loops[*member as usize];
                strengths[community] += self.strengths[*member as usize];
                self.for_each(*member, |target, weight| {
                    let other = communities[target as usize];
                    if !std::mem::replace(&mut is_near[other as usize], true) {
                        near.push(other);
                    }
                    sums[other as usize] += weight;
                });
                checks.note(work, self.degree(*member) + 1)?;
            }
            near.sort_unstable();
            for other in near.drain(..) {
                is_near[other as usize] = false;
                let sum = std::mem::take(&mut sums[other as usize]);
                if other as usize == community {
                    loops[community] += sum;
                    continue;
                }
                if edges.len() == edges.capacity() {
                    let more = (edges.capacity() / 2).max(1 << 10);
                    charge.grow((more * size_of::<(u32, f64)>()) as u64)?;
                    edges.reserve_exact(more);
                }
                edges.push((other, sum));
            }
            offsets.push(edges.len());
        }
        let spare = edges.capacity() - edges.len();
        edges.shrink_to_fit();
        charge.shrink((spare * size_of::<(u32, f64)>()) as u64);
        Level::new(work, Rows::Merged { offsets, edges }, loops, strengths, charge)
    }
}

/// Returns the vertices ordered by community, and where each community begins.
fn members(communities: &[u32], count: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; count + 1];
    communities.iter().for_each(|community| starts[*community as usize + 1] += 1);
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut next = starts.clone();
    let mut members = vec![0; communities.len()];
    for (community, vertex) in communities.iter().zip(0..) {
        members[next[*community as usize]] = vertex;
        next[*community as usize] += 1;
    }
    (starts, members)
}
