//! Attribute propagation: the labels that reach each vertex.

mod labels;
mod spread;
#[cfg(test)]
mod tests;

use errors::{Error, Result};
use owner::Charge;
use rayon::prelude::*;

use super::pool::{Pool, threads};
use super::shared::bit_search::BitSearch;
use super::shared::reach::Reach;
use crate::algorithm::Algorithm;
use crate::column::{Column, Lists};
use crate::graph::{Direction, Graph};
use crate::parameters::{Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

use labels::Labels;
use spread::Spread;

pub(super) const ATTRIBUTE_PROPAGATION: Algorithm = Algorithm {
    name: "attributePropagation",
    about: "Propagates the labels of vertices along edges, and collects them at each vertex.",
    definition: "Each vertex begins with the values of its attribute as labels: the members of a \
                 list, or one value. In each iteration it sends its labels along its edges, or \
                 against them if `backwards`, and adds those that arrive to its own. The algorithm \
                 ends when nothing changes, or after `maxIterations`. If `synchronous`, labels go one \
                 edge far in an iteration. Otherwise a vertex also sends on what arrived before its \
                 turn in the same iteration; turns are in the order of vertices at first, and then \
                 in the order in which vertices got labels. Both give the same labels once nothing \
                 changes. Weights, loops and parallel edges make no difference. A result is as large \
                 as the sum of all sets, which may be vertices times labels.",
    parameters: &[
        Parameter {
            name: "startAttribute",
            kind: Kind::Attribute,
            about: "The vertex attribute with the labels. It must be given.",
        },
        Parameter {
            name: "maxIterations",
            kind: Kind::Count { default: 500, min: 1, max: u64::MAX },
            about: "Maximum number of iterations.",
        },
        Parameter {
            name: "synchronous",
            kind: Kind::Flag { default: false },
            about: "Labels go one edge far in an iteration.",
        },
        Parameter {
            name: "backwards",
            kind: Kind::Flag { default: false },
            about: "Labels go against the direction of edges.",
        },
    ],
    columns: &["labels"],
    is_by_vertex: true,
    memory: |vertices, edges| edges * 12 + vertices * (threads() * BitSearch::BYTES + 200),
    run,
};

/// Labels that go together, each as one bit.
const BATCH: u32 = 64;

/// The vertices that labels of a batch reached, with the bits of the labels.
type Reached = Vec<(u32, u64)>;

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let Some(attribute) = parameters.attribute("startAttribute") else {
        return Err(Error::bad_parameter("'startAttribute' is missing; it names a vertex attribute"));
    };
    let labels = Labels::of(graph.attribute(attribute)?, attribute, work)?;
    let direction = if parameters.flag("backwards") { Direction::Inbound } else { Direction::Outbound };
    let reach = Reach::new(graph, work, direction)?;
    let max_iterations = parameters.count("maxIterations");
    let batches = (labels.names.len() as u32).div_ceil(BATCH);
    let results: Result<Vec<(Reached, u64, Charge)>> = if parameters.flag("synchronous") {
        let pool = Pool::default();
        let propagate = |batch: u32| {
            pool.with(
                || BitSearch::new(work, graph.vertex_count()),
                |search| {
                    let starts = labels.starts(batch * BATCH);
                    let iterations = search.run(work, reach, starts, max_iterations, |_, _, _| ())?;
                    collected(work, search.seen(), iterations)
                },
            )
        };
        (0..batches).into_par_iter().map(propagate).collect()
    } else {
        let pool = Pool::default();
        let propagate = |batch: u32| {
            pool.with(
                || Spread::new(work, graph.vertex_count()),
                |spread| {
                    let starts = labels.starts(batch * BATCH);
                    let iterations = spread.run(work, reach, starts, max_iterations)?;
                    collected(work, spread.seen(), iterations)
                },
            )
        };
        (0..batches).into_par_iter().map(propagate).collect()
    };
    let results = results?;
    let iterations = results.iter().map(|(_, iterations, _)| *iterations).max().unwrap_or_default();
    let sets = sets(work, graph.vertex_count(), results)?;
    let count = labels.names.len() as u64;
    Ok(Table::by_vertex(work)?
        .with_column("labels", Column::LabelSets(sets, labels.names))?
        .with_statistic("labels", Statistic::Count(count))
        .with_statistic("iterations", Statistic::Count(iterations))
        .with_statistic("converged", Statistic::Flag(iterations < max_iterations)))
}

fn collected(
    work: &Work,
    seen: impl ExactSizeIterator<Item = (u32, u64)>,
    iterations: u64,
) -> Result<(Reached, u64, Charge)> {
    let charge = work.reserve_for::<(u32, u64)>(seen.len())?;
    Ok((seen.collect(), iterations, charge))
}

/// Returns the labels of each vertex, in ascending order.
fn sets(work: &Work, vertices: usize, results: Vec<(Reached, u64, Charge)>) -> Result<Lists> {
    let _ends = work.reserve_for::<usize>(vertices + 1)?;
    let mut ends = vec![0; vertices + 1];
    for (reached, _, _) in &results {
        work.check()?;
        for (vertex, bits) in reached {
            ends[*vertex as usize + 1] += bits.count_ones() as usize;
        }
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    let _values = work.reserve_for::<u32>(sum)?;
    let mut values = vec![0; sum];
    let _next = work.reserve_for::<usize>(vertices + 1)?;
    let mut next = ends.clone();
    for ((reached, _, _), first) in results.into_iter().zip((0..).step_by(BATCH as usize)) {
        work.check()?;
        for (vertex, mut bits) in reached {
            let place = &mut next[vertex as usize];
            while bits != 0 {
                values[*place] = first + bits.trailing_zeros();
                *place += 1;
                bits &= bits - 1;
            }
        }
    }
    Ok(Lists::from_parts(ends, values))
}
