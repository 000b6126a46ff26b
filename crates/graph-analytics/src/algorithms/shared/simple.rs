//! Rows without loops and parallel edges.

use errors::Result;

use super::reach::Reach;
use crate::graph::{Adjacency, Direction, Graph, Rows};
use crate::work::Work;

/// Returns the edges of each vertex in a direction, without loops; of parallel edges that with the
/// least weight stays. The rows have weights if `is_weighted` and the graph has some.
pub(in crate::algorithms) fn least_rows(
    graph: &Graph,
    work: &Work,
    direction: Direction,
    is_weighted: bool,
) -> Result<Rows<'static>> {
    let is_weighted = is_weighted && graph.is_weighted();
    let reach = Reach::new(graph, work, direction)?;
    let edges = graph.edge_count() * if direction == Direction::Any { 2 } else { 1 };
    let charge = work.reserve(Adjacency::bytes_of(graph.vertex_count() as u64, edges, is_weighted))?;
    let mut offsets = Vec::with_capacity(graph.vertex_count() + 1);
    offsets.push(0);
    let mut targets = Vec::with_capacity(edges as usize);
    let mut weights = is_weighted.then(|| Vec::with_capacity(edges as usize));
    let mut row: Vec<(u32, f64)> = Vec::new();
    for vertex in 0..graph.vertex_count() as u32 {
        if vertex % 1_024 == 0 {
            work.check()?;
        }
        row.clear();
        reach.for_each(vertex, |target, weight| {
            if target != vertex {
                row.push((target, weight));
            }
        });
        row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        row.dedup_by_key(|(target, _)| *target);
        targets.extend(row.iter().map(|(target, _)| *target));
        if let Some(weights) = &mut weights {
            weights.extend(row.iter().map(|(_, weight)| *weight));
        }
        offsets.push(targets.len() as u64);
    }
    Ok(Rows::Made(Adjacency::from_parts(work, offsets, targets, weights)?, charge))
}
