//! Shortest paths from one vertex.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use errors::Result;
use owner::Charge;
use rayon::prelude::*;

use super::{bfs, weights};
use crate::algorithm::Algorithm;
use crate::column::{Column, NO_VERTEX};
use crate::graph::{Graph, Sides};
use crate::parallel;
use crate::parameters::{DIRECTION, Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const SHORTEST_PATHS: Algorithm = Algorithm {
    name: "shortestPaths",
    about: "Finds the least sum of weights on a path from a vertex to each other.",
    definition: "The distance of the source is 0, that of an unreachable vertex infinity. Vertices are \
                 settled by ranges of distances (Meyer, Sanders: Δ-stepping, 2003). The parent of a \
                 vertex is the one before it on a shortest path: the one with the smallest number among \
                 those that are closer to the source; behind edges that add nothing, the one with the \
                 fewest such edges. Without weights each edge counts 1. Of parallel edges the lightest \
                 counts; loops have no effect. Negative and infinite weights are refused.",
    parameters: &[
        Parameter { name: "source", kind: Kind::Vertex, about: "The vertex at which paths begin." },
        Parameter {
            name: "weighted",
            kind: Kind::Flag { default: true },
            about: "Edges count by their weights if the graph has any; otherwise each counts as 1.",
        },
        DIRECTION,
    ],
    columns: &["distance", "parent"],
    is_by_vertex: true,
    memory: |vertices, edges| vertices * 40 + edges * 24,
    run,
};

/// The vertices of a range of distances that a thread takes at a time.
const FRONTIER_CHUNK: usize = 64;

/// The bytes of waiting vertices that are charged at a time.
const CHARGED_BYTES: u64 = 1 << 18;

/// The bytes of a range of distances beside its vertices: its number, its vector and their place.
const RANGE_BYTES: usize = 64;

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let (source, direction) = (parameters.vertex("source"), parameters.direction());
    let (distances, parents) = if parameters.flag("weighted") && graph.is_weighted() {
        weights::check(graph, work, weights::Needs::FromZero)?;
        let _parents = work.reserve_for::<u32>(graph.vertex_count())?;
        let sides = graph.sides(work, direction)?;
        let distances = distances(graph, sides, source, work)?;
        let parents = parents(sides, source, &distances, work)?;
        (distances, parents)
    } else {
        let found = bfs::search(graph, source, direction, work)?;
        let distance = |level: &u32| match *level {
            bfs::UNREACHED => f64::INFINITY,
            level => f64::from(level),
        };
        (found.levels.iter().map(distance).collect(), found.parents)
    };
    let is_reached = |distance: &&f64| distance.is_finite();
    let reached = distances.iter().filter(is_reached).count();
    let farthest = distances.iter().filter(is_reached).copied().fold(0.0, f64::max);
    let table = Table::by_vertex(work)?
        .with_column("distance", Column::Number(distances))?
        .with_column("parent", Column::Vertex(parents))?;
    Ok(table
        .with_statistic("reached", Statistic::Count(reached as u64))
        .with_statistic("maxDistance", Statistic::Number(farthest)))
}

/// Returns the distance of each vertex.
fn distances(graph: &Graph, sides: Sides<'_>, source: u32, work: &Work) -> Result<Vec<f64>> {
    let vertices = graph.vertex_count();
    let _arrays = work.reserve_for::<[f64; 2]>(vertices)?;
    let infinite = || -> Vec<AtomicU64> {
        (0..vertices).into_par_iter().map(|_| AtomicU64::new(f64::INFINITY.to_bits())).collect()
    };
    let search =
        Search { sides, range: range(graph, work)?, distances: infinite(), relaxed: infinite(), work };
    search.distances[source as usize].store(0, Ordering::Relaxed);
    let mut later = Later { ranges: BTreeMap::new(), waiting: 0, charge: work.reserve(0)? };
    let mut frontier = vec![source];
    let mut number = 0;
    loop {
        while !frontier.is_empty() {
            let steps: Result<Vec<Step>> =
                frontier.par_chunks(FRONTIER_CHUNK).map(|part| search.relax(part, number)).collect();
            frontier.clear();
            for step in steps? {
                frontier.extend(step.same);
                later.add(step.later)?;
            }
        }
        let Some((next, vertices)) = later.ranges.pop_first() else { break };
        later.waiting -= vertices.len();
        (number, frontier) = (next, vertices);
    }
    Ok(search.distances.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect())
}

/// Returns the size of the ranges of distances: a quarter of the mean weight over the
/// mean degree.
fn range(graph: &Graph, work: &Work) -> Result<f64> {
    let Some(all) = graph.outgoing().all_weights() else { return Ok(1.0) };
    let part = 1.0 / all.len() as f64;
    let mean = parallel::sum(work, all.len(), |range| all[range].iter().map(|weight| weight * part).sum())?;
    let range = 0.25 * mean / (all.len() as f64 / graph.vertex_count() as f64).max(1.0);
    Ok(if range > 0.0 { range } else { 1.0 })
}

