//! Tests of random walks.

use std::collections::BTreeMap;
use std::sync::Arc;

use owner::{Interrupt, MemoryAccount, Owner};
use proptest::prelude::*;

use super::*;
use crate::algorithm::Algorithm;
use crate::testing;

fn walks(algorithm: &Algorithm, graph: &Graph, parameters: &str) -> Vec<Vec<u32>> {
    let table = testing::run(algorithm, graph, parameters).unwrap();
    let (Some(Column::Vertex(sources)), Some(Column::Vertices(lists))) =
        (table.column("source"), table.column("walk"))
    else {
        panic!("no columns")
    };
    let walks: Vec<Vec<u32>> = (0..lists.len()).map(|i| lists.get(i).to_vec()).collect();
    assert!(walks.iter().map(|walk| walk[0]).eq(sources.iter().copied()));
    walks
}

#[test]
fn walks_follow_the_only_edges() {
    let graph = testing::graph(4, &[(0, 1), (1, 2), (3, 3)]);
    for algorithm in [&RANDOM_WALKS, &NODE2VEC_WALKS] {
        let found = walks(algorithm, &graph, r#"{"length": 3, "walksPerVertex": 1}"#);
        assert_eq!(found, [vec![0, 1, 2], vec![1, 2], vec![2], vec![3, 3, 3, 3]]);
        let chosen = r#"{"length": 1, "walksPerVertex": 2, "sources": [2, 0], "direction": "inbound"}"#;
        assert_eq!(walks(algorithm, &graph, chosen), [vec![2, 1], vec![2, 1], vec![0], vec![0]]);
        assert!(walks(algorithm, &testing::graph(0, &[]), "{}").is_empty());
    }
}

#[test]
fn heavy_edges_are_taken_more_often() {
    let graph = testing::weighted(5, &[(0, 1, 1.0), (0, 2, 3.0), (0, 3, 0.0), (4, 0, 0.0)]);
    for algorithm in [&RANDOM_WALKS, &NODE2VEC_WALKS] {
        let parameters = r#"{"sources": [0, 4], "walksPerVertex": 20000, "length": 1, "weighted": true}"#;
        let mut counts = BTreeMap::new();
        for walk in walks(algorithm, &graph, parameters) {
            *counts.entry(walk).or_insert(0) += 1;
        }
        assert_eq!(counts.keys().cloned().collect::<Vec<_>>(), [vec![0, 1], vec![0, 2], vec![4]]);
        let ratio = f64::from(counts[&vec![0, 2]]) / f64::from(counts[&vec![0, 1]]);
        assert!((2.8..3.2).contains(&ratio), "{ratio}");
    }
}

/// From 0 to 1, and from there back to 0, to the common neighbour 2, or away to 3.
#[test]
fn the_bias_is_that_of_node2vec() {
    let graph = testing::graph(4, &[(0, 1), (1, 0), (1, 2), (0, 2), (1, 3)]);
    for (back, away) in [(0.25_f64, 2.0_f64), (4.0, 0.5), (1000.0, 1000.0), (0.001, 1.0)] {
        let parameters = format!(
            r#"{{"sources": [0], "walksPerVertex": 60000, "length": 2, "returnFactor": {back},
                "inOutFactor": {away}, "seed": 3}}"#
        );
        let mut counts = [0.0_f64; 4];
        let mut sum = 0.0_f64;
        for walk in walks(&NODE2VEC_WALKS, &graph, &parameters).iter().filter(|walk| walk[1] == 1) {
            counts[walk[2] as usize] += 1.0;
            sum += 1.0;
        }
        let total = 1.0 / back + 1.0 + 1.0 / away;
        for (target, odds) in [(0, 1.0 / back), (2, 1.0), (3, 1.0 / away)] {
            let (found, expected) = (counts[target] / sum, odds / total);
            assert!((found - expected).abs() < 0.01, "{back} {away} {target}: {found} {expected}");
        }
    }
}

#[test]
fn a_hub_with_a_strong_return_is_left_by_computed_odds() {
    // Each of the leaves is away from the one before; only the way back has the odds of 1000.
    let edges: Vec<(u32, u32)> = (1..200).flat_map(|leaf| [(0, leaf), (leaf, 0)]).collect();
    let graph = testing::graph(200, &edges);
    let parameters = r#"{"sources": [1], "walksPerVertex": 5000, "length": 2, "returnFactor": 0.001}"#;
    let found = walks(&NODE2VEC_WALKS, &graph, parameters);
    let back = found.iter().filter(|walk| walk[2] == 1).count() as f64 / 5_000.0;
    assert!((back - 1_000.0 / 1_198.0).abs() < 0.03, "{back}");
}

#[test]
fn memory_is_limited() {
    let graph = testing::graph(2, &[(0, 1), (1, 0)]);
    let memory = Arc::new(MemoryAccount::new(Some(1 << 22), None));
    let work = Work::new(Owner { interrupt: Interrupt::new(), memory });
    let mut given = velocypack::Builder::new();
    let text = r#"{"length": 1000, "walksPerVertex": 100000}"#;
    velocypack::json::parse(text.as_bytes(), &velocypack::Limits::default(), &mut given).unwrap();
    let parameters = Parameters::parse(RANDOM_WALKS.parameters, given.as_slice(), &|_| None).unwrap();
    assert!(RANDOM_WALKS.run(&graph, &parameters, &work).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn steps_are_edges_and_ends_are_dead_ends(
        edges in prop::collection::vec((0_u32..8, 0_u32..8), 0..20),
        seed in 0_u64..1_000,
    ) {
        let graph = testing::graph(8, &edges);
        let parameters = format!(r#"{{"length": 9, "walksPerVertex": 3, "seed": {seed}}}"#);
        for algorithm in [&RANDOM_WALKS, &NODE2VEC_WALKS] {
            let found = walks(algorithm, &graph, &parameters);
            prop_assert_eq!(found.len(), 24);
            for walk in &found {
                prop_assert!(walk.windows(2).all(|step| edges.contains(&(step[0], step[1]))));
                let last = walk[walk.len() - 1];
                prop_assert!(walk.len() == 10 || edges.iter().all(|edge| edge.0 != last));
            }
            prop_assert_eq!(&found, &walks(algorithm, &graph, &parameters));
        }
    }
}
