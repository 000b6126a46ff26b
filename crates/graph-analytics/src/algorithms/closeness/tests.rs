//! Tests of closeness.

use proptest::prelude::*;

use super::*;
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::Graph;
use crate::testing;

fn values(algorithm: &Algorithm, graph: &Graph, parameters: &str) -> Vec<f64> {
    let table = testing::run(algorithm, graph, parameters).unwrap();
    let Some(Column::Number(values)) = table.column("closeness") else { panic!("no column") };
    values.clone()
}

fn assert_near(values: &[f64], expected: &[f64]) {
    assert_eq!(values.len(), expected.len());
    let is_near = values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(is_near, "{values:?} {expected:?}");
}

#[test]
fn distances_to_a_vertex_count() {
    let graph = testing::graph(4, &[(0, 1), (1, 2), (2, 2)]);
    assert_near(&values(&CLOSENESS, &graph, "{}"), &[0.0, 1.0 / 3.0, 2.0 / 3.0 * 2.0 / 3.0, 0.0]);
    let plain = values(&CLOSENESS, &graph, r#"{"wassermanFaust": false}"#);
    assert_near(&plain, &[0.0, 1.0, 2.0 / 3.0, 0.0]);
    let outbound = values(&CLOSENESS, &graph, r#"{"wassermanFaust": false, "direction": "outbound"}"#);
    assert_near(&outbound, &[2.0 / 3.0, 1.0, 0.0, 0.0]);
    let harmonic = values(&CLOSENESS, &graph, r#"{"variant": "harmonic", "direction": "any"}"#);
    assert_near(&harmonic, &[0.5, 2.0 / 3.0, 0.5, 0.0]);
}

#[test]
fn small_graphs_are_not_close() {
    for algorithm in [&CLOSENESS, &EFFECTIVE_CLOSENESS] {
        assert!(values(algorithm, &testing::graph(0, &[]), "{}").is_empty());
        assert_eq!(values(algorithm, &testing::graph(1, &[(0, 0)]), "{}"), [0.0]);
        assert_eq!(values(algorithm, &testing::graph(2, &[]), "{}"), [0.0, 0.0]);
    }
    assert_eq!(
        values(&CLOSENESS, &testing::graph(2, &[(0, 1)]), r#"{"samples": 1, "direction": "any"}"#).len(),
        2
    );
}

#[test]
fn estimates_are_near_the_closeness() {
    let mut random = fastrand::Rng::with_seed(5);
    let edges: Vec<(u32, u32)> = (0..6_000).map(|_| (random.u32(..2_000), random.u32(..2_000))).collect();
    let graph = testing::graph(2_000, &edges);
    let exact = values(&CLOSENESS, &graph, r#"{"direction": "any", "wassermanFaust": false}"#);
    let sampled =
        values(&CLOSENESS, &graph, r#"{"direction": "any", "wassermanFaust": false, "samples": 300}"#);
    let effective = values(&EFFECTIVE_CLOSENESS, &graph, r#"{"direction": "any"}"#);
    for (exact, (sampled, effective)) in exact.iter().zip(sampled.iter().zip(&effective)) {
        if *exact < 0.5 {
            assert!((sampled - exact).abs() <= 0.1 * exact, "{exact} {sampled}");
            assert!((effective - exact).abs() <= 0.25 * exact, "{exact} {effective}");
        }
    }
}

#[test]
fn iterations_bound_the_distances() {
    let graph = testing::graph(3, &[(0, 1), (1, 2)]);
    let near = values(&EFFECTIVE_CLOSENESS, &graph, r#"{"maxIterations": 1}"#);
    assert_near(&near, &[0.0, 1.0, 1.0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn values_are_those_of_all_distances(
        edges in prop::collection::vec((0_u32..70, 0_u32..70), 0..150),
    ) {
        let graph = testing::graph(70, &edges);
        let mut distances = vec![vec![f64::INFINITY; 70]; 70];
        edges.iter().for_each(|(from, to)| distances[*from as usize][*to as usize] = 1.0);
        for via in 0..70 {
            for a in 0..70 {
                for b in 0..70 {
                    distances[a][b] = distances[a][b].min(distances[a][via] + distances[via][b]);
                }
            }
        }
        let classic = values(&CLOSENESS, &graph, "{}");
        let harmonic = values(&CLOSENESS, &graph, r#"{"variant": "harmonic"}"#);
        let sampled = values(&CLOSENESS, &graph, r#"{"variant": "harmonic", "samples": 69}"#);
        for v in 0..70 {
            let others = (0..70).filter(|other| *other != v).map(|other| distances[other][v]);
            let reached: Vec<f64> = others.filter(|distance| distance.is_finite()).collect();
            let (count, sum) = (reached.len() as f64, reached.iter().sum::<f64>());
            let expected = if count > 0.0 { count / sum * count / 69.0 } else { 0.0 };
            prop_assert!((classic[v] - expected).abs() < 1e-12);
            let expected = reached.iter().map(|distance| 1.0 / distance).sum::<f64>() / 69.0;
            prop_assert!((harmonic[v] - expected).abs() < 1e-12);
            // One vertex is missing in the sample.
            prop_assert!((sampled[v] - expected).abs() <= 2.0 / 68.0);
        }
    }
}
