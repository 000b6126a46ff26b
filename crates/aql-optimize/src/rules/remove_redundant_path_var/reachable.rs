//! Traversals of which only the distinct vertices matter visit each vertex once, instead of following every path.
//!
//! A vertex that some path leads to is also led to by a shortest path, which repeats neither vertices nor edges and
//! satisfies every condition that all elements of the other path do. So the vertices are the same, but for the start:
//! it is found again where a path comes back to it. From depth 0 on it is found twice then, which does no harm.

use aql_plan::{
    AggregateFunction, Collect, CollectMethod, Node, NodeKind, Traversal, TraversalOrder, Uniqueness,
};

/// Turns the traversal into a breadth-first search, if the nodes after it do not count paths.
pub(super) fn visit_once(node: &mut Traversal, after: &[Node]) -> bool {
    let options = &node.options;
    let follows_paths =
        options.order != TraversalOrder::Weighted && options.unique_vertices != Uniqueness::Global;
    let only_vertex = node.edge_out.is_none() && node.path.is_none() && node.prune.is_none();
    let is_alike_everywhere = node.conditions.iter().all(|condition| condition.depth.is_none())
        && node.graph.edges.iter().all(|edges| edges.at_depth.is_empty());
    // A start that does not exist is no path of depth 0, but a vertex that a path comes back to.
    let comes_back = options.unique_vertices == Uniqueness::None;
    let is_wanted = follows_paths
        && only_vertex
        && is_alike_everywhere
        // One step leads to nothing twice but by parallel edges.
        && node.min_depth <= 1
        && node.max_depth > 1
        && ignores_repetition(after);
    if is_wanted {
        node.options.order = TraversalOrder::Bfs;
        node.options.unique_vertices = Uniqueness::Global;
        node.options.revisit_start = comes_back;
    }
    is_wanted
}

/// Whether the nodes do the same with rows that come once and rows that come several times.
fn ignores_repetition(nodes: &[Node]) -> bool {
    for node in nodes {
        match &node.kind {
            kind if !kind.is_deterministic() => return false,
            NodeKind::Calculation(_) | NodeKind::Subquery(_) | NodeKind::Filter { .. } => {}
            NodeKind::Sort(sort) if sort.limit.is_none() => {}
            kind if kind.is_loop() => {}
            NodeKind::Collect(collect) => return collects_distinct(collect),
            _ => return false,
        }
    }
    false
}

fn collects_distinct(collect: &Collect) -> bool {
    use AggregateFunction::{BitAnd, BitOr, CountDistinct, Max, Min, SortedUnique, Unique};
    let ignores =
        |function| matches!(function, Min | Max | Unique | SortedUnique | CountDistinct | BitAnd | BitOr);
    collect.into.is_none()
        && collect.method != CollectMethod::Count
        && collect.aggregates.iter().all(|aggregate| ignores(aggregate.function))
}
