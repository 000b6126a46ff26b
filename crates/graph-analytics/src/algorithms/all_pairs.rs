//! Distances between all pairs of some vertices.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};

use errors::{Error, Result};
use owner::Charge;
use rayon::prelude::*;

use super::pool::{Pool, threads};
use super::shared::reach::Reach;
use super::weights::{self, Needs, WEIGHTED};
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::Graph;
use crate::parameters::{DIRECTION, Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::{Checks, Work};

/// Maximum number of vertices between which distances are computed.
const MAX_VERTICES: usize = 1_000;

pub(super) const ALL_PAIRS: Algorithm = Algorithm {
    name: "allPairs",
    about: "Computes the distances between all pairs of some vertices.",
    definition: "A search from each of `vertices`, breadth-first or after Dijkstra (1959), that ends \
                 once it has reached the others. Without `vertices`, all vertices of the graph count, \
                 which may be at most 1000. Pairs without a path have no row, nor has a vertex with \
                 itself. If `weighted`, the length of a path is the sum of its weights, which must \
                 be finite and at least 0. Loops make no difference; the shortest of parallel edges \
                 counts. Rows are in the order of sources and then of targets.",
    parameters: &[
        Parameter {
            name: "vertices",
            kind: Kind::Vertices { max: MAX_VERTICES },
            about: "The vertices; all vertices of the graph if there are none.",
        },
        DIRECTION,
        WEIGHTED,
    ],
    columns: &["source", "target", "distance"],
    is_by_vertex: false,
    memory: |vertices, edges| {
        let pairs = vertices.min(MAX_VERTICES as u64).pow(2);
        edges * 12 + vertices * threads() * 24 + pairs * 32
    },
    run,
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let vertices = graph.vertex_count();
    let mut chosen = parameters.vertices("vertices").to_vec();
    if chosen.is_empty() {
        if vertices > MAX_VERTICES {
            return Err(Error::bad_parameter(format!(
                "'vertices' is missing; the graph has {vertices} vertices, and allPairs takes all only of \
                 a graph with at most {MAX_VERTICES}"
            )));
        }
        chosen = (0..vertices as u32).collect();
    }
    chosen.sort_unstable();
    chosen.dedup();
    let is_weighted = parameters.flag("weighted") && graph.is_weighted();
    if is_weighted {
        weights::check(graph, work, Needs::FromZero)?;
    }
    let reach = Reach::new(graph, work, parameters.direction())?;
    let _charge = work.reserve_for::<(u32, u32, f64)>(chosen.len() * chosen.len())?;
    let (pool, done) = (Pool::default(), AtomicU64::new(0));
    let parts: Result<Vec<Vec<f64>>> = chosen
        .par_iter()
        .map(|source| {
            let distances = pool.with(
                || Search::new(work, vertices, &chosen),
                |search| {
                    search.run(work, reach, *source, is_weighted, chosen.len())?;
                    let distances = chosen.iter().map(|target| search.states[*target as usize].distance);
                    Ok(distances.collect())
                },
            )?;
            work.set_progress(done.fetch_add(1, Ordering::Relaxed) + 1, chosen.len() as u64);
            Ok(distances)
        })
        .collect();
    let (mut sources, mut targets, mut distances) = (Vec::new(), Vec::new(), Vec::new());
    for (source, part) in chosen.iter().zip(parts?) {
        for (target, distance) in chosen.iter().zip(part) {
            if target != source && distance.is_finite() {
                sources.push(*source);
                targets.push(*target);
                distances.push(distance);
            }
        }
    }
    let count = sources.len() as u64;
    Ok(Table::of_rows(work)?
        .with_column("source", Column::Vertex(sources))?
        .with_column("target", Column::Vertex(targets))?
        .with_column("distance", Column::Number(distances))?
        .with_statistic("chosen", Statistic::Count(chosen.len() as u64))
        .with_statistic("pairs", Statistic::Count(count)))
}

/// The knowledge about a vertex in a search.
#[derive(Clone, Copy)]
struct State {
    distance: f64,
    /// True if the search ends once this vertex and others are reached.
    is_wanted: bool,
    is_done: bool,
}

/// The arrays of a search.
struct Search {
    states: Vec<State>,
    /// Vertices that were reached.
    reached: Vec<u32>,
    /// Distances, as bits, and vertices. Distances are not negative, so their bits are ordered.
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    checks: Checks,
    charge: Charge,
}

impl Search {
    fn new(work: &Work, vertices: usize, wanted: &[u32]) -> Result<Self> {
        let charge = work.reserve_for::<(State, u32)>(vertices)?;
        let mut states = vec![State { distance: f64::INFINITY, is_wanted: false, is_done: false }; vertices];
        wanted.iter().for_each(|vertex| states[*vertex as usize].is_wanted = true);
        let reached = Vec::with_capacity(vertices);
        Ok(Search { states, reached, heap: BinaryHeap::new(), checks: Checks::default(), charge })
    }

    /// Finds distances until `wanted` vertices are reached.
    fn run(
        &mut self,
        work: &Work,
        reach: Reach<'_>,
        source: u32,
        is_weighted: bool,
        wanted: usize,
    ) -> Result<()> {
        for vertex in self.reached.drain(..) {
            let state = &mut self.states[vertex as usize];
            (state.distance, state.is_done) = (f64::INFINITY, false);
        }
        self.states[source as usize].distance = 0.0;
        self.reached.push(source);
        if is_weighted {
            self.dijkstra(work, reach, source, wanted)
        } else {
            self.breadth(work, reach, wanted)
        }
    }

    fn breadth(&mut self, work: &Work, reach: Reach<'_>, mut wanted: usize) -> Result<()> {
        let mut done = 0;
        while let Some(vertex) = self.reached.get(done).copied() {
            done += 1;
            wanted -= usize::from(self.states[vertex as usize].is_wanted);
            if wanted == 0 {
                break;
            }
            self.checks.note(work, reach.degree(vertex) + 1)?;
            let distance = self.states[vertex as usize].distance + 1.0;
            for target in reach.targets(vertex) {
                let state = &mut self.states[target as usize];
                if state.distance == f64::INFINITY {
                    state.distance = distance;
                    self.reached.push(target);
                }
            }
        }
        Ok(())
    }

    fn dijkstra(&mut self, work: &Work, reach: Reach<'_>, source: u32, mut wanted: usize) -> Result<()> {
        self.heap.clear();
        self.heap.push(Reverse((0, source)));
        while let Some(Reverse((bits, vertex))) = self.heap.pop() {
            let state = &mut self.states[vertex as usize];
            if state.is_done || bits != state.distance.to_bits() {
                continue;
            }
            state.is_done = true;
            wanted -= usize::from(state.is_wanted);
            if wanted == 0 {
                break;
            }
            let distance = state.distance;
            let degree = reach.degree(vertex);
            self.checks.note(work, degree + 1)?;
            if self.heap.capacity() - self.heap.len() < degree {
                let more = degree.max(self.heap.capacity());
                self.charge.grow((more * size_of::<(u64, u32)>()) as u64)?;
                self.heap.reserve_exact(more);
            }
            let Search { states, reached, heap, .. } = self;
            reach.for_each(vertex, |target, weight| {
                let state = &mut states[target as usize];
                if distance + weight < state.distance {
                    if state.distance == f64::INFINITY {
                        reached.push(target);
                    }
                    state.distance = distance + weight;
                    heap.push(Reverse((state.distance.to_bits(), target)));
                }
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn rows(graph: &Graph, parameters: &str) -> Vec<(u32, u32, f64)> {
        let table = testing::run(&ALL_PAIRS, graph, parameters).unwrap();
        let [(_, Column::Vertex(sources)), (_, Column::Vertex(targets)), (_, Column::Number(distances))] =
            table.columns()
        else {
            panic!("no columns")
        };
        (0..distances.len()).map(|i| (sources[i], targets[i], distances[i])).collect()
    }

    #[test]
    fn pairs_of_chosen_vertices_have_distances() {
        let graph = testing::weighted(5, &[(0, 1, 0.5), (1, 2, 0.0), (0, 2, 3.0), (2, 4, 1.0), (0, 0, 1.0)]);
        let all = [(0, 1, 1.0), (0, 2, 1.0), (0, 4, 2.0), (1, 2, 1.0), (1, 4, 2.0), (2, 4, 1.0)];
        assert_eq!(rows(&graph, "{}"), all);
        assert_eq!(rows(&graph, r#"{"vertices": [4, 0, 3, 0], "weighted": true}"#), [(0, 4, 1.5)]);
        let inbound = rows(&graph, r#"{"vertices": [2, 0], "weighted": true, "direction": "inbound"}"#);
        assert_eq!(inbound, [(2, 0, 0.5)]);
    }

    #[test]
    fn many_vertices_must_be_chosen() {
        let graph = testing::graph(1_001, &[(0, 1_000)]);
        let error = testing::run(&ALL_PAIRS, &graph, "{}").unwrap_err();
        assert!(error.to_string().contains("1001 vertices"), "{error}");
        assert_eq!(rows(&graph, r#"{"vertices": [0, 1000]}"#), [(0, 1_000, 1.0)]);
        assert_eq!(rows(&testing::graph(0, &[]), "{}"), []);
        assert_eq!(rows(&testing::graph(1, &[(0, 0)]), "{}"), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Floyd's and Warshall's algorithm finds the same distances.
        #[test]
        fn distances_are_the_shortest(
            edges in prop::collection::vec((0_u32..9, 0_u32..9, 0_u8..4), 0..30),
            chosen in prop::collection::btree_set(0_u32..9, 1..9),
        ) {
            let edges: Vec<(u32, u32, f64)> =
                edges.into_iter().map(|(from, to, weight)| (from, to, f64::from(weight))).collect();
            let graph = testing::weighted(9, &edges);
            for direction in ["outbound", "inbound", "any"] {
                for weighted in [false, true] {
                    let mut distances = [[f64::INFINITY; 9]; 9];
                    for (from, to, weight) in &edges {
                        let weight = if weighted { *weight } else { 1.0 };
                        let (from, to) = (*from as usize, *to as usize);
                        if direction != "inbound" {
                            distances[from][to] = distances[from][to].min(weight);
                        }
                        if direction != "outbound" {
                            distances[to][from] = distances[to][from].min(weight);
                        }
                    }
                    for via in 0..9 {
                        for a in 0..9 {
                            for b in 0..9 {
                                distances[a][b] = distances[a][b].min(distances[a][via] + distances[via][b]);
                            }
                        }
                    }
                    let mut expected = Vec::new();
                    for a in &chosen {
                        for b in chosen.iter().filter(|b| *b != a) {
                            let distance = distances[*a as usize][*b as usize];
                            if distance.is_finite() {
                                expected.push((*a, *b, distance));
                            }
                        }
                    }
                    let vertices: Vec<u32> = chosen.iter().copied().collect();
                    let parameters = format!(
                        r#"{{"direction": "{direction}", "weighted": {weighted}, "vertices": {vertices:?}}}"#
                    );
                    prop_assert_eq!(rows(&graph, &parameters), expected);
                }
            }
        }
    }
}
