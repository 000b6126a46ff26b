//! Tests of Louvain and Leiden.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::algorithm::Algorithm;
use crate::testing;

const BOTH: [&Algorithm; 2] = [&LOUVAIN, &LEIDEN];

fn communities(table: &Table) -> Vec<u64> {
    let Some(Column::Count(values)) = table.column("community") else { panic!("no column") };
    values.clone()
}

fn modularity(table: &Table) -> f64 {
    let Some(Statistic::Number(value)) = table.statistic("modularity") else { panic!("no modularity") };
    value
}

/// The modularity from its definition as a sum over all pairs of vertices.
fn modularity_of_pairs(
    vertices: usize,
    edges: &[(u32, u32, f64)],
    communities: &[u64],
    resolution: f64,
) -> f64 {
    let mut matrix = vec![vec![0.0; vertices]; vertices];
    for (from, to, weight) in edges {
        matrix[*from as usize][*to as usize] += weight;
        matrix[*to as usize][*from as usize] += weight;
    }
    let degrees: Vec<f64> = matrix.iter().map(|row| row.iter().sum()).collect();
    let total: f64 = degrees.iter().sum();
    if total == 0.0 {
        return 0.0;
    }
    let mut sum = 0.0;
    for a in 0..vertices {
        for b in 0..vertices {
            if communities[a] == communities[b] {
                sum += matrix[a][b] - resolution * degrees[a] * degrees[b] / total;
            }
        }
    }
    sum / total
}

fn is_connected(edges: &[(u32, u32, f64)], members: &BTreeSet<u32>) -> bool {
    let mut reached: BTreeSet<u32> = members.iter().take(1).copied().collect();
    loop {
        let before = reached.len();
        for (from, to, _) in edges {
            if members.contains(from)
                && members.contains(to)
                && (reached.contains(from) || reached.contains(to))
            {
                reached.extend([*from, *to]);
            }
        }
        if reached.len() == before {
            return reached.len() == members.len();
        }
    }
}

#[test]
fn two_triangles_with_a_bridge_are_two_communities() {
    let graph = testing::graph(6, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]);
    for algorithm in BOTH {
        let table = testing::run(algorithm, &graph, "{}").unwrap();
        assert_eq!(communities(&table), [0, 0, 0, 1, 1, 1]);
        // 6 of 7 edges are inside; both halves have half of the degrees.
        assert!((modularity(&table) - (6.0 / 7.0 - 0.5)).abs() < 1e-12);
        assert_eq!(table.statistic("communities"), Some(Statistic::Count(2)));
    }
}

#[test]
fn weights_and_parallel_edges_bind() {
    // A ring of four: heavy edges 1-2 and 3-0.
    let weighted = testing::weighted(4, &[(0, 1, 1.0), (1, 2, 9.0), (2, 3, 1.0), (3, 0, 9.0)]);
    let mut edges = vec![(0, 1), (2, 3)];
    edges.extend([(1, 2), (0, 3)].repeat(9));
    let parallel = testing::graph(4, &edges);
    for algorithm in BOTH {
        for graph in [&weighted, &parallel] {
            let table = testing::run(algorithm, graph, "{}").unwrap();
            assert_eq!(communities(&table), [0, 1, 1, 0]);
        }
    }
}

#[test]
fn graphs_without_edges_between_vertices_have_communities_of_one() {
    for algorithm in BOTH {
        for graph in [testing::graph(0, &[]), testing::graph(1, &[]), testing::graph(2, &[(0, 0), (1, 1)])] {
            let table = testing::run(algorithm, &graph, "{}").unwrap();
            assert_eq!(communities(&table), (0..graph.vertex_count() as u64).collect::<Vec<u64>>());
        }
    }
}

#[test]
fn negative_weights_are_refused() {
    let graph = testing::weighted(2, &[(0, 1, -1.0)]);
    for algorithm in BOTH {
        let error = testing::run(algorithm, &graph, "{}").unwrap_err();
        assert!(error.to_string().contains("-1"), "{error}");
    }
}

#[test]
fn cliques_in_a_ring_are_found() {
    let (cliques, size) = (30, 6);
    let mut edges = Vec::new();
    for clique in 0..cliques {
        for a in 0..size {
            edges.extend((a + 1..size).map(|b| (clique * size + a, clique * size + b)));
        }
        edges.push((clique * size, (clique + 1) % cliques * size + 1));
    }
    let graph = testing::graph((cliques * size) as usize, &edges);
    for algorithm in BOTH {
        for seed in 0..5 {
            let parameters = format!(r#"{{"seed": {seed}, "resolution": 2}}"#);
            let table = testing::run(algorithm, &graph, &parameters).unwrap();
            let expected: Vec<u64> = (0..cliques * size).map(|vertex| u64::from(vertex / size)).collect();
            assert_eq!(communities(&table), expected, "{}", algorithm.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_modularity_is_that_of_the_definition(
        edges in prop::collection::vec((0_u32..12, 0_u32..12, 0_u8..4), 0..40),
        resolution in 0.2_f64..3.0,
        seed in 0_u64..100,
    ) {
        let edges: Vec<(u32, u32, f64)> =
            edges.into_iter().map(|(from, to, weight)| (from, to, f64::from(weight) * 0.3)).collect();
        let graph = testing::weighted(12, &edges);
        let alone: Vec<u64> = (0..12).collect();
        let parameters = format!(r#"{{"resolution": {resolution}, "seed": {seed}}}"#);
        for algorithm in BOTH {
            let table = testing::run(algorithm, &graph, &parameters).unwrap();
            let communities = communities(&table);
            let expected = modularity_of_pairs(12, &edges, &communities, resolution);
            prop_assert!((modularity(&table) - expected).abs() < 1e-9);
            prop_assert!(expected >= modularity_of_pairs(12, &edges, &alone, resolution) - 1e-9);
            let again = testing::run(algorithm, &graph, &parameters).unwrap();
            prop_assert_eq!(again.columns(), table.columns());
            // Numbers ascend in the order of first vertices.
            let mut seen = 0;
            for community in &communities {
                prop_assert!(*community <= seen);
                seen = seen.max(community + 1);
            }
            if algorithm.name == "leiden" {
                for community in 0..seen {
                    let members: BTreeSet<u32> =
                        (0..12).filter(|vertex| communities[*vertex as usize] == community).collect();
                    prop_assert!(is_connected(&edges, &members));
                }
            }
        }
    }
}
