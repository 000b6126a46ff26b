//! Tests of traversals against all paths found by the simplest algorithm.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::graph_search::path::Side;
use crate::graph_search::testing::{TestGraph, key};

/// A host that returns blocks of a few edges, and decides by simple rules instead of documents.
struct Host<'a> {
    graph: &'a TestGraph,
    rows: usize,
    rules: &'a Rules,
}

/// Conditions on vertices and edges by their numbers.
#[derive(Debug, Clone)]
struct Rules {
    /// A vertex that no path may visit.
    forbidden_vertex: Option<u32>,
    /// An edge, and the depth that it leads to, by which no path may go.
    forbidden_edge: Option<(usize, u32)>,
    /// A vertex whose paths are not expanded.
    pruned_vertex: Option<u32>,
}

impl TraversalHost for Host<'_> {
    fn edges(
        &mut self,
        vertex: Vertex,
        _: u32,
        position: &mut ReadPosition,
        list: &mut EdgeList,
    ) -> Result<bool> {
        Ok(self.graph.list_some(vertex, self.rows, position, list))
    }

    fn judge(&mut self, steps: &mut Steps, from: StepId, is_kept: &mut [bool]) -> Result<()> {
        for (id, is_kept) in (from..).zip(is_kept) {
            let step = *steps.get(id).unwrap();
            *is_kept = Some(step.vertex.0) != self.rules.forbidden_vertex;
            if step.depth > 0 {
                let edge = std::str::from_utf8(steps.key(id)).unwrap().parse().unwrap();
                *is_kept &= Some((edge, step.depth)) != self.rules.forbidden_edge;
                let before = steps.weight(steps.parent(id).unwrap());
                steps.set_weight(id, before + self.graph.weight(key(edge).as_bytes()));
            }
            steps.set_prune(id, aql_value::Value::Bool(Some(step.vertex.0) == self.rules.pruned_vertex));
        }
        Ok(())
    }

    fn checkpoint(&mut self, _: u64) -> Result<()> {
        Ok(())
    }
}

/// A path: start, then edge, access and vertex; and its weight.
type Path = (Vec<(usize, u16, u32)>, f64);

/// All paths, found by the simplest algorithm.
struct Naive<'a> {
    graph: &'a TestGraph,
    start: u32,
    options: &'a SearchOptions,
    rules: &'a Rules,
    /// The block size within which edges are followed backwards; `None`: in their order.
    backwards: Option<usize>,
}

impl Naive<'_> {
    /// Returns each path before its extensions, without uniqueness in all paths.
    fn paths(&self) -> Vec<Path> {
        let mut found = Vec::new();
        if Some(self.start) != self.rules.forbidden_vertex {
            self.extend(&mut Vec::new(), self.start, &mut found);
        }
        found
    }

    fn extend(&self, path: &mut Vec<(usize, u16, u32)>, at: u32, found: &mut Vec<Path>) {
        let Self { graph, options, rules, .. } = self;
        let weight = path.iter().map(|(edge, ..)| graph.weight(key(*edge).as_bytes())).sum();
        found.push((path.clone(), weight));
        if path.len() as u64 >= options.max_depth || Some(at) == rules.pruned_vertex {
            return;
        }
        let mut hops = graph.hops(at, Side::Start);
        hops.chunks_mut(self.backwards.unwrap_or(1)).for_each(<[_]>::reverse);
        for hop in hops {
            let has_vertex = hop.to == self.start || path.iter().any(|(_, _, vertex)| *vertex == hop.to);
            let has_edge = path.iter().any(|(edge, ..)| *edge == hop.edge);
            if (options.unique_vertices == Uniqueness::Path && has_vertex)
                || (options.unique_edges == Uniqueness::Path && has_edge)
                || Some(hop.to) == rules.forbidden_vertex
                || Some((hop.edge, path.len() as u32 + 1)) == rules.forbidden_edge
            {
                continue;
            }
            path.push((hop.edge, hop.access, hop.to));
            self.extend(path, hop.to, found);
            path.pop();
        }
    }
}

