//! Bridges.

use errors::Result;

use super::lowlink;
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::Graph;
use crate::parameters::Parameters;
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(in crate::algorithms) const BRIDGES: Algorithm = Algorithm {
    name: "bridges",
    about: "Finds the edges without which a connected component falls apart.",
    definition: "Hopcroft, Tarjan (1973), by one depth-first search. Directions and weights make no \
                 difference. An edge with a parallel one, in either direction, is no bridge, and a \
                 loop is none. Rows are edges as they are directed, in the order of their vertices.",
    parameters: &[],
    columns: &["from", "to"],
    is_by_vertex: false,
    memory: |vertices, edges| edges * 12 + vertices * 120,
    run,
};

fn run(graph: &Graph, _: &Parameters, work: &Work) -> Result<Table> {
    let cuts = lowlink::search(graph, work)?;
    let directed = |(a, b): (u32, u32)| match graph.outgoing().targets(a).binary_search(&b) {
        Ok(_) => (a, b),
        Err(_) => (b, a),
    };
    let _charge = work.reserve_for::<[(u32, u32); 2]>(cuts.bridges.len())?;
    let mut bridges: Vec<(u32, u32)> = cuts.bridges.into_iter().map(directed).collect();
    bridges.sort_unstable();
    let (from, to): (Vec<u32>, Vec<u32>) = bridges.iter().copied().unzip();
    Ok(Table::of_rows(work)?
        .with_column("from", Column::Vertex(from))?
        .with_column("to", Column::Vertex(to))?
        .with_statistic("bridges", Statistic::Count(bridges.len() as u64))
        .with_statistic("components", Statistic::Count(cuts.components)))
}
