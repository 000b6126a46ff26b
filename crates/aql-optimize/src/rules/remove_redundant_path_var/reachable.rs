//! Traversals that visit each vertex once instead of following every path, if only the distinct
//! vertices matter.
//!
//! A vertex at the end of some path is also at the end of a shortest path. That path repeats
//! neither vertices nor edges, and satisfies every condition that all elements of the other path
//! satisfy. So the vertices are the same, except for the start: it is found again if a path returns
//! to it. From depth 0 on, the start is then found twice, which is harmless.

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
    // A start that does not exist is not a path of depth 0, but a path can still return to it as a
    // vertex.
    let comes_back = options.unique_vertices == Uniqueness::None;
    let is_wanted = follows_paths
        && only_vertex
        && is_alike_everywhere
        // A single step reaches a vertex twice only by parallel edges.
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

/// Returns true if the nodes treat repeated rows like single ones.
fn ignores_repetition(nodes: &[Node]) -> bool {
    for node in nodes {
        match &node.kind {
            kind if !kind.is_deterministic() => return false,
            NodeKind::Calculation(_) | NodeKind::Subquery(_) | NodeKind::Filter(_) => {}
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
