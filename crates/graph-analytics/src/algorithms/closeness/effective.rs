//! Effective closeness: closeness from estimates of how many vertices are how near.

use errors::Result;
use rayon::prelude::*;

use crate::algorithm::Algorithm;
use crate::algorithms::shared::reach::Reach;
use crate::column::Column;
use crate::graph::Graph;
use crate::parallel::{self, CHUNK};
use crate::parameters::{Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(in crate::algorithms) const EFFECTIVE_CLOSENESS: Algorithm = Algorithm {
    name: "effectiveCloseness",
    about: "Estimates closeness with a HyperLogLog counter of 64 buckets for each vertex.",
    definition: "Kang, Papadimitriou, Sun, Tong (2011): in iteration k the counter of each vertex \
                 comes to hold the vertices at most k edges away, by union with the counters of its \
                 neighbours. With c(k) as the estimate: the sum of c(k) - c(k - 1), divided by the \
                 sum of k (c(k) - c(k - 1)). That is the inverse of the mean distance of those \
                 vertices that reach the vertex. A vertex that nothing reaches has 0. Each edge has \
                 length 1; weights, loops and parallel edges make no difference. The standard error \
                 of an estimate is 13 %.",
    parameters: &[
        super::DIRECTION,
        Parameter {
            name: "maxIterations",
            kind: Kind::Count { default: 500, min: 1, max: 1_000_000 },
            about: "Maximum number of iterations, and so the greatest distance that counts.",
        },
    ],
    columns: &["closeness"],
    is_by_vertex: true,
    memory: |vertices, edges| edges * 12 + vertices * (2 * BUCKETS as u64 + 72),
    run,
};

/// The number of buckets of a counter.
const BUCKETS: usize = 64;

/// The buckets of a counter: the greatest rank of a hash in each.
type Counter = [u8; BUCKETS];

/// The knowledge about a vertex beside its counter.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    estimate: f64,
    reached: f64,
    distances: f64,
    is_changed: bool,
}

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let vertices = graph.vertex_count();
    let reach = Reach::new(graph, work, parameters.direction())?;
    let max_iterations = parameters.count("maxIterations");
    let _charge = work.reserve_for::<(Counter, Counter, State, bool, f64)>(vertices)?;
    let mut counters: Vec<Counter> = (0..vertices as u32).map(counter_of).collect();
    let mut next = counters.clone();
    let estimate = estimate(&counter_of(0));
    let mut states = vec![State { estimate, is_changed: true, ..State::default() }; vertices];
    let mut is_changed = vec![true; vertices];
    let (mut iterations, mut is_converged) = (0, false);
    while iterations < max_iterations && !is_converged {
        work.set_progress(iterations, max_iterations);
        iterations += 1;
        let parts = next.par_chunks_mut(CHUNK).zip(states.par_chunks_mut(CHUNK)).enumerate();
        parts.try_for_each(|(i, (next, states))| -> Result<()> {
            work.check()?;
            for ((next, state), vertex) in next.iter_mut().zip(states).zip((i * CHUNK) as u32..) {
                let old = &counters[vertex as usize];
                *next = *old;
                for neighbour in reach.targets(vertex) {
                    if is_changed[neighbour as usize] {
                        unite(next, &counters[neighbour as usize]);
                    }
                }
                state.is_changed = next != old;
                if state.is_changed {
                    state.count(iterations, next);
                }
            }
            Ok(())
        })?;
        std::mem::swap(&mut counters, &mut next);
        parallel::fill(work, &mut is_changed, |first, part| {
            part.iter_mut().zip(&states[first..]).for_each(|(to, state)| *to = state.is_changed);
            Ok(())
        })?;
        is_converged = !is_changed.contains(&true);
    }
    let value_of = |state: &State| if state.distances > 0.0 { state.reached / state.distances } else { 0.0 };
    Ok(Table::by_vertex(work)?
        .with_column("closeness", Column::Number(states.iter().map(value_of).collect()))?
        .with_statistic("iterations", Statistic::Count(iterations))
        .with_statistic("converged", Statistic::Flag(is_converged)))
}

impl State {
    /// Counts the vertices that are new in a counter, at a distance.
    fn count(&mut self, distance: u64, counter: &Counter) {
        let new = estimate(counter) - self.estimate;
        // Estimates fall a little where the formula changes.
        if new > 0.0 {
            self.estimate += new;
            self.reached += new;
            self.distances += new * distance as f64;
        }
    }
}

/// Returns the counter that holds one vertex.
fn counter_of(vertex: u32) -> Counter {
    // The finalizer of SplitMix64.
    let mut hash = u64::from(vertex).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^= hash >> 31;
    let mut counter = [0; BUCKETS];
    // The first 6 bits choose the bucket; the others have a rank of at most 58.
    let rank = ((hash << 6).leading_zeros() + 1).min(58);
    counter[(hash >> 58) as usize] = rank as u8;
    counter
}

fn unite(counter: &mut Counter, other: &Counter) {
    counter.iter_mut().zip(other).for_each(|(bucket, other)| *bucket = (*bucket).max(*other));
}

/// Returns the number of vertices in a counter, after Flajolet, Fusy, Gandouet, Meunier (2007).
fn estimate(counter: &Counter) -> f64 {
    let buckets = BUCKETS as f64;
    let sum: f64 = counter.iter().map(|rank| f64::from_bits((1023 - u64::from(*rank)) << 52)).sum();
    let estimate = 0.709 * buckets * buckets / sum;
    let empty = counter.iter().filter(|rank| **rank == 0).count();
    if estimate <= 2.5 * buckets && empty > 0 { buckets * (buckets / empty as f64).ln() } else { estimate }
}

#[cfg(test)]
mod estimates {
    use super::*;

    #[test]
    fn a_counter_estimates_how_many_it_holds() {
        let mut counter = [0; BUCKETS];
        for (vertex, count) in (0..100_000).zip(1_u32..) {
            unite(&mut counter, &counter_of(vertex));
            if [1, 10, 100, 1_000, 10_000, 100_000].contains(&count) {
                let ratio = estimate(&counter) / f64::from(count);
                assert!((0.6..1.5).contains(&ratio), "{count}: {ratio}");
            }
        }
    }
}
