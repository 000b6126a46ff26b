//! Triangles and clustering coefficients.

mod oriented;
mod count;

use errors::Result;

use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::{Direction, Graph};
use crate::parameters::{DIRECTION, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const TRIANGLES: Algorithm = Algorithm {
    name: "triangles",
    about: "Counts the triangles to which each vertex belongs.",
    definition: "A triangle is three vertices with an edge between any two, whatever the direction. \
                 Loops are ignored, parallel and opposite edges count once, weights have no effect. Each \
                 triangle is found once, along edges from vertices with fewer neighbours to those with \
                 more (Chiba, Nishizeki, 1985).",
    parameters: &[],
    columns: &["triangles"],
    is_by_vertex: true,
    memory,
    run: run_triangles,
};

pub(super) const CLUSTERING_COEFFICIENT: Algorithm = Algorithm {
    name: "clusteringCoefficient",
    about: "Computes the part of a vertex's pairs of neighbours that edges connect.",
    definition: "Neighbours are the k vertices with an edge to or from a vertex. Along `outbound` and \
                 `inbound`, which are the same, the coefficient is the number of pairs (u, w) of \
                 neighbours with an edge u→w, over k(k-1) (LCC of LDBC Graphalytics); along `any` it \
                 is the number of triangles over k(k-1)/2 (Watts, Strogatz, 1998). It is 0 for k < 2. \
                 The average is over all vertices; the transitivity is three times the number of \
                 triangles over the number of pairs of neighbours. Loops are ignored, parallel edges \
                 count once, weights have no effect.",
    parameters: &[DIRECTION],
    columns: &["coefficient", "triangles"],
    is_by_vertex: true,
    memory,
    run: run_coefficient,
};

/// Returns the memory for two threads; each takes 24 bytes a vertex.
fn memory(vertices: u64, edges: u64) -> u64 {
    vertices * (36 + 24 + 2 * 24) + edges * 25
}

fn run_triangles(graph: &Graph, _: &Parameters, work: &Work) -> Result<Table> {
    let counts = count::count(graph, work)?;
    let total = counts.triangles.iter().sum::<u64>() / 3;
    let table = Table::by_vertex(work)?.with_column("triangles", Column::Count(counts.triangles))?;
    Ok(table.with_statistic("triangles", Statistic::Count(total)))
}

fn run_coefficient(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let counts = count::count(graph, work)?;
    let is_directed = parameters.direction() != Direction::Any;
    let total = counts.triangles.iter().sum::<u64>() / 3;
    let mut coefficients = Vec::with_capacity(graph.vertex_count());
    let mut pairs = 0.0;
    for (vertex, degree) in counts.degrees.iter().enumerate() {
        let ordered_pairs = f64::from(*degree) * (f64::from(*degree) - 1.0);
        pairs += ordered_pairs / 2.0;
        let links = if is_directed { counts.links[vertex] } else { 2 * counts.triangles[vertex] };
        coefficients.push(if *degree < 2 { 0.0 } else { links as f64 / ordered_pairs });
    }
    let average = coefficients.iter().sum::<f64>() / coefficients.len().max(1) as f64;
    let transitivity = if pairs > 0.0 { 3.0 * total as f64 / pairs } else { 0.0 };
    let table = Table::by_vertex(work)?
        .with_column("coefficient", Column::Number(coefficients))?
        .with_column("triangles", Column::Count(counts.triangles))?;
    Ok(table
        .with_statistic("triangles", Statistic::Count(total))
        .with_statistic("average", Statistic::Number(average))
        .with_statistic("transitivity", Statistic::Number(transitivity)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    #[test]
    fn a_square_with_a_diagonal_has_two_triangles() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (2, 0), (1, 1), (0, 1)];
        let graph = testing::graph(5, &edges);
        let table = testing::run(&TRIANGLES, &graph, "{}").unwrap();
        assert_eq!(table.column("triangles"), Some(&Column::Count(vec![2, 1, 2, 1, 0])));
        assert_eq!(table.statistic("triangles"), Some(Statistic::Count(2)));
        let table = testing::run(&CLUSTERING_COEFFICIENT, &graph, r#"{"direction": "any"}"#).unwrap();
        let expected = vec![2.0 / 3.0, 1.0, 2.0 / 3.0, 1.0, 0.0];
        assert_eq!(table.column("coefficient"), Some(&Column::Number(expected)));
        assert_eq!(table.statistic("transitivity"), Some(Statistic::Number(6.0 / 8.0)));
        let table = testing::run(&CLUSTERING_COEFFICIENT, &graph, "{}").unwrap();
        // 0: 1→2 and 2→3 of 6 pairs; 1: 0→2 and 2→0 of 2 pairs.
        let expected = vec![2.0 / 6.0, 1.0, 2.0 / 6.0, 1.0, 0.0];
        assert_eq!(table.column("coefficient"), Some(&Column::Number(expected)));
        let empty = testing::run(&CLUSTERING_COEFFICIENT, &testing::graph(0, &[]), "{}").unwrap();
        assert_eq!(empty.statistic("average"), Some(Statistic::Number(0.0)));
    }

    proptest! {
        /// Tries all triples and pairs.
        #[test]
        fn counts_are_those_of_all_triples(edges in prop::collection::vec((0_u32..11, 0_u32..11), 0..50)) {
            let has = |from: usize, to: usize| edges.contains(&(from as u32, to as u32));
            let near = |one: usize, other: usize| one != other && (has(one, other) || has(other, one));
            let (mut triangles, mut coefficients) = (vec![0_u64; 11], vec![0.0; 11]);
            for vertex in 0..11 {
                let neighbours: Vec<usize> = (0..11).filter(|other| near(vertex, *other)).collect();
                let (mut found, mut links) = (0, 0);
                for one in &neighbours {
                    for other in neighbours.iter().filter(|other| *other != one) {
                        found += u64::from(near(*one, *other));
                        links += u64::from(has(*one, *other));
                    }
                }
                triangles[vertex] = found / 2;
                if neighbours.len() > 1 {
                    coefficients[vertex] = links as f64 / (neighbours.len() * (neighbours.len() - 1)) as f64;
                }
            }
            let table = testing::run(&CLUSTERING_COEFFICIENT, &testing::graph(11, &edges), "{}").unwrap();
            prop_assert_eq!(table.column("triangles"), Some(&Column::Count(triangles)));
            prop_assert_eq!(table.column("coefficient"), Some(&Column::Number(coefficients)));
        }
    }
}
