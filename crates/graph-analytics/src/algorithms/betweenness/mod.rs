//! Betweenness: the part of shortest paths that lead through each vertex.

mod brandes;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use errors::Result;
use rayon::prelude::*;

use super::pool::threads;
use super::shared::random::{self, SEED};
use super::shared::simple::least_rows;
use super::weights::{self, Needs, WEIGHTED};
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::{Direction, Graph};
use crate::parameters::{DIRECTION, Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const BETWEENNESS: Algorithm = Algorithm {
    name: "betweenness",
    about: "Sums for each vertex the fractions of shortest paths between others that lead through it.",
    definition: "Brandes (2001): the sum over pairs (s, t) of the number of shortest paths from s to \
                 t through v, divided by the number of all. In direction `any` each pair counts \
                 once. With `samples`, only paths from that many random vertices count, and the sums \
                 are scaled to all vertices (Brandes, Pich 2007). `normalized` divides by the number \
                 of pairs of other vertices: (n - 1)(n - 2), or half of it in direction `any`. Loops \
                 are ignored, and parallel edges count as one, with the least weight. Weights must \
                 be finite and above 0. Lengths are equal if their floating-point sums are. A \
                 vertex has no value if there are more than 1e308 paths.",
    parameters: &[
        DIRECTION,
        WEIGHTED,
        Parameter {
            name: "samples",
            kind: Kind::Count { default: 0, min: 0, max: u32::MAX as u64 },
            about: "Number of random vertices from which paths are counted; 0 for all vertices.",
        },
        Parameter {
            name: "normalized",
            kind: Kind::Flag { default: false },
            about: "Divides by the number of pairs of other vertices.",
        },
        SEED,
    ],
    columns: &["betweenness"],
    is_by_vertex: true,
    memory: |vertices, edges| edges * 36 + vertices * (64 + 8 * LANES as u64 + threads() * 48),
    run,
};

/// The sums that are made apart from each other and then added in order. Their number is fixed, so
/// that results do not depend on the number of threads.
const LANES: usize = 16;

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let direction = parameters.direction();
    let is_weighted = parameters.flag("weighted") && graph.is_weighted();
    if is_weighted {
        weights::check(graph, work, Needs::AboveZero)?;
    }
    let vertices = graph.vertex_count();
    let samples = match parameters.count("samples") {
        0 => vertices,
        samples => vertices.min(samples as usize),
    };
    let _sources = work.reserve_for::<u32>(samples)?;
    let sources = random::sample(random::generator(parameters.count("seed"), 0), vertices, samples);
    let rows = least_rows(graph, work, direction, is_weighted)?;
    let lanes = LANES.min(sources.len());
    let _sums = work.reserve_for::<f64>(vertices * (lanes + 1))?;
    let done = AtomicU64::new(0);
    let sums: Result<Vec<Vec<f64>>> = (0..lanes)
        .into_par_iter()
        .map(|lane| {
            let mut sums = vec![0.0; vertices];
            let mut search = brandes::Search::new(work, vertices)?;
            for source in sources.iter().skip(lane).step_by(lanes) {
                search.run(work, &rows, *source, &mut sums)?;
                work.set_progress(done.fetch_add(1, Ordering::Relaxed) + 1, samples as u64);
            }
            Ok(sums)
        })
        .collect();
    let mut result = vec![0.0; vertices];
    for sums in sums? {
        work.check()?;
        result.iter_mut().zip(sums).for_each(|(result, sum)| *result += sum);
    }
    let factor = factor(vertices, samples, direction, parameters.flag("normalized"));
    result.iter_mut().for_each(|result| *result *= factor);
    Ok(Table::by_vertex(work)?
        .with_column("betweenness", Column::Number(result))?
        .with_statistic("samples", Statistic::Count(samples as u64)))
}

/// Returns the factor that makes a result of a sum over samples.
fn factor(vertices: usize, samples: usize, direction: Direction, is_normalized: bool) -> f64 {
    let mut factor = if samples == 0 { 1.0 } else { vertices as f64 / samples as f64 };
    let pairs = (vertices as f64 - 1.0) * (vertices as f64 - 2.0);
    if is_normalized {
        // Both the sums and the pairs are halved in direction `any`.
        factor *= if pairs > 0.0 { 1.0 / pairs } else { 0.0 };
    } else if direction == Direction::Any {
        factor /= 2.0;
    }
    factor
}
