//! Estimates for graph queries.

use aql_plan::{EdgeAccess, EnumeratePaths, EnumeratePathsKind, Traversal};

use super::index::{Estimate, per_value};

/// The expected number of steps of a shortest path search from each end.
const SEARCH_DEPTH: u64 = 3;
/// The maximum depth that is estimated; few graphs are deeper.
const MAX_DEPTH: u64 = 1000;
/// The expected number of vertices of a shortest path.
const SHORTEST_PATH_LENGTH: f64 = 5.0;
/// The expected number of paths of a path search.
const PATHS: f64 = 10.0;
/// The share of a vertex's edges that satisfy a condition looked up in an index.
const CONDITION_SHARE: f64 = 0.1;
/// The greatest value of an estimate.
const MOST: f64 = 1e12;

/// Returns the number of edges that leave a vertex in a collection of `count` edges.
pub(crate) fn degree(edges: &EdgeAccess, depth: u64, count: f64) -> f64 {
    let all = per_value(&edges.lookup.index, count).min(count);
    let conditions = edges.lookup_at(depth).conditions();
    all * CONDITION_SHARE.powi(i32::try_from(conditions).unwrap_or(i32::MAX))
}

/// Estimates a traversal, given the degree of vertices at a depth.
pub(crate) fn traversal(node: &Traversal, before: Estimate, degree: impl Fn(u64) -> f64) -> Estimate {
    let (mut visited, mut items, mut depth) = (0.0, before.items, 0);
    while depth < node.max_depth.min(MAX_DEPTH) && items > 0.0 && items < MOST {
        let next = (items * degree(depth)).min(MOST);
        depth += 1;
        visited = (visited + next).min(MOST);
        items = next;
    }
    Estimate { cost: before.cost + visited, items: items.ceil() }
}

/// Estimates a search for a shortest path.
pub(crate) fn shortest_path(before: Estimate, degree: f64) -> Estimate {
    Estimate {
        cost: before.cost + before.items * search_cost(degree),
        items: before.items * SHORTEST_PATH_LENGTH,
    }
}

/// Estimates a search for several paths.
pub(crate) fn enumerate_paths(node: &EnumeratePaths, before: Estimate, degree: f64) -> Estimate {
    let paths = if node.kind == EnumeratePathsKind::AllShortestPaths { 1.0 } else { PATHS };
    Estimate { cost: before.cost + before.items * paths * search_cost(degree), items: before.items * paths }
}

fn search_cost(degree: f64) -> f64 {
    (2.0 * degree.powi(i32::try_from(SEARCH_DEPTH).unwrap_or(i32::MAX))).clamp(1.0, MOST)
}
