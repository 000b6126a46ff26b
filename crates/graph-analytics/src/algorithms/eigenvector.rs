//! Eigenvector centrality: vertices are central by the centrality of those with edges to them.

use errors::Result;

use super::hits::{self, MAX_ITERATIONS, TOLERANCE};
use super::weights::{self, WEIGHTED};
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::Graph;
use crate::parameters::{DIRECTION, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const EIGENVECTOR: Algorithm = Algorithm {
    name: "eigenvector",
    about: "Scores vertices by the scores of those with edges to them, all in proportion.",
    definition: "The score is the eigenvector of the greatest eigenvalue of the adjacency matrix \
                 (Bonacich 1972), whose squares sum up to 1. Each iteration adds up score(v) + Σ \
                 w·score(u) over the edges u→v, with w the part of the greatest weight; the own \
                 score changes no eigenvector, and keeps bipartite graphs from oscillating. \
                 Without weights each edge counts 1. It stops when the absolute changes sum up to \
                 less than `tolerance`; 0 runs all iterations. In graphs with several strong \
                 components, scores outside of the greatest eigenvalue's may approach 0. Parallel \
                 edges and loops count one by one. Negative and infinite weights are refused.",
    parameters: &[MAX_ITERATIONS, TOLERANCE, WEIGHTED, DIRECTION],
    columns: &["score"],
    is_by_vertex: true,
    memory: |vertices, edges| vertices * 24 + edges * 36,
    run,
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let vertices = graph.vertex_count();
    let greatest = weights::greatest(graph, parameters, work)?;
    let _arrays = work.reserve_for::<[f64; 2]>(vertices)?;
    let rows = graph.rows(work, parameters.direction().reversed())?;
    let mut scores = vec![1.0 / (vertices as f64).sqrt(); vertices];
    let mut new = vec![0.0; vertices];
    let (limit, tolerance) = (parameters.count("maxIterations"), parameters.number("tolerance"));
    let (mut iterations, mut change) = (0, f64::INFINITY);
    while iterations < limit && (tolerance == 0.0 || change >= tolerance) {
        hits::add_up(&rows, greatest, (&scores, 1.0), &mut new, work)?;
        change = hits::scale(&mut new, &scores, work)?;
        std::mem::swap(&mut scores, &mut new);
        iterations += 1;
        work.set_progress(iterations, limit);
    }
    let table = Table::by_vertex(work)?.with_column("score", Column::Number(scores))?;
    Ok(table
        .with_statistic("iterations", Statistic::Count(iterations))
        .with_statistic("converged", Statistic::Flag(change < tolerance || change == 0.0)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn scores(graph: &Graph, parameters: &str) -> Vec<f64> {
        match testing::run(&EIGENVECTOR, graph, parameters).unwrap().column("score") {
            Some(Column::Number(scores)) => scores.clone(),
            _ => panic!("wrong column"),
        }
    }

    #[test]
    fn the_centre_of_a_star_has_half_of_the_square() {
        let graph = testing::graph(5, &[(0, 1), (0, 2), (0, 3), (0, 4)]);
        let found = scores(&graph, r#"{"direction": "any", "tolerance": 1e-12}"#);
        let expected =
            [0.5_f64.sqrt(), 0.125_f64.sqrt(), 0.125_f64.sqrt(), 0.125_f64.sqrt(), 0.125_f64.sqrt()];
        assert!(
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9),
            "{found:?}"
        );
        assert_eq!(scores(&testing::graph(1, &[(0, 0)]), "{}"), [1.0]);
        assert!(scores(&testing::graph(0, &[]), "{}").is_empty());
    }

    proptest! {
        /// Checks that the matrix of a connected graph only stretches the scores.
        #[test]
        fn scores_are_an_eigenvector(edges in prop::collection::vec((0_u32..6, 0_u32..6), 0..12)) {
            let mut edges = edges;
            edges.extend((0..5).map(|vertex| (vertex, vertex + 1)));
            let parameters = r#"{"direction": "any", "tolerance": 1e-13, "maxIterations": 100000}"#;
            let found = scores(&testing::graph(6, &edges), parameters);
            let mut image = [0.0; 6];
            for (from, to) in &edges {
                image[*to as usize] += found[*from as usize];
                image[*from as usize] += found[*to as usize];
            }
            let stretch = image[0] / found[0];
            for vertex in 0..6 {
                prop_assert!((image[vertex] - stretch * found[vertex]).abs() < 1e-6);
                prop_assert!(found[vertex] > 0.0);
            }
        }
    }
}
