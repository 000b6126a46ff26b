//! Tests of every search against all paths found by the simplest algorithm.

use proptest::prelude::*;

use super::*;
use crate::graph_search::testing::{Hop, TestGraph, key};

struct Host<'a>(&'a TestGraph);

impl PathHost for Host<'_> {
    fn edges(&mut self, vertex: Vertex, side: Side, list: &mut EdgeList) -> Result<()> {
        self.0.list(vertex, side, list);
        list.weights = list.edges.iter().map(|edge| self.0.weight(edge.name.key(&list.keys))).collect();
        Ok(())
    }

    fn checkpoint(&mut self, _: u64) -> Result<()> {
        Ok(())
    }
}

/// The identity of a path: its vertices and edges.
type Identity = (Vec<u32>, Vec<(u16, String)>);

fn identity(path: &FoundPath) -> Identity {
    let edge = |edge: &EdgeName| (edge.access, String::from_utf8(edge.key(&path.keys).to_vec()).unwrap());
    (path.vertices.iter().map(|vertex| vertex.0).collect(), path.edges.iter().map(edge).collect())
}

fn identity_of(start: u32, hops: &[Hop]) -> Identity {
    let vertices = std::iter::once(start).chain(hops.iter().map(|hop| hop.to)).collect();
    (vertices, hops.iter().map(|hop| (hop.access, key(hop.edge))).collect())
}

fn weight(hops: &[Hop]) -> f64 {
    hops.iter().map(|hop| hop.weight).sum()
}

fn sorted(mut identities: Vec<Identity>) -> Vec<Identity> {
    identities.sort();
    identities
}

fn k_shortest(graph: &TestGraph, start: u32, target: u32, is_weighted: bool) -> Vec<FoundPath> {
    let mut search = KShortestPaths::new(Vertex(start), Vertex(target), is_weighted);
    let mut found = Vec::new();
    while let Some(path) = search.next(&mut Host(graph)).unwrap() {
        found.push(path.clone());
    }
    found
}

fn k_paths(graph: &TestGraph, start: u32, target: u32, min: u64, max: u64) -> Vec<Identity> {
    let mut search = KPaths::new(Vertex(start), Vertex(target), min, max);
    std::iter::from_fn(|| search.next(&mut Host(graph)).unwrap()).map(|path| identity(&path)).collect()
}

proptest! {
    #[test]
    fn a_shortest_path_is_as_short_as_any(graph in TestGraph::any(7, 16), start in 0..7u32, target in 0..7u32) {
        let all = graph.simple_paths(start, target);
        let mut search = ShortestPath::new(false);
        // Twice, because a search must leave nothing behind.
        for _ in 0..2 {
            let found = search.find(Vertex(start), Vertex(target), &mut Host(&graph)).unwrap();
            let expected = all.iter().map(Vec::len).min();
            prop_assert_eq!(found.as_ref().map(|path| path.edges.len()), expected);
            if let Some(path) = found {
                prop_assert_eq!(path.weight(), path.edges.len() as f64);
                prop_assert!(all.iter().any(|hops| identity_of(start, hops) == identity(&path)));
            }
        }
    }

    #[test]
    fn a_lightest_path_is_as_light_as_any(graph in TestGraph::any(7, 16), start in 0..7u32, target in 0..7u32) {
        let all = graph.simple_paths(start, target);
        let mut search = ShortestPath::new(true);
        for _ in 0..2 {
            let found = search.find(Vertex(start), Vertex(target), &mut Host(&graph)).unwrap();
            let expected = all.iter().map(|hops| weight(hops)).min_by(f64::total_cmp);
            prop_assert_eq!(found.as_ref().map(FoundPath::weight), expected);
            if let Some(path) = found {
                prop_assert!(all.iter().any(|hops| identity_of(start, hops) == identity(&path)));
            }
        }
    }

    #[test]
    fn k_shortest_paths_are_all_paths_in_order(
        graph in TestGraph::any(5, 10), start in 0..5u32, target in 0..5u32, is_weighted in any::<bool>()
    ) {
        let all = graph.simple_paths(start, target);
        let found = k_shortest(&graph, start, target, is_weighted);
        let weights: Vec<f64> = found.iter().map(FoundPath::weight).collect();
        let mut expected: Vec<f64> =
            all.iter().map(|hops| if is_weighted { weight(hops) } else { hops.len() as f64 }).collect();
        expected.sort_by(f64::total_cmp);
        prop_assert_eq!(weights, expected);
        let found = sorted(found.iter().map(identity).collect());
        prop_assert_eq!(found, sorted(all.iter().map(|hops| identity_of(start, hops)).collect()));
    }

    #[test]
    fn k_paths_are_all_paths_within_the_bounds(
        graph in TestGraph::any(6, 14), start in 0..6u32, target in 0..6u32, min in 0..4u64, more in 0..5u64
    ) {
        let max = min + more;
        let mut all = graph.simple_paths(start, target);
        all.retain(|hops| (min..=max).contains(&(hops.len() as u64)));
        let found = k_paths(&graph, start, target, min, max);
        prop_assert!(found.is_sorted_by_key(|(vertices, _)| vertices.len()));
        prop_assert_eq!(sorted(found), sorted(all.iter().map(|hops| identity_of(start, hops)).collect()));
    }

    #[test]
    fn all_shortest_paths_are_all_of_the_shortest(
        graph in TestGraph::any(7, 18), start in 0..7u32, target in 0..7u32
    ) {
        let mut all = graph.simple_paths(start, target);
        let shortest = all.iter().map(Vec::len).min();
        all.retain(|hops| Some(hops.len()) == shortest);
        let mut search = AllShortestPaths::new(Vertex(start), Vertex(target));
        let found: Vec<_> = std::iter::from_fn(|| search.next(&mut Host(&graph)).unwrap()).collect();
        let found = sorted(found.iter().map(identity).collect());
        prop_assert_eq!(found, sorted(all.iter().map(|hops| identity_of(start, hops)).collect()));
    }
}

#[test]
fn paths_of_any_length_end_when_there_are_no_longer_ones() {
    let edges = (0..2000).map(|vertex| (vertex, vertex + 1, 1)).collect();
    let graph = TestGraph { vertices: 2001, edges, forward: true, backward: true };
    assert_eq!(k_paths(&graph, 0, 300, 1, u64::MAX).len(), 1);
    assert_eq!(k_paths(&graph, 0, 300, 301, u64::MAX).len(), 0);
}
