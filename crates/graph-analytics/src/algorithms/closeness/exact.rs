//! Closeness from distances to all vertices, or to a sample of them.

use std::sync::atomic::{AtomicU64, Ordering};

use errors::Result;
use rayon::prelude::*;

use crate::algorithm::Algorithm;
use crate::algorithms::pool::{Pool, threads};
use crate::algorithms::shared::bit_search::BitSearch;
use crate::algorithms::shared::random::{self, SEED};
use crate::algorithms::shared::reach::Reach;
use crate::column::Column;
use crate::graph::{Direction, Graph};
use crate::parameters::{Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(in crate::algorithms) const CLOSENESS: Algorithm = Algorithm {
    name: "closeness",
    about: "Computes the inverse of each vertex's mean distance from other vertices.",
    definition: "With r vertices that reach v, beside v itself, and the sum D of their distances: \
                 r / D. `wassermanFaust` multiplies by r / (n - 1), so that a vertex of a small \
                 component is not close (Wasserman, Faust 1994). The variant `harmonic` is the sum \
                 of 1 / distance, divided by n - 1. A vertex that nothing reaches has 0. With \
                 `samples`, only distances from that many random vertices count, and their number \
                 replaces n - 1. Each edge has length 1; weights, loops and parallel edges make no \
                 difference.",
    parameters: &[
        super::DIRECTION,
        Parameter {
            name: "variant",
            kind: Kind::Choice(&["classic", "harmonic"]),
            about: "The inverse of the mean distance, or the mean of inverse distances.",
        },
        Parameter {
            name: "wassermanFaust",
            kind: Kind::Flag { default: true },
            about: "Multiplies the classic variant by the part of the vertices that reach the vertex.",
        },
        Parameter {
            name: "samples",
            kind: Kind::Count { default: 0, min: 0, max: u32::MAX as u64 },
            about: "Number of random vertices whose distances count; 0 for all vertices.",
        },
        SEED,
    ],
    columns: &["closeness"],
    is_by_vertex: true,
    memory: |vertices, edges| edges * 12 + vertices * (72 + LANES as u64 * 24 + threads() * BitSearch::BYTES),
    run,
};

/// The searches of which each sums up distances apart from others, for samples. Their number is
/// fixed, so that results do not depend on the number of threads.
const LANES: usize = 4;

/// The sums of distances of a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    reached: u64,
    distances: u64,
    inverses: f64,
}

impl Sums {
    fn add(&mut self, distance: u64, count: u64) {
        if distance > 0 {
            self.reached += count;
            self.distances += distance * count;
            self.inverses += count as f64 / distance as f64;
        }
    }
}

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let vertices = graph.vertex_count();
    let samples = parameters.count("samples") as usize;
    let is_exact = samples == 0 || samples >= vertices;
    let (sums, sampled) = if is_exact {
        (exact(graph, work, parameters.direction())?, Vec::new())
    } else {
        let random = random::generator(parameters.count("seed"), 0);
        let sampled = random::sample(random, vertices, samples);
        (estimated(graph, work, parameters.direction(), &sampled)?, sampled)
    };
    let is_harmonic = parameters.choice("variant") == "harmonic";
    let is_scaled = parameters.flag("wassermanFaust");
    let value_of = |(vertex, sums): (u32, &Sums)| {
        let others = if is_exact {
            vertices - 1
        } else {
            samples - usize::from(sampled.binary_search(&vertex).is_ok())
        };
        let reached = sums.reached as f64;
        match sums.reached {
            0 => 0.0,
            _ if is_harmonic => sums.inverses / others as f64,
            _ if is_scaled => reached / sums.distances as f64 * reached / others as f64,
            _ => reached / sums.distances as f64,
        }
    };
    let values = (0..).zip(&sums).map(value_of).collect();
    Ok(Table::by_vertex(work)?
        .with_column("closeness", Column::Number(values))?
        .with_statistic("samples", Statistic::Count(if is_exact { vertices } else { samples } as u64)))
}

/// Returns the sums over all vertices.
fn exact(graph: &Graph, work: &Work, direction: Direction) -> Result<Vec<Sums>> {
    let vertices = graph.vertex_count();
    // A search against the direction finds the distances to its start.
    let reach = Reach::new(graph, work, direction)?;
    let _charge = work.reserve_for::<Sums>(vertices)?;
    let mut sums = vec![Sums::default(); vertices];
    let (searches, done) = (Pool::default(), AtomicU64::new(0));
    sums.par_chunks_mut(64).enumerate().try_for_each(|(i, sums)| -> Result<()> {
        let count = sums.len();
        searches.with(
            || BitSearch::new(work, vertices),
            |search| {
                let starts = (0..count).map(|bit| ((i * 64 + bit) as u32, 1 << bit));
                search.run(work, reach, starts, u64::MAX, |distance, _, mut bits| {
                    while bits != 0 {
                        sums[bits.trailing_zeros() as usize].add(distance, 1);
                        bits &= bits - 1;
                    }
                })
            },
        )?;
        work.set_progress(done.fetch_add(1, Ordering::Relaxed) + 1, vertices.div_ceil(64) as u64);
        Ok(())
    })?;
    Ok(sums)
}

/// Returns the sums over some vertices.
fn estimated(graph: &Graph, work: &Work, direction: Direction, sampled: &[u32]) -> Result<Vec<Sums>> {
    let vertices = graph.vertex_count();
    let reversed = match direction {
        Direction::Outbound => Direction::Inbound,
        Direction::Inbound => Direction::Outbound,
        Direction::Any => Direction::Any,
    };
    let reach = Reach::new(graph, work, reversed)?;
    let groups: Vec<&[u32]> = sampled.chunks(64).collect();
    let lanes = LANES.min(groups.len());
    let _charge = work.reserve_for::<Sums>(vertices * (lanes + 1))?;
    let done = AtomicU64::new(0);
    let parts: Result<Vec<Vec<Sums>>> = (0..lanes)
        .into_par_iter()
        .map(|lane| {
            let mut sums = vec![Sums::default(); vertices];
            let mut search = BitSearch::new(work, vertices)?;
            for group in groups.iter().skip(lane).step_by(lanes) {
                let starts = group.iter().zip(0..).map(|(vertex, bit)| (*vertex, 1 << bit));
                search.run(work, reach, starts, u64::MAX, |distance, vertex, bits| {
                    sums[vertex as usize].add(distance, u64::from(bits.count_ones()));
                })?;
                work.set_progress(done.fetch_add(1, Ordering::Relaxed) + 1, groups.len() as u64);
            }
            Ok(sums)
        })
        .collect();
    let mut result = vec![Sums::default(); vertices];
    for part in parts? {
        for (sums, more) in result.iter_mut().zip(part) {
            sums.reached += more.reached;
            sums.distances += more.distances;
            sums.inverses += more.inverses;
        }
    }
    Ok(result)
}
