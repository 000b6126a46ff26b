//! Tests of articulation points and bridges.

use proptest::prelude::*;

use super::*;
use crate::column::Column;
use crate::graph::Graph;
use crate::testing;

fn points(graph: &Graph) -> Vec<u32> {
    let table = testing::run(&ARTICULATION_POINTS, graph, "{}").unwrap();
    let Some(Column::Flag(flags)) = table.column("isArticulationPoint") else { panic!("no column") };
    (0..).zip(flags).filter(|(_, is)| **is).map(|(vertex, _)| vertex).collect()
}

fn edges_of(graph: &Graph) -> Vec<(u32, u32)> {
    let table = testing::run(&BRIDGES, graph, "{}").unwrap();
    let (Some(Column::Vertex(from)), Some(Column::Vertex(to))) = (table.column("from"), table.column("to"))
    else {
        panic!("no columns")
    };
    from.iter().copied().zip(to.iter().copied()).collect()
}

/// The number of components without some vertices, which count as none.
fn components(vertices: u32, edges: &[(u32, u32)], without: Option<u32>) -> usize {
    let mut labels: Vec<u32> = (0..vertices).collect();
    for _ in 0..vertices {
        for (from, to) in edges.iter().filter(|(from, to)| Some(*from) != without && Some(*to) != without) {
            let label = labels[*from as usize].min(labels[*to as usize]);
            labels[*from as usize] = label;
            labels[*to as usize] = label;
        }
    }
    (0..vertices).filter(|vertex| labels[*vertex as usize] == *vertex && Some(*vertex) != without).count()
}

#[test]
fn a_tail_of_a_triangle_hangs_on_a_bridge() {
    let graph = testing::graph(5, &[(0, 1), (1, 2), (2, 0), (3, 2), (3, 4), (4, 3), (4, 4)]);
    assert_eq!(points(&graph), [2, 3]);
    assert_eq!(edges_of(&graph), [(3, 2)]);
}

#[test]
fn small_graphs_have_no_cuts() {
    for graph in [testing::graph(0, &[]), testing::graph(1, &[(0, 0)]), testing::graph(2, &[(0, 0), (1, 1)])]
    {
        assert!(points(&graph).is_empty());
        assert!(edges_of(&graph).is_empty());
    }
    assert_eq!(edges_of(&testing::graph(2, &[(1, 0)])), [(1, 0)]);
}

#[test]
fn a_long_path_needs_no_stack() {
    let edges: Vec<(u32, u32)> = (1..200_000).map(|vertex| (vertex - 1, vertex)).collect();
    let graph = testing::graph(200_000, &edges);
    assert_eq!(edges_of(&graph), edges);
    assert_eq!(points(&graph).len(), 199_998);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn removals_make_components(edges in prop::collection::vec((0_u32..12, 0_u32..12), 0..20)) {
        let graph = testing::graph(12, &edges);
        let whole = components(12, &edges, None);
        let is_point = |vertex: &u32| components(12, &edges, Some(*vertex)) > whole;
        let expected: Vec<u32> = (0..12).filter(is_point).collect();
        // A vertex alone is no component any more without itself.
        prop_assert_eq!(points(&graph), expected);
        let mut expected = Vec::new();
        for i in 0..edges.len() {
            let mut others = edges.clone();
            others.remove(i);
            if components(12, &others, None) > whole {
                expected.push(edges[i]);
            }
        }
        expected.sort_unstable();
        prop_assert_eq!(edges_of(&graph), expected);
    }
}