fn run(host: &mut Host<'_>, search: &mut TraversalSearch, start: u32) -> (Vec<Path>, u64) {
    let (mut paths, mut leaves) = (Vec::new(), 0);
    search.start(Vertex(start), host).unwrap();
    while let Some(visit) = search.next(host).unwrap() {
        let id = match visit {
            Visit::Step(id) => id,
            Visit::Leaves(count) => {
                leaves += count;
                continue;
            }
        };
        let steps = search.steps();
        let mut path: Vec<(usize, u16, u32)> = Vec::new();
        if search.expansion.options.reads_paths {
            for (id, step) in steps.back(id).filter(|(_, step)| step.depth > 0) {
                let edge = std::str::from_utf8(steps.key(id)).unwrap().parse().unwrap();
                path.push((edge, step.edge.access, step.vertex.0));
            }
            path.reverse();
        }
        paths.push((path, steps.weight(id)));
    }
    assert_eq!(search.next(host).unwrap(), None);
    (paths, leaves)
}

fn options(
    order: TraversalOrder,
    max_depth: u64,
    unique_vertices: Uniqueness,
    unique_edges: Uniqueness,
) -> SearchOptions {
    SearchOptions {
        order,
        max_depth,
        unique_vertices,
        revisit_start: false,
        unique_edges,
        collections: Box::new([0, 0]),
        judges: true,
        reads_edges: true,
        reads_paths: true,
        details: StepDetails { weights: true, documents: false, prunes: true },
        counts_leaves: false,
    }
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let vertex = || prop::option::weighted(0.4, 0..5u32);
    let edge = prop::option::weighted(0.4, (0..9usize, 1..4u32));
    (vertex(), edge, vertex()).prop_map(|(forbidden_vertex, forbidden_edge, pruned_vertex)| Rules {
        forbidden_vertex,
        forbidden_edge,
        pruned_vertex,
    })
}

fn any_uniqueness(global: bool) -> impl Strategy<Value = Uniqueness> {
    let last = if global { Uniqueness::Global } else { Uniqueness::None };
    prop_oneof![Just(Uniqueness::None), Just(Uniqueness::Path), Just(last)]
}

