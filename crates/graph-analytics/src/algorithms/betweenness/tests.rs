//! Tests of betweenness.

use proptest::prelude::*;

use super::*;
use crate::testing;

fn values(graph: &Graph, parameters: &str) -> Vec<f64> {
    let table = testing::run(&BETWEENNESS, graph, parameters).unwrap();
    let Some(Column::Number(values)) = table.column("betweenness") else { panic!("no column") };
    values.clone()
}

/// The definition, from distances and numbers of paths between all pairs after Floyd and Warshall.
fn from_definition(vertices: usize, edges: &[(u32, u32, f64)]) -> Vec<f64> {
    let mut distances = vec![vec![f64::INFINITY; vertices]; vertices];
    for (from, to, weight) in edges {
        let at = &mut distances[*from as usize][*to as usize];
        *at = at.min(*weight);
    }
    let direct = distances.clone();
    for (vertex, row) in distances.iter_mut().enumerate() {
        row[vertex] = 0.0;
    }
    for via in 0..vertices {
        for a in 0..vertices {
            for b in 0..vertices {
                distances[a][b] = distances[a][b].min(distances[a][via] + distances[via][b]);
            }
        }
    }
    let mut paths = vec![vec![0.0; vertices]; vertices];
    for a in 0..vertices {
        let mut order: Vec<usize> = (0..vertices).filter(|b| distances[a][*b].is_finite()).collect();
        order.sort_by(|b, c| distances[a][*b].total_cmp(&distances[a][*c]));
        for b in order {
            paths[a][b] = if a == b { 1.0 } else { 0.0 };
            for before in (0..vertices).filter(|before| *before != b) {
                if direct[before][b].is_finite()
                    && distances[a][before] + direct[before][b] == distances[a][b]
                {
                    paths[a][b] += paths[a][before];
                }
            }
        }
    }
    let mut sums = vec![0.0; vertices];
    for v in 0..vertices {
        for s in (0..vertices).filter(|s| *s != v) {
            for t in (0..vertices).filter(|t| *t != v && *t != s) {
                if distances[s][t].is_finite() && distances[s][v] + distances[v][t] == distances[s][t] {
                    sums[v] += paths[s][v] * paths[v][t] / paths[s][t];
                }
            }
        }
    }
    sums
}

#[test]
fn the_middle_of_a_path_is_between_its_ends() {
    let graph = testing::graph(4, &[(0, 1), (1, 2), (2, 3)]);
    assert_eq!(values(&graph, "{}"), [0.0, 2.0, 2.0, 0.0]);
    assert_eq!(values(&graph, r#"{"direction": "any"}"#), [0.0, 2.0, 2.0, 0.0]);
    let normalized = values(&graph, r#"{"direction": "any", "normalized": true}"#);
    assert!((normalized[1] - 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn two_shortest_paths_share_a_pair() {
    let graph = testing::graph(4, &[(0, 1), (0, 1), (1, 1), (0, 2), (1, 3), (2, 3)]);
    assert_eq!(values(&graph, "{}"), [0.0, 0.5, 0.5, 0.0]);
    let graph = testing::weighted(4, &[(0, 1, 1.0), (0, 1, 5.0), (0, 2, 2.0), (1, 3, 2.0), (2, 3, 1.5)]);
    assert_eq!(values(&graph, r#"{"weighted": true}"#), [0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn small_graphs_have_no_pairs() {
    assert!(values(&testing::graph(0, &[]), "{}").is_empty());
    assert_eq!(values(&testing::graph(1, &[(0, 0)]), r#"{"normalized": true}"#), [0.0]);
    assert_eq!(values(&testing::graph(2, &[(0, 1)]), r#"{"normalized": true, "samples": 1}"#), [0.0, 0.0]);
}

#[test]
fn a_weight_of_zero_is_refused() {
    let graph = testing::weighted(2, &[(0, 1, 0.0)]);
    assert!(testing::run(&BETWEENNESS, &graph, r#"{"weighted": true}"#).is_err());
    assert!(testing::run(&BETWEENNESS, &graph, "{}").is_ok());
}

#[test]
fn samples_estimate_a_star() {
    let edges: Vec<(u32, u32)> = (1..101).map(|leaf| (0, leaf)).collect();
    let graph = testing::graph(101, &edges);
    let exact = values(&graph, r#"{"direction": "any"}"#)[0];
    assert_eq!(exact, 4_950.0);
    let estimate = values(&graph, r#"{"direction": "any", "samples": 20, "seed": 3}"#)[0];
    assert!((estimate / exact - 1.0).abs() < 0.1, "{estimate}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sums_are_those_of_the_definition(
        edges in prop::collection::vec((0_u32..9, 0_u32..9, 1_u8..4), 0..30),
    ) {
        let edges: Vec<(u32, u32, f64)> =
            edges.into_iter().map(|(from, to, weight)| (from, to, f64::from(weight))).collect();
        let graph = testing::weighted(9, &edges);
        let ones = |edges: &[(u32, u32, f64)]| edges.iter().map(|e| (e.0, e.1, 1.0)).collect::<Vec<_>>();
        let mut both = edges.clone();
        both.extend(edges.iter().map(|(from, to, weight)| (*to, *from, *weight)));
        let back: Vec<(u32, u32, f64)> = edges.iter().map(|(from, to, weight)| (*to, *from, *weight)).collect();
        for (direction, edges, scale) in [("outbound", &edges, 1.0), ("inbound", &back, 1.0), ("any", &both, 0.5)] {
            for (weighted, edges) in [(false, ones(edges)), (true, edges.clone())] {
                let parameters = format!(r#"{{"direction": "{direction}", "weighted": {weighted}}}"#);
                let expected = from_definition(9, &edges);
                for (value, expected) in values(&graph, &parameters).iter().zip(expected) {
                    prop_assert!((value - expected * scale).abs() < 1e-9, "{} {}", value, expected);
                }
            }
        }
    }
}