/// Vertices by the number of the range in which their distance is.
struct Later {
    ranges: BTreeMap<u64, Vec<u32>>,
    /// The number of vertices in all ranges.
    waiting: usize,
    charge: Charge,
}

impl Later {
    fn add(&mut self, vertices: Vec<(u64, u32)>) -> Result<()> {
        self.waiting += vertices.len();
        for (number, vertex) in vertices {
            self.ranges.entry(number).or_default().push(vertex);
        }
        // A vector has up to twice the capacity that it needs.
        let bytes = 2 * size_of::<u32>() * self.waiting + RANGE_BYTES * self.ranges.len();
        if bytes as u64 > self.charge.bytes() {
            self.charge.grow(bytes as u64 - self.charge.bytes() + CHARGED_BYTES)?;
        }
        Ok(())
    }
}

struct Search<'g> {
    sides: Sides<'g>,
    range: f64,
    /// The bits of distances from 0, which have the same order as the distances.
    distances: Vec<AtomicU64>,
    /// The distance with which the edges of each vertex were followed last.
    relaxed: Vec<AtomicU64>,
    work: &'g Work,
}

/// Vertices that got closer: in the same range, and in later ones.
#[derive(Default)]
struct Step {
    same: Vec<u32>,
    later: Vec<(u64, u32)>,
}

impl Search<'_> {
    /// Follows the edges of vertices in a range.
    fn relax(&self, part: &[u32], number: u64) -> Result<Step> {
        let mut step = Step::default();
        for from in part {
            let bits = self.distances[*from as usize].load(Ordering::Relaxed);
            if self.relaxed[*from as usize].swap(bits, Ordering::Relaxed) == bits {
                continue;
            }
            self.work.check()?;
            let distance = f64::from_bits(bits);
            for rows in self.sides.iter() {
                for (to, weight) in rows.edges(*from) {
                    self.offer(to, distance + weight, number, &mut step);
                }
            }
        }
        Ok(step)
    }

    fn offer(&self, to: u32, distance: f64, number: u64, step: &mut Step) {
        let (place, bits) = (&self.distances[to as usize], distance.to_bits());
        if bits >= place.load(Ordering::Relaxed) || bits >= place.fetch_min(bits, Ordering::Relaxed) {
            return;
        }
        match (distance / self.range) as u64 {
            its if its <= number => step.same.push(to),
            its => step.later.push((its, to)),
        }
    }
}

