//! Communities of high modularity: Louvain and Leiden.

mod tally;
mod level;
mod moving;
mod refinement;
mod leiden;
mod louvain;
#[cfg(test)]
mod tests;

use errors::Result;

use crate::column::Column;
use crate::graph::Graph;
use crate::parameters::{Kind, Parameter};
use crate::table::{Statistic, Table};
use crate::work::Work;

use super::shared::random::SEED;

pub(super) use leiden::LEIDEN;
pub(super) use louvain::LOUVAIN;

/// The parameters of both algorithms.
const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "resolution",
        kind: Kind::Number { default: 1.0, min: 0.0, max: 1e6 },
        about: "The weight of the expected edges in the modularity. More gives smaller communities.",
    },
    Parameter {
        name: "maxLevels",
        kind: Kind::Count { default: 20, min: 1, max: 1_000 },
        about: "Maximum number of levels.",
    },
    Parameter {
        name: "tolerance",
        kind: Kind::Number { default: 1e-7, min: 0.0, max: 1.0 },
        about: "The least gain of modularity for which another level is worth while.",
    },
    SEED,
];

/// Bytes that either needs at most: one level, another that grows by half, and the arrays of one.
fn memory(vertices: u64, edges: u64) -> u64 {
    let incoming = edges * 12 + vertices * 8;
    let level = 2 * edges * size_of::<(u32, f64)>() as u64;
    incoming + level + level / 2 * 3 + vertices * 120
}

/// Renumbers communities from 0 in the order of their first vertices. Returns how many there are.
fn renumber(work: &Work, communities: &mut [u32]) -> Result<usize> {
    const NONE: u32 = u32::MAX;
    let _charge = work.reserve_for::<u32>(communities.len())?;
    let mut numbers = vec![NONE; communities.len()];
    let mut count = 0;
    for community in communities {
        let number = &mut numbers[*community as usize];
        if *number == NONE {
            *number = count;
            count += 1;
        }
        *community = *number;
    }
    Ok(count as usize)
}

/// Makes the result. The communities are numbered, and `levels` were computed.
fn table(
    work: &Work,
    communities: &[u32],
    count: usize,
    (levels, is_converged): (u64, bool),
    modularity: f64,
) -> Result<Table> {
    let column = communities.iter().map(|community| u64::from(*community)).collect();
    Ok(Table::by_vertex(work)?
        .with_column("community", Column::Count(column))?
        .with_statistic("communities", Statistic::Count(count as u64))
        .with_statistic("modularity", Statistic::Number(modularity))
        .with_statistic("levels", Statistic::Count(levels))
        .with_statistic("converged", Statistic::Flag(is_converged)))
}

/// Returns the level of the graph itself, whose weights are right.
fn first_level<'g>(graph: &'g Graph, work: &Work) -> Result<level::Level<'g>> {
    use super::weights::{self, Needs};
    weights::check(graph, work, Needs::FromZero)?;
    level::Level::of_graph(graph, work)
}
