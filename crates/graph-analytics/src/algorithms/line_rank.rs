//! LineRank: a PageRank of edges, summed up at their ends.

use errors::Result;

use super::weights::{self, Needs, WEIGHTED};
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::{Adjacency, Graph};
use crate::parallel;
use crate::parameters::{Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const LINE_RANK: Algorithm = Algorithm {
    name: "lineRank",
    about: "Ranks vertices by how often a random walk over edges takes an edge at them.",
    definition: "Kang, Papadimitriou, Sun, Tong (2011): in the line graph, whose vertices are the \
                 edges, an edge leads to all edges that leave its target. The rank of an edge is \
                 that of a random walk which goes on with probability `damping` and else begins at \
                 a random edge; from an edge that leads nowhere it always does. The value of a \
                 vertex is the sum of the ranks of the edges at it, in either direction; all values \
                 sum to 2. A loop counts twice; parallel edges count one by one. If `weighted`, the \
                 walk chooses an edge in proportion to its weight, which must be finite and at \
                 least 0.",
    parameters: &[
        Parameter {
            name: "damping",
            kind: Kind::Number { default: 0.85, min: 0.0, max: 1.0 },
            about: "The probability to go on along edges.",
        },
        Parameter {
            name: "maxIterations",
            kind: Kind::Count { default: 100, min: 1, max: 1_000_000 },
            about: "Maximum number of iterations.",
        },
        Parameter {
            name: "tolerance",
            kind: Kind::Number { default: 1e-7, min: 0.0, max: 1.0 },
            about: "The iterations end when the ranks change by less than this in total.",
        },
        WEIGHTED,
    ],
    columns: &["rank"],
    is_by_vertex: true,
    memory: |vertices, edges| edges * 12 + vertices * 56,
    run,
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let is_weighted = parameters.flag("weighted") && graph.is_weighted();
    if is_weighted {
        weights::check(graph, work, Needs::FromZero)?;
    }
    let (damping, tolerance) = (parameters.number("damping"), parameters.number("tolerance"));
    let max_iterations = parameters.count("maxIterations");
    let (vertices, edges) = (graph.vertex_count(), graph.edge_count().max(1) as f64);
    let (outgoing, incoming) = (graph.outgoing(), graph.incoming(work)?);
    let _charge = work.reserve_for::<[f64; 4]>(vertices)?;
    // The inverse weight of the edges that leave a vertex; 0 if there are none.
    let mut inverse = vec![0.0; vertices];
    parallel::fill(work, &mut inverse, |first, part| {
        for (inverse, vertex) in part.iter_mut().zip(first as u32..) {
            let weight = match outgoing.weights(vertex).filter(|_| is_weighted) {
                Some(weights) => weights.iter().sum(),
                None => outgoing.degree(vertex) as f64,
            };
            *inverse = if weight > 0.0 { 1.0 / weight } else { 0.0 };
        }
        Ok(())
    })?;
    // The sum of the ranks of the edges that arrive at each vertex.
    let mut arriving: Vec<f64> =
        (0..vertices as u32).map(|vertex| incoming.degree(vertex) as f64 / edges).collect();
    let mut next = vec![0.0; vertices];
    let mut shares = vec![0.0; vertices];
    let (mut iterations, mut is_converged) = (0, false);
    let beginning = |arriving: &[f64]| -> Result<f64> {
        let lost = parallel::sum(work, vertices, |range| {
            range.filter(|vertex| inverse[*vertex] == 0.0).map(|vertex| arriving[vertex]).sum()
        })?;
        Ok((1.0 - damping + damping * lost) / edges)
    };
    while iterations < max_iterations && !is_converged {
        work.set_progress(iterations, max_iterations);
        iterations += 1;
        let beginning = beginning(&arriving)?;
        parallel::fill(work, &mut shares, |first, part| {
            for (share, vertex) in part.iter_mut().zip(first..) {
                *share = damping * arriving[vertex] * inverse[vertex];
            }
            Ok(())
        })?;
        parallel::fill(work, &mut next, |first, part| {
            for (next, vertex) in part.iter_mut().zip(first as u32..) {
                let begun = beginning * incoming.degree(vertex) as f64;
                *next = begun + gathered(incoming, vertex, is_weighted, &shares);
            }
            Ok(())
        })?;
        let change = parallel::sum(work, vertices, |range| {
            range.map(|vertex| (next[vertex] - arriving[vertex]).abs()).sum()
        })?;
        std::mem::swap(&mut arriving, &mut next);
        is_converged = change <= tolerance;
    }
    let beginning = beginning(&arriving)?;
    parallel::fill(work, &mut next, |first, part| {
        for (value, vertex) in part.iter_mut().zip(first..) {
            let going_on = if inverse[vertex] > 0.0 { damping * arriving[vertex] } else { 0.0 };
            let leaving = going_on + beginning * outgoing.degree(vertex as u32) as f64;
            *value = arriving[vertex] + leaving;
        }
        Ok(())
    })?;
    Ok(Table::by_vertex(work)?
        .with_column("rank", Column::Number(next))?
        .with_statistic("iterations", Statistic::Count(iterations))
        .with_statistic("converged", Statistic::Flag(is_converged)))
}

/// Returns the sum of the shares that arrive at a vertex.
fn gathered(incoming: &Adjacency, vertex: u32, is_weighted: bool, shares: &[f64]) -> f64 {
    let sources = incoming.targets(vertex);
    match incoming.weights(vertex).filter(|_| is_weighted) {
        Some(weights) => {
            sources.iter().zip(weights).map(|(source, weight)| shares[*source as usize] * weight).sum()
        }
        None => sources.iter().map(|source| shares[*source as usize]).sum(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn values(graph: &Graph, parameters: &str) -> Vec<f64> {
        let table = testing::run(&LINE_RANK, graph, parameters).unwrap();
        let Some(Column::Number(values)) = table.column("rank") else { panic!("no column") };
        values.clone()
    }

    /// The definition, on a line graph that is made.
    fn on_line_graph(vertices: usize, edges: &[(u32, u32, f64)], damping: f64) -> Vec<f64> {
        let count = edges.len() as f64;
        let mut ranks = vec![1.0 / count; edges.len()];
        for _ in 0..200 {
            let mut next = vec![0.0; edges.len()];
            for (edge, rank) in edges.iter().zip(&ranks) {
                let weight: f64 = edges.iter().filter(|other| other.0 == edge.1).map(|other| other.2).sum();
                for (other, next) in edges.iter().zip(&mut next) {
                    *next += (1.0 - damping) * rank / count;
                    if weight == 0.0 {
                        *next += damping * rank / count;
                    } else if other.0 == edge.1 {
                        *next += damping * rank * other.2 / weight;
                    }
                }
            }
            ranks = next;
        }
        let mut values = vec![0.0; vertices];
        for (edge, rank) in edges.iter().zip(ranks) {
            values[edge.0 as usize] += rank;
            values[edge.1 as usize] += rank;
        }
        values
    }

    #[test]
    fn a_ring_is_even() {
        let graph = testing::graph(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert!(values(&graph, "{}").iter().all(|value| (value - 0.5).abs() < 1e-9));
    }

    #[test]
    fn small_graphs_have_values() {
        assert!(values(&testing::graph(0, &[]), "{}").is_empty());
        assert_eq!(values(&testing::graph(2, &[]), "{}"), [0.0, 0.0]);
        assert_eq!(values(&testing::graph(1, &[(0, 0)]), "{}"), [2.0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn values_are_those_of_the_line_graph(
            edges in prop::collection::vec((0_u32..7, 0_u32..7, 0_u8..3), 1..20),
            damping in 0.1_f64..0.9,
        ) {
            let edges: Vec<(u32, u32, f64)> =
                edges.into_iter().map(|(from, to, weight)| (from, to, f64::from(weight))).collect();
            let ones: Vec<(u32, u32, f64)> = edges.iter().map(|(from, to, _)| (*from, *to, 1.0)).collect();
            let graph = testing::weighted(7, &edges);
            for (weighted, edges) in [(true, &edges), (false, &ones)] {
                let parameters = format!(
                    r#"{{"damping": {damping}, "weighted": {weighted}, "tolerance": 0, "maxIterations": 200}}"#
                );
                for (value, expected) in values(&graph, &parameters).iter().zip(on_line_graph(7, edges, damping)) {
                    prop_assert!((value - expected).abs() < 1e-6, "{} {}", value, expected);
                }
            }
        }
    }
}