/// Returns the vertex before each on a shortest path.
fn parents(sides: Sides<'_>, source: u32, distances: &[f64], work: &Work) -> Result<Vec<u32>> {
    let parents: Vec<AtomicU32> =
        (0..distances.len()).into_par_iter().map(|_| AtomicU32::new(NO_VERTEX)).collect();
    parallel::for_each(work, distances.len(), |range| {
        for from in range.filter(|from| distances[*from].is_finite()) {
            for (to, weight) in sides.iter().flat_map(|rows| rows.edges(from as u32)) {
                let (mine, its) = (distances[from], distances[to as usize]);
                if mine + weight == its && mine < its && its.is_finite() {
                    parents[to as usize].fetch_min(from as u32, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    })?;
    let mut parents: Vec<u32> = parents.into_iter().map(AtomicU32::into_inner).collect();
    let is_settled = |vertex: u32, parents: &[u32]| {
        vertex == source || parents[vertex as usize] != NO_VERTEX || distances[vertex as usize].is_infinite()
    };
    let mut settled: Vec<u32> = Vec::new();
    if !(0..distances.len() as u32).all(|vertex| is_settled(vertex, &parents)) {
        let _settled = work.reserve_for::<u32>(distances.len())?;
        settled.extend(
            (0..distances.len() as u32)
                .filter(|vertex| is_settled(*vertex, &parents) && distances[*vertex as usize].is_finite()),
        );
    }
    // The other vertices are behind edges that add nothing. A search over these finds parents.
    while !settled.is_empty() {
        let mut next = Vec::new();
        for from in settled {
            work.check()?;
            for (to, weight) in sides.iter().flat_map(|rows| rows.edges(from)) {
                let adds_nothing = distances[from as usize] + weight == distances[to as usize];
                if adds_nothing && !is_settled(to, &parents) {
                    parents[to as usize] = from;
                    next.push(to);
                }
            }
        }
        next.sort_unstable();
        settled = next;
    }
    Ok(parents)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn paths(graph: &Graph, parameters: &str) -> (Vec<f64>, Vec<u32>) {
        let table = testing::run(&SHORTEST_PATHS, graph, parameters).unwrap();
        match (table.column("distance"), table.column("parent")) {
            (Some(Column::Number(distances)), Some(Column::Vertex(parents))) => {
                (distances.clone(), parents.clone())
            }
            _ => panic!("wrong columns"),
        }
    }

    #[test]
    fn a_detour_of_light_edges_is_shorter() {
        let edges = [(0, 1, 5.0), (0, 2, 1.0), (2, 1, 1.5), (2, 1, 9.0), (1, 1, 0.0), (3, 0, 1.0)];
        let graph = testing::weighted(4, &edges);
        let (distances, parents) = paths(&graph, r#"{"source": 0}"#);
        assert_eq!(distances, [0.0, 2.5, 1.0, f64::INFINITY]);
        assert_eq!(parents, [NO_VERTEX, 2, 0, NO_VERTEX]);
        assert_eq!(paths(&graph, r#"{"source": 0, "weighted": false}"#).0, [0.0, 1.0, 1.0, f64::INFINITY]);
        assert_eq!(paths(&graph, r#"{"source": 1, "direction": "inbound"}"#).0, [2.5, 0.0, 1.5, 3.5]);
        assert_eq!(paths(&graph, r#"{"source": 1, "direction": "any"}"#).1, [2, NO_VERTEX, 1, 0]);
    }

    #[test]
    fn edges_of_weight_0_lead_to_parents_without_cycles() {
        let edges = [(3, 2, 0.0), (2, 3, 0.0), (3, 1, 0.0), (1, 2, 0.0), (0, 3, 0.0)];
        let (distances, parents) = paths(&testing::weighted(4, &edges), r#"{"source": 0}"#);
        assert_eq!((distances, parents), (vec![0.0; 4], vec![NO_VERTEX, 3, 3, 0]));
    }

    #[test]
    fn a_negative_weight_is_named() {
        for weight in [-0.5, f64::NAN, f64::INFINITY] {
            let graph = testing::weighted(3, &[(0, 1, 1.0), (2, 0, weight)]);
            let error = testing::run(&SHORTEST_PATHS, &graph, r#"{"source": 0}"#).unwrap_err();
            assert!(error.to_string().contains("from vertex 2 to 0 has the weight"), "{error}");
        }
    }

    #[test]
    fn weights_of_any_size_have_distances() {
        let edges = [(0, 1, 1e-300), (1, 2, 1e300), (2, 3, 5e-324), (1, 4, f64::MAX), (4, 5, f64::MAX)];
        let (distances, parents) = paths(&testing::weighted(6, &edges), r#"{"source": 0}"#);
        assert_eq!(distances, [0.0, 1e-300, 1e300, 1e300, f64::MAX, f64::INFINITY]);
        assert_eq!(parents, [NO_VERTEX, 0, 1, 2, 1, NO_VERTEX]);
    }

    proptest! {
        /// Compares with all pairs by Floyd and Warshall, in numbers that add without rounding.
        #[test]
        fn distances_are_least(edges in prop::collection::vec((0_u32..12, 0_u32..12, 0_u8..9), 0..50), any: bool) {
            let edges: Vec<(u32, u32, f64)> =
                edges.into_iter().map(|(from, to, weight)| (from, to, f64::from(weight) / 8.0)).collect();
            let mut all = [[f64::INFINITY; 12]; 12];
            (0..12).for_each(|vertex| all[vertex][vertex] = 0.0);
            for (from, to, weight) in &edges {
                let (from, to) = (*from as usize, *to as usize);
                all[from][to] = weight.min(all[from][to]);
                if any {
                    all[to][from] = weight.min(all[to][from]);
                }
            }
            let direct = all;
            for middle in 0..12 {
                for from in 0..12 {
                    for to in 0..12 {
                        all[from][to] = all[from][to].min(all[from][middle] + all[middle][to]);
                    }
                }
            }
            let parameters = format!(r#"{{"source": 4, "direction": "{}"}}"#, if any { "any" } else { "outbound" });
            let (distances, parents) = paths(&testing::weighted(12, &edges), &parameters);
            prop_assert_eq!(&distances[..], &all[4][..]);
            for vertex in 0..12 {
                if vertex == 4 || distances[vertex].is_infinite() {
                    prop_assert_eq!(parents[vertex], NO_VERTEX);
                    continue;
                }
                let parent = parents[vertex] as usize;
                prop_assert_eq!(distances[parent] + direct[parent][vertex], distances[vertex]);
                let mut path = vec![vertex];
                while let Some(last) = path.last().filter(|last| **last != 4) {
                    path.push(parents[*last] as usize);
                    prop_assert!(path.len() <= 12, "the parents of {} are a cycle", vertex);
                }
            }
        }
    }
}
