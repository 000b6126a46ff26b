//! Tests of attribute propagation.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::column;
use crate::testing;

fn sets(graph: &Graph, parameters: &str) -> Vec<Vec<String>> {
    let table = testing::run(&ATTRIBUTE_PROPAGATION, graph, parameters).unwrap();
    let Some(Column::LabelSets(lists, names)) = table.column("labels") else { panic!("no column") };
    let names_of = |i: usize| lists.get(i).iter().map(|label| names[*label as usize].clone()).collect();
    (0..lists.len()).map(names_of).collect()
}

#[test]
fn labels_go_along_edges() {
    let mut graph = testing::graph(4, &[(0, 1), (1, 2), (2, 1), (3, 3)]);
    let texts = vec!["a".to_owned(), "b".to_owned()];
    let labels = column::Labels { codes: vec![0, u32::MAX, 1, 1], texts };
    graph.set_attribute("start".to_owned(), Column::Label(labels));
    for synchronous in [false, true] {
        let parameters =
            |more: &str| format!(r#"{{"startAttribute": "start", "synchronous": {synchronous}{more}}}"#);
        assert_eq!(sets(&graph, &parameters("")), [vec!["a"], vec!["a", "b"], vec!["a", "b"], vec!["b"]]);
        let backwards = sets(&graph, &parameters(r#", "backwards": true"#));
        assert_eq!(backwards, [vec!["a", "b"], vec!["b"], vec!["b"], vec!["b"]]);
    }
    let once = r#"{"startAttribute": "start", "synchronous": true, "maxIterations": 1}"#;
    assert_eq!(sets(&graph, once), [vec!["a"], vec!["a", "b"], vec!["b"], vec!["b"]]);
}

#[test]
fn values_of_other_kinds_are_labels() {
    let mut graph = testing::graph(2, &[(0, 1)]);
    graph.set_attribute("number".to_owned(), Column::Number(vec![1.5, f64::NAN]));
    graph.set_attribute("flag".to_owned(), Column::Flag(vec![true, false]));
    graph.set_attribute("vertex".to_owned(), Column::Vertex(vec![0, 1]));
    assert_eq!(sets(&graph, r#"{"startAttribute": "number"}"#), [["1.5"], ["1.5"]]);
    assert_eq!(sets(&graph, r#"{"startAttribute": "flag"}"#), [vec!["true"], vec!["true", "false"]]);
    for wrong in [r#"{"startAttribute": "vertex"}"#, r#"{"startAttribute": "none"}"#, "{}"] {
        assert!(testing::run(&ATTRIBUTE_PROPAGATION, &graph, wrong).is_err());
    }
}

#[test]
fn a_graph_without_vertices_has_no_sets() {
    let mut graph = testing::graph(0, &[]);
    graph.set_attribute("start".to_owned(), Column::Count(vec![]));
    assert!(sets(&graph, r#"{"startAttribute": "start"}"#).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sets_are_those_of_paths(
        edges in prop::collection::vec((0_u32..80, 0_u32..80), 0..120),
        lists in prop::collection::vec(prop::collection::btree_set(0_u32..100, 0..3), 80),
        max_iterations in 1_usize..5,
    ) {
        let mut graph = testing::graph(80, &edges);
        let mut column = Lists::default();
        lists.iter().for_each(|list| column.push(list.iter().copied()));
        let names: Vec<String> = (0..100).map(|label| format!("{label:02}")).collect();
        graph.set_attribute("start".to_owned(), Column::LabelSets(column, names));
        for (limit, is_synchronous) in [(max_iterations, true), (80, true), (80, false)] {
            let mut expected: Vec<BTreeSet<String>> = lists
                .iter()
                .map(|list| list.iter().map(|label| format!("{label:02}")).collect())
                .collect();
            for _ in 0..limit {
                let before = expected.clone();
                for (from, to) in &edges {
                    expected[*to as usize].extend(before[*from as usize].iter().cloned());
                }
            }
            let parameters = format!(
                r#"{{"startAttribute": "start", "synchronous": {is_synchronous}, "maxIterations": {limit}}}"#
            );
            let expected: Vec<Vec<String>> =
                expected.into_iter().map(|set| set.into_iter().collect()).collect();
            prop_assert_eq!(sets(&graph, &parameters), expected);
        }
    }
}
