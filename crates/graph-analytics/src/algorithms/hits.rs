//! HITS: vertices with edges to many authorities are hubs, and those with edges from hubs
//! authorities.

use errors::Result;

use super::gather;
use super::weights::{self, WEIGHTED};
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::{Adjacency, Graph};
use crate::parallel;
use crate::parameters::{Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const HITS: Algorithm = Algorithm {
    name: "hits",
    about: "Scores vertices as hubs, by their edges to authorities, and as authorities, by edges from hubs.",
    definition: "authority(v) = Σ w·hub(u) over the edges u→v, then hub(v) = Σ w·authority(x) over the \
                 edges v→x; after each, the squares are made to sum up to 1. Hubs begin with equal scores \
                 (Kleinberg: Authoritative Sources in a Hyperlinked Environment, 1999). Without weights \
                 each edge counts 1. It stops when the absolute changes of both scores sum up to less \
                 than `tolerance`; 0 runs all iterations. Without edges all scores are 0. Parallel edges \
                 and loops count one by one. Negative and infinite weights are refused.",
    parameters: &[MAX_ITERATIONS, TOLERANCE, WEIGHTED],
    columns: &["hub", "authority"],
    is_by_vertex: true,
    memory: |vertices, edges| vertices * 56 + edges * 12,
    run,
};

pub(super) const MAX_ITERATIONS: Parameter = Parameter {
    name: "maxIterations",
    kind: Kind::Count { default: 100, min: 1, max: 1_000_000 },
    about: "Maximum number of iterations.",
};

pub(super) const TOLERANCE: Parameter = Parameter {
    name: "tolerance",
    kind: Kind::Number { default: 1e-6, min: 0.0, max: f64::MAX },
    about: "The sum of the changes of all scores below which it stops; 0 runs all iterations.",
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let vertices = graph.vertex_count();
    let greatest = weights::greatest(graph, parameters, work)?;
    let _arrays = work.reserve_for::<[f64; 3]>(vertices)?;
    let (outgoing, incoming) = (graph.outgoing(), graph.incoming(work)?);
    let mut hubs = vec![1.0 / (vertices as f64).sqrt(); vertices];
    let mut authorities = vec![0.0; vertices];
    let mut new = vec![0.0; vertices];
    let (limit, tolerance) = (parameters.count("maxIterations"), parameters.number("tolerance"));
    let (mut iterations, mut change) = (0, f64::INFINITY);
    while iterations < limit && (tolerance == 0.0 || change >= tolerance) {
        add_up(incoming, greatest, (&hubs, 0.0), &mut new, work)?;
        change = scale(&mut new, &authorities, work)?;
        std::mem::swap(&mut authorities, &mut new);
        add_up(outgoing, greatest, (&authorities, 0.0), &mut new, work)?;
        change += scale(&mut new, &hubs, work)?;
        std::mem::swap(&mut hubs, &mut new);
        iterations += 1;
        work.set_progress(iterations, limit);
    }
    let table = Table::by_vertex(work)?
        .with_column("hub", Column::Number(hubs))?
        .with_column("authority", Column::Number(authorities))?;
    Ok(table
        .with_statistic("iterations", Statistic::Count(iterations))
        .with_statistic("converged", Statistic::Flag(change < tolerance || change == 0.0)))
}

/// Adds up the scores at the other ends of each vertex's edges, and `own_part` of its own score.
/// With a `greatest` weight, edges count by their part of it, so that no sum is infinite.
pub(super) fn add_up(
    rows: &Adjacency,
    greatest: Option<f64>,
    (scores, own_part): (&[f64], f64),
    sums: &mut [f64],
    work: &Work,
) -> Result<()> {
    parallel::fill(work, sums, |first, part| {
        for (sum, vertex) in part.iter_mut().zip(first as u32..) {
            let targets = rows.targets(vertex);
            let others = match greatest.zip(rows.weights(vertex)) {
                None => gather::sum(scores, targets),
                Some((greatest, weights)) => gather::weighted_sum(scores, targets, weights, greatest),
            };
            *sum = others + own_part * scores[vertex as usize];
        }
        Ok(())
    })
}

/// Divides scores, so that their squares sum up to 1, and returns the sum of the changes from
/// `old`. Scores of 0 stay.
pub(super) fn scale(scores: &mut [f64], old: &[f64], work: &Work) -> Result<f64> {
    // The greatest score divides first, so that no square is infinite.
    let greatest = scores.iter().copied().fold(0.0, f64::max);
    let factor = if greatest > 0.0 { 1.0 / greatest } else { 0.0 };
    let squares = parallel::sum(work, scores.len(), |range| {
        scores[range].iter().map(|score| (score * factor) * (score * factor)).sum()
    })?;
    let factor = if squares > 0.0 { factor / squares.sqrt() } else { 0.0 };
    parallel::fill_and_sum(work, scores, |first, part| {
        let mut change = 0.0;
        for (score, old) in part.iter_mut().zip(&old[first..]) {
            *score *= factor;
            change += (*score - old).abs();
        }
        Ok(change)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn scores(graph: &Graph, parameters: &str) -> (Vec<f64>, Vec<f64>) {
        let table = testing::run(&HITS, graph, parameters).unwrap();
        match (table.column("hub"), table.column("authority")) {
            (Some(Column::Number(hubs)), Some(Column::Number(authorities))) => {
                (hubs.clone(), authorities.clone())
            }
            _ => panic!("wrong columns"),
        }
    }

    #[test]
    fn a_hub_points_to_authorities() {
        let graph = testing::graph(3, &[(0, 1), (0, 2)]);
        let (hubs, authorities) = scores(&graph, "{}");
        assert_eq!(hubs, [1.0, 0.0, 0.0]);
        let half = 0.5_f64.sqrt();
        assert!((authorities[1] - half).abs() < 1e-12 && (authorities[2] - half).abs() < 1e-12);
        assert_eq!(scores(&testing::graph(2, &[]), "{}"), (vec![0.0; 2], vec![0.0; 2]));
        assert_eq!(scores(&testing::graph(0, &[]), "{}"), (vec![], vec![]));
        let huge = testing::weighted(2, &[(0, 1, f64::MAX), (0, 1, f64::MAX), (1, 1, 1e-300)]);
        assert_eq!(scores(&huge, r#"{"weighted": true}"#), (vec![1.0, 0.0], vec![0.0, 1.0]));
        let none = testing::weighted(2, &[(0, 1, 0.0)]);
        assert_eq!(scores(&none, r#"{"weighted": true}"#), (vec![0.0; 2], vec![0.0; 2]));
    }

    proptest! {
        /// Multiplies with the matrix and its transpose.
        #[test]
        fn scores_are_those_of_the_matrix(edges in prop::collection::vec((0_usize..7, 0_usize..7, 1_u8..4), 1..20)) {
            let mut matrix = [[0.0; 7]; 7];
            edges.iter().for_each(|(from, to, weight)| matrix[*from][*to] += f64::from(*weight));
            let unit = |scores: Vec<f64>| {
                let norm = scores.iter().map(|score| score * score).sum::<f64>().sqrt();
                scores.into_iter().map(|score| score / norm).collect::<Vec<f64>>()
            };
            let (mut hubs, mut authorities) = (vec![1.0; 7], vec![]);
            for _ in 0..4 {
                let score = |to: usize| (0..7).map(|from| hubs[from] * matrix[from][to]).sum();
                authorities = unit((0..7).map(score).collect());
                let score = |from: usize| (0..7).map(|to| authorities[to] * matrix[from][to]).sum();
                hubs = unit((0..7).map(score).collect());
            }
            let edges: Vec<(u32, u32, f64)> = edges
                .into_iter()
                .map(|(from, to, weight)| (from as u32, to as u32, f64::from(weight)))
                .collect();
            let parameters = r#"{"weighted": true, "maxIterations": 4, "tolerance": 0}"#;
            let found = scores(&testing::weighted(7, &edges), parameters);
            for vertex in 0..7 {
                prop_assert!((found.0[vertex] - hubs[vertex]).abs() < 1e-9);
                prop_assert!((found.1[vertex] - authorities[vertex]).abs() < 1e-9);
            }
        }
    }
}
