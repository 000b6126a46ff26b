//! Rows of the undirected graph: outgoing and incoming edges, merged by their other ends.

use errors::Result;
use owner::Charge;
use rayon::prelude::*;

use super::Graph;
use super::adjacency::Adjacency;
use crate::parallel::{self, CHUNK};
use crate::work::Work;

/// The edges that the rows keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Keep {
    /// All; loops twice.
    All,
    /// One edge to each neighbour, with the sum of the weights; no loops.
    Simple,
}

/// Makes rows with the edges of both directions, and charges their memory.
pub(super) fn rows(graph: &Graph, work: &Work, keep: Keep) -> Result<(Adjacency, Charge)> {
    let ends = Ends { outgoing: graph.outgoing(), incoming: graph.incoming(work)?, keep };
    let vertices = graph.vertex_count();
    let _counts = work.reserve_for::<u64>(vertices)?;
    let mut counts = vec![0_u64; vertices];
    parallel::fill(work, &mut counts, |first, part| {
        part.iter_mut().zip(first as u32..).for_each(|(count, vertex)| *count = ends.count(vertex));
        Ok(())
    })?;
    let edges: u64 = counts.iter().sum();
    let charge = work.reserve(Adjacency::bytes_of(vertices as u64, edges, graph.is_weighted()))?;
    let mut targets = vec![0_u32; edges as usize];
    let mut weights = graph.is_weighted().then(|| vec![0.0_f64; edges as usize]);
    let (mut rest, mut rest_weights) = (targets.as_mut_slice(), weights.as_deref_mut());
    let mut parts = Vec::with_capacity(vertices.div_ceil(CHUNK));
    for counts in counts.chunks(CHUNK) {
        let length = counts.iter().sum::<u64>() as usize;
        let (part, others) = rest.split_at_mut(length);
        let part_weights = rest_weights.take().map(|all| {
            let (part, others) = all.split_at_mut(length);
            rest_weights = Some(others);
            part
        });
        rest = others;
        parts.push((part, part_weights));
    }
    parts.into_par_iter().enumerate().try_for_each(|(i, (targets, weights))| {
        work.check()?;
        let first = i * CHUNK;
        ends.fill(first as u32..vertices.min(first + CHUNK) as u32, targets, weights);
        Ok::<(), errors::Error>(())
    })?;
    let mut end = 0;
    let mut offsets = Vec::with_capacity(vertices + 1);
    offsets.push(0);
    offsets.extend(counts.into_iter().map(|count| {
        end += count;
        end
    }));
    Ok((Adjacency::from_parts(work, offsets, targets, weights)?, charge))
}

/// The edges of each vertex in both directions.
struct Ends<'g> {
    outgoing: &'g Adjacency,
    incoming: &'g Adjacency,
    keep: Keep,
}

impl Ends<'_> {
    /// Returns the number of edges that the row of a vertex keeps.
    fn count(&self, vertex: u32) -> u64 {
        if self.keep == Keep::All {
            return (self.outgoing.degree(vertex) + self.incoming.degree(vertex)) as u64;
        }
        let mut count = 0;
        let mut last = vertex;
        let incoming = self.incoming.targets(vertex).iter().map(|to| (*to, 1.0));
        merge(self.outgoing.targets(vertex).iter().map(|to| (*to, 1.0)), incoming, |to, _| {
            count += u64::from(to != vertex && to != last);
            last = to;
        });
        count
    }

    /// Writes the rows of vertices, one after another.
    fn fill(&self, vertices: std::ops::Range<u32>, targets: &mut [u32], mut weights: Option<&mut [f64]>) {
        let mut end = 0;
        for vertex in vertices {
            let start = end;
            merge(self.outgoing.edges(vertex), self.incoming.edges(vertex), |to, weight| {
                let is_known = end > start && targets[end - 1] == to;
                if self.keep == Keep::Simple && (to == vertex || is_known) {
                    if let Some(weights) = weights.as_deref_mut().filter(|_| to != vertex) {
                        weights[end - 1] += weight;
                    }
                    return;
                }
                targets[end] = to;
                if let Some(weights) = weights.as_deref_mut() {
                    weights[end] = weight;
                }
                end += 1;
            });
        }
    }
}

/// Calls `take` with the edges of two rows in the order of their other ends. Equal ones keep the
/// order of the rows.
fn merge(
    mut one: impl Iterator<Item = (u32, f64)>,
    mut other: impl Iterator<Item = (u32, f64)>,
    mut take: impl FnMut(u32, f64),
) {
    let (mut first, mut second) = (one.next(), other.next());
    loop {
        match (first, second) {
            (Some((to, weight)), Some((its, _))) if to <= its => {
                take(to, weight);
                first = one.next();
            }
            (_, Some((to, weight))) => {
                take(to, weight);
                second = other.next();
            }
            (Some((to, weight)), None) => {
                take(to, weight);
                first = one.next();
            }
            (None, None) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::Direction;
    use crate::testing;

    proptest! {
        /// Compares with sorted lists of both ends of all edges.
        #[test]
        fn rows_have_both_ends(edges in prop::collection::vec((0_u32..9, 0_u32..9, 0_u8..5), 0..40)) {
            let edges: Vec<(u32, u32, f64)> =
                edges.into_iter().map(|(from, to, weight)| (from, to, f64::from(weight))).collect();
            let graph = testing::weighted(9, &edges);
            let all = graph.rows(&Work::default(), Direction::Any).unwrap();
            let simple = graph.simple_rows(&Work::default()).unwrap();
            for vertex in 0..9 {
                let mut both: Vec<(u32, f64)> = Vec::new();
                both.extend(edges.iter().filter(|edge| edge.0 == vertex).map(|edge| (edge.1, edge.2)));
                both.extend(edges.iter().filter(|edge| edge.1 == vertex).map(|edge| (edge.0, edge.2)));
                let mut found: Vec<(u32, f64)> = all.edges(vertex).collect();
                let order = |a: &(u32, f64), b: &(u32, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
                both.sort_by(order);
                found.sort_by(order);
                prop_assert_eq!(&found, &both);
                let sum_to = |to: u32| both.iter().filter(|edge| edge.0 == to).map(|edge| edge.1).sum::<f64>();
                let mut neighbours: Vec<u32> = both.iter().map(|edge| edge.0).filter(|to| *to != vertex).collect();
                neighbours.dedup();
                let expected: Vec<(u32, f64)> = neighbours.into_iter().map(|to| (to, sum_to(to))).collect();
                prop_assert_eq!(simple.edges(vertex).collect::<Vec<_>>(), expected);
            }
        }
    }
}