proptest! {
    #[test]
    fn paths_are_those_found_in_the_simplest_way(
        graph in TestGraph::any(5, 9), start in 0..5u32, max_depth in 0..4u64, rows in 1..4usize,
        unique_vertices in any_uniqueness(false), unique_edges in any_uniqueness(false), rules in any_rules()
    ) {
        let base = options(TraversalOrder::Dfs, max_depth, unique_vertices, unique_edges);
        let naive = Naive { graph: &graph, start, options: &base, rules: &rules, backwards: None };
        let mut expected = naive.paths();
        for order in [TraversalOrder::Dfs, TraversalOrder::Bfs, TraversalOrder::Weighted] {
            let mut search = TraversalSearch::new(options(order, max_depth, unique_vertices, unique_edges));
            let mut host = Host { graph: &graph, rows, rules: &rules };
            let first = run(&mut host, &mut search, start).0;
            // After a restart it finds the same paths.
            prop_assert_eq!(&run(&mut host, &mut search, start).0, &first);
            match order {
                TraversalOrder::Dfs => {
                    prop_assert_eq!(&first, &Naive { backwards: Some(rows), ..naive }.paths());
                }
                TraversalOrder::Bfs => {
                    expected.sort_by_key(|(path, _)| path.len());
                    prop_assert_eq!(&first, &expected);
                }
                TraversalOrder::Weighted => {
                    prop_assert!(first.is_sorted_by(|left, right| left.1 <= right.1));
                    let sorted = |mut paths: Vec<Path>| {
                        paths.sort_by(|left, right| left.0.cmp(&right.0));
                        paths
                    };
                    prop_assert_eq!(sorted(first), sorted(expected.clone()));
                }
            }
        }
    }

    #[test]
    fn each_vertex_is_visited_once(
        graph in TestGraph::any(6, 14), start in 0..6u32, max_depth in 0..5u64, rows in 1..4usize, judges in any::<bool>()
    ) {
        let rules = Rules { forbidden_vertex: None, forbidden_edge: None, pruned_vertex: None };
        let base = options(TraversalOrder::Dfs, max_depth, Uniqueness::Path, Uniqueness::None);
        let all = Naive { graph: &graph, start, options: &base, rules: &rules, backwards: None }.paths();
        for order in [TraversalOrder::Bfs, TraversalOrder::Weighted] {
            let is_weighted = order == TraversalOrder::Weighted;
            let mut options = options(order, max_depth, Uniqueness::Global, Uniqueness::Path);
            options.judges = judges || is_weighted;
            options.details.weights = is_weighted;
            let mut host = Host { graph: &graph, rows, rules: &rules };
            let found = run(&mut host, &mut TraversalSearch::new(options), start).0;
            let end = |path: &[(usize, u16, u32)]| path.last().map_or(start, |(_, _, vertex)| *vertex);
            let ends: HashSet<u32> = found.iter().map(|(path, _)| end(path)).collect();
            prop_assert_eq!(ends.len(), found.len());
            prop_assert!(found.is_sorted_by(|left, right| left.1 <= right.1));
            for (path, weight) in &found {
                prop_assert!(all.iter().any(|(known, _)| known == path));
                let others = all.iter().filter(|(known, _)| end(known) == end(path));
                let best = others.map(|(known, sum)| if is_weighted { *sum } else { known.len() as f64 });
                // By weight a lighter path may stop at its depth, so that a heavier one is found.
                if !is_weighted || max_depth >= 5 {
                    prop_assert_eq!(best.min_by(f64::total_cmp), Some(*weight));
                }
            }
            if !is_weighted {
                prop_assert_eq!(ends, all.iter().map(|(path, _)| end(path)).collect());
            }
        }
    }

    #[test]
    fn leaves_are_counted(
        graph in TestGraph::any(5, 9), start in 0..5u32, max_depth in 0..4u64, rows in 1..4usize,
        unique_vertices in any_uniqueness(true), unique_edges in any_uniqueness(false)
    ) {
        let rules = Rules { forbidden_vertex: None, forbidden_edge: None, pruned_vertex: None };
        for order in [TraversalOrder::Dfs, TraversalOrder::Bfs] {
            if order == TraversalOrder::Dfs && unique_vertices == Uniqueness::Global {
                continue;
            }
            let counts = [false, true].map(|counts_leaves| {
                let details = StepDetails::default();
                let options = SearchOptions {
                    judges: false, reads_edges: false, reads_paths: false, details, counts_leaves,
                    ..options(order, max_depth, unique_vertices, unique_edges)
                };
                let mut search = TraversalSearch::new(options);
                let (paths, leaves) = run(&mut Host { graph: &graph, rows, rules: &rules }, &mut search, start);
                paths.len() as u64 + leaves
            });
            prop_assert_eq!(counts[0], counts[1]);
        }
    }
}

#[test]
fn long_paths_need_no_stack_and_little_time() {
    let edges = (0..50_000).map(|vertex| (vertex, vertex + 1, 1)).collect();
    let graph = TestGraph { vertices: 50_001, edges, forward: true, backward: false };
    // A graph that is too slow to return all its edges each time.
    struct Chain<'a>(&'a TestGraph);
    impl TraversalHost for Chain<'_> {
        fn edges(
            &mut self,
            vertex: Vertex,
            _: u32,
            _: &mut ReadPosition,
            list: &mut EdgeList,
        ) -> Result<bool> {
            if vertex.0 + 1 < self.0.vertices {
                list.push(Vertex(vertex.0 + 1), 0, b"e");
            }
            Ok(false)
        }
        fn judge(&mut self, _: &mut Steps, _: StepId, _: &mut [bool]) -> Result<()> {
            Ok(())
        }
        fn checkpoint(&mut self, _: u64) -> Result<()> {
            Ok(())
        }
    }
    let details = StepDetails::default();
    for order in [TraversalOrder::Dfs, TraversalOrder::Bfs] {
        let options = SearchOptions {
            judges: false,
            reads_edges: false,
            reads_paths: false,
            details,
            ..options(order, u64::MAX, Uniqueness::None, Uniqueness::None)
        };
        let mut search = TraversalSearch::new(options);
        search.start(Vertex(0), &mut Chain(&graph)).unwrap();
        let mut count = 0;
        while search.next(&mut Chain(&graph)).unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, 50_001);
    }
}
