//! Weakly connected components: vertices that edges connect, whatever their direction.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use errors::Result;

use super::components;
use crate::algorithm::Algorithm;
use crate::graph::Graph;
use crate::parallel;
use crate::parameters::Parameters;
use crate::table::Table;
use crate::work::Work;

pub(super) const WCC: Algorithm = Algorithm {
    name: "wcc",
    about: "Finds the components whose vertices are connected by edges in either direction.",
    definition: "Components are numbered from 0 in the order of their first vertices. A few edges of \
                 each vertex join most vertices; the other edges of the component that a sample says \
                 is the largest are omitted if edges are known from both ends (Sutton, Ben-Nun, Barak: \
                 Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling, 2018). \
                 Loops, parallel edges and weights have no effect.",
    parameters: &[],
    columns: &["component"],
    is_by_vertex: true,
    memory: |vertices, _| vertices * 16,
    run,
};

/// The edges of each vertex that are joined before the sample.
const SAMPLED_EDGES: usize = 2;

/// The vertices of the sample.
const SAMPLE: usize = 1_024;

fn run(graph: &Graph, _: &Parameters, work: &Work) -> Result<Table> {
    let roots = roots(graph, work)?;
    components::table(&roots, work)
}

/// Returns the first vertex of each vertex's component.
pub(super) fn roots(graph: &Graph, work: &Work) -> Result<Vec<u32>> {
    let vertices = graph.vertex_count();
    let _parents = work.reserve_for::<u32>(vertices)?;
    let forest = Forest { parents: (0..vertices as u32).map(AtomicU32::new).collect() };
    let rows = graph.outgoing();
    for place in 0..SAMPLED_EDGES {
        parallel::for_each(work, vertices, |range| {
            for vertex in range.start as u32..range.end as u32 {
                if let Some(to) = rows.targets(vertex).get(place) {
                    forest.join(vertex, *to);
                }
            }
            Ok(())
        })?;
        forest.flatten(work)?;
        work.set_progress(place as u64 + 1, SAMPLED_EDGES as u64 + 2);
    }
    let incoming = graph.made_incoming();
    let largest = incoming.and_then(|_| forest.most_frequent());
    parallel::for_each(work, vertices, |range| {
        for vertex in range.start as u32..range.end as u32 {
            let root = forest.parent(vertex);
            if Some(root) == largest {
                continue;
            }
            let rest = rows.targets(vertex).get(SAMPLED_EDGES..).unwrap_or_default();
            let before = incoming.map(|rows| rows.targets(vertex)).unwrap_or_default();
            for to in rest.iter().chain(before) {
                if forest.parent(*to) != root {
                    forest.join(vertex, *to);
                }
            }
        }
        Ok(())
    })?;
    work.set_progress(SAMPLED_EDGES as u64 + 1, SAMPLED_EDGES as u64 + 2);
    forest.flatten(work)?;
    Ok(forest.parents.into_iter().map(AtomicU32::into_inner).collect())
}

/// Trees of vertices, whose roots are their smallest vertices. Threads join them concurrently.
struct Forest {
    parents: Vec<AtomicU32>,
}

impl Forest {
    fn parent(&self, vertex: u32) -> u32 {
        self.parents[vertex as usize].load(Ordering::Relaxed)
    }

    /// Joins the trees of two vertices: the greater root gets the smaller one as its parent.
    fn join(&self, one: u32, other: u32) {
        let (mut one, mut other) = (self.parent(one), self.parent(other));
        while one != other {
            let (high, low) = if one > other { (one, other) } else { (other, one) };
            let above = self.parent(high);
            if above == low {
                return;
            }
            let is_root = above == high;
            let place = &self.parents[high as usize];
            if is_root && place.compare_exchange(high, low, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                return;
            }
            (one, other) = (self.parent(self.parent(high)), self.parent(low));
        }
    }

    /// Makes each vertex a child of its root.
    fn flatten(&self, work: &Work) -> Result<()> {
        parallel::for_each(work, self.parents.len(), |range| {
            for vertex in range {
                let mut root = self.parents[vertex].load(Ordering::Relaxed);
                while self.parent(root) != root {
                    root = self.parent(root);
                }
                self.parents[vertex].store(root, Ordering::Relaxed);
            }
            Ok(())
        })
    }

    /// Returns the root that most vertices of a sample have.
    fn most_frequent(&self) -> Option<u32> {
        let step = self.parents.len().div_ceil(SAMPLE).max(1);
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for parent in self.parents.iter().step_by(step) {
            *counts.entry(parent.load(Ordering::Relaxed)).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(root, count)| (*count, *root)).map(|(root, _)| root)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::column::Column;
    use crate::table::Statistic;
    use crate::testing;

    #[test]
    fn components_are_numbered_by_their_first_vertices() {
        let graph = testing::graph(6, &[(4, 0), (2, 1), (1, 5), (3, 3)]);
        let table = testing::run(&WCC, &graph, "{}").unwrap();
        assert_eq!(table.column("component"), Some(&Column::Count(vec![0, 1, 1, 2, 0, 1])));
        assert_eq!(table.statistic("components"), Some(Statistic::Count(3)));
        assert_eq!(table.statistic("largest"), Some(Statistic::Count(3)));
        let table = testing::run(&WCC, &testing::graph(0, &[]), "{}").unwrap();
        assert_eq!(table.statistic("components"), Some(Statistic::Count(0)));
    }

    proptest! {
        /// Paints components over and over until no edge has two colours.
        #[test]
        fn edges_connect(edges in prop::collection::vec((0_u32..40, 0_u32..40), 0..60), both_ends: bool) {
            let mut colours: Vec<u32> = (0..40).collect();
            while let Some((from, to)) =
                edges.iter().find(|(from, to)| colours[*from as usize] != colours[*to as usize])
            {
                let (one, other) = (colours[*from as usize], colours[*to as usize]);
                colours.iter_mut().filter(|colour| **colour == one.max(other)).for_each(|colour| {
                    *colour = one.min(other);
                });
            }
            let graph = testing::graph(40, &edges);
            if both_ends {
                graph.incoming(&Work::default()).unwrap();
            }
            prop_assert_eq!(roots(&graph, &Work::default()).unwrap(), colours);
        }
    }
}
