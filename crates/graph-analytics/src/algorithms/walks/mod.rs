//! Random walks.

mod steps;
mod random_walks;
mod node2vec_walks;
#[cfg(test)]
mod tests;

use errors::Result;
use rayon::prelude::*;

use super::shared::random::{self, SEED};
use super::weights::{self, Needs, WEIGHTED};
use crate::column::{Column, Lists};
use crate::graph::Graph;
use crate::parameters::{DIRECTION, Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) use node2vec_walks::NODE2VEC_WALKS;
pub(super) use random_walks::RANDOM_WALKS;

use steps::{Bias, Steps};

const SOURCES: Parameter = Parameter {
    name: "sources",
    kind: Kind::Vertices { max: 1_000_000 },
    about: "The vertices at which walks begin; all vertices if there are none.",
};

const WALKS_PER_VERTEX: Parameter = Parameter {
    name: "walksPerVertex",
    kind: Kind::Count { default: 10, min: 1, max: 1_000_000 },
    about: "Number of walks from each vertex.",
};

const LENGTH: Parameter = Parameter {
    name: "length",
    kind: Kind::Count { default: 80, min: 1, max: 1_000_000 },
    about: "Maximum number of steps of a walk.",
};

/// Walks that a thread makes at a time.
const CHUNK: usize = 256;

/// Walks that are made before they go into the result.
const BLOCK: usize = 64 * CHUNK;

fn memory(vertices: u64, edges: u64) -> u64 {
    let walks = vertices.saturating_mul(10);
    let rows = walks.saturating_mul(4 + 8 + 81 * 4);
    edges * 44 + vertices * 8 + rows.saturating_mul(2)
}

/// Walks as the parameters say, with a bias that depends on the step before.
fn run(graph: &Graph, parameters: &Parameters, work: &Work, bias: Option<Bias>) -> Result<Table> {
    let is_weighted = parameters.flag("weighted") && graph.is_weighted();
    if is_weighted {
        weights::check(graph, work, Needs::FromZero)?;
    }
    let rows = graph.rows(work, parameters.direction())?;
    let steps = Steps::new(work, &rows, is_weighted, bias)?;
    let (seed, length) = (parameters.count("seed"), parameters.count("length") as usize);
    let per_vertex = parameters.count("walksPerVertex");
    let sources = parameters.vertices("sources");
    let source_count = if sources.is_empty() { graph.vertex_count() } else { sources.len() } as u64;
    let total = source_count * per_vertex;
    let source_of = |walk: u64| {
        let source = (walk / per_vertex) as usize;
        sources.get(source).copied().unwrap_or(source as u32)
    };
    let mut charge = work.reserve(0)?;
    let (mut beginnings, mut lists) = (Vec::new(), Lists::default());
    let mut first = 0;
    while first < total {
        work.check()?;
        work.set_progress(first, total);
        let end = total.min(first + BLOCK as u64);
        let walks = (end - first) as usize;
        // Vectors that grow take up to twice the size of what they hold.
        let longest = size_of::<u32>() * (length + 2) + size_of::<usize>();
        let mut block = work.reserve((walks * longest) as u64)?;
        let parts: Result<Vec<Lists>> = (0..walks.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let first = first + (chunk * CHUNK) as u64;
                let mut lists = Lists::default();
                let mut walk = Vec::new();
                for i in first..end.min(first + CHUNK as u64) {
                    let source = source_of(i);
                    // A walk depends on its vertex and its number there, not on other sources.
                    let place = u64::from(source) * per_vertex + i % per_vertex;
                    steps.walk(work, random::generator(seed, place), source, length, &mut walk)?;
                    lists.push(walk.iter().copied());
                }
                Ok(lists)
            })
            .collect();
        let parts = parts?;
        let vertices: usize = parts.iter().flat_map(|part| (0..part.len()).map(|i| part.get(i).len())).sum();
        let bytes = vertices * size_of::<u32>() + walks * (size_of::<u32>() + size_of::<usize>());
        charge.grow(2 * bytes as u64)?;
        beginnings.extend((first..end).map(source_of));
        for part in &parts {
            (0..part.len()).for_each(|i| lists.push(part.get(i).iter().copied()));
        }
        block.clear();
        first = end;
    }
    drop(charge);
    Ok(Table::of_rows(work)?
        .with_column("source", Column::Vertex(beginnings))?
        .with_column("walk", Column::Vertices(lists))?
        .with_statistic("walks", Statistic::Count(total)))
}
