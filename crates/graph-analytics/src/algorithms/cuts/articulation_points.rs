//! Articulation points.

use errors::Result;

use super::lowlink;
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::Graph;
use crate::parameters::Parameters;
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(in crate::algorithms) const ARTICULATION_POINTS: Algorithm = Algorithm {
    name: "articulationPoints",
    about: "Finds the vertices without which a connected component falls apart.",
    definition: "Hopcroft, Tarjan (1973), by one depth-first search. Directions, weights, loops and \
                 parallel edges make no difference.",
    parameters: &[],
    columns: &["isArticulationPoint"],
    is_by_vertex: true,
    memory: |vertices, edges| edges * 12 + vertices * 120,
    run,
};

fn run(graph: &Graph, _: &Parameters, work: &Work) -> Result<Table> {
    let cuts = lowlink::search(graph, work)?;
    let count = cuts.is_articulation_point.iter().filter(|is| **is).count();
    Ok(Table::by_vertex(work)?
        .with_column("isArticulationPoint", Column::Flag(cuts.is_articulation_point))?
        .with_statistic("articulationPoints", Statistic::Count(count as u64))
        .with_statistic("components", Statistic::Count(cuts.components)))
}
