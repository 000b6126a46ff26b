//! The graph functions of ArangoDB 2.8, which 3.0 removed: for queries that came with dumps of that time.
//!
//! [`network`] reads the edges and vertices that a call comes to, each once; [`walk`] visits the paths from a vertex in
//! them, [`distances`] finds the shortest ones. [`graph`] and [`examples`] say what is asked about, [`caller`] reads
//! arguments and options. The functions themselves are in the other files.
//!
//! Where the documentation of 2.8 and the results recorded in it differ, the results count:
//! - `GRAPH_TRAVERSAL()` goes depth first, and comes to a vertex by each path to it.
//! - The option `weight` counts for paths, `GRAPH_DISTANCE_TO()` and betweenness only together with `defaultWeight`.
//!
//! Source: ArangoDB 2.8 documentation, "Graph functions" and "Graph operations".

mod betweenness;
mod caller;
mod common;
mod direct;
mod distances;
mod examples;
mod graph;
mod measures;
mod network;
mod paths;
mod reach;
mod shortest_path;
mod traversal;
mod tree;
mod visitor;
mod walk;

use crate::define::{Body, volatile};
use aql_value::Function;

pub(crate) static FUNCTIONS: &[Function] = &[
    over_collections(1, "EDGES", 3, 5, direct::edges),
    of_graph("GRAPH_ABSOLUTE_BETWEENNESS", 1, 2, betweenness::absolute),
    of_graph("GRAPH_ABSOLUTE_CLOSENESS", 2, 3, measures::absolute_closeness),
    of_graph("GRAPH_ABSOLUTE_ECCENTRICITY", 2, 3, measures::absolute_eccentricity),
    of_graph("GRAPH_BETWEENNESS", 1, 2, betweenness::normalized),
    of_graph("GRAPH_CLOSENESS", 1, 2, measures::closeness),
    of_graph("GRAPH_COMMON_NEIGHBORS", 3, 5, common::neighbors),
    of_graph("GRAPH_COMMON_PROPERTIES", 3, 4, common::properties),
    of_graph("GRAPH_DIAMETER", 1, 2, measures::diameter),
    of_graph("GRAPH_DISTANCE_TO", 3, 4, shortest_path::graph_distance_to),
    of_graph("GRAPH_ECCENTRICITY", 1, 2, measures::eccentricity),
    of_graph("GRAPH_EDGES", 2, 3, reach::graph_edges),
    of_graph("GRAPH_NEIGHBORS", 2, 3, reach::graph_neighbors),
    of_graph("GRAPH_PATHS", 1, 2, paths::graph_paths),
    of_graph("GRAPH_RADIUS", 1, 2, measures::radius),
    of_graph("GRAPH_SHORTEST_PATH", 3, 4, shortest_path::graph_shortest_path),
    of_graph("GRAPH_TRAVERSAL", 2, 4, traversal::graph_traversal),
    of_graph("GRAPH_TRAVERSAL_TREE", 4, 5, tree::graph_traversal_tree),
    of_graph("GRAPH_VERTICES", 2, 3, reach::graph_vertices),
    over_collections(2, "NEIGHBORS", 4, 6, direct::neighbors),
    over_collections(2, "PATHS", 2, 4, paths::paths),
    over_collections(2, "TRAVERSAL", 4, 5, traversal::traversal),
    over_collections(2, "TRAVERSAL_TREE", 5, 6, tree::traversal_tree),
];

/// A function whose first argument is the name of a graph.
const fn of_graph(name: &'static str, min_args: usize, max_args: usize, call: Body) -> Function {
    Function { reads_documents: true, ..volatile(name, min_args, max_args, call) }
}

/// A function whose first arguments are names of collections.
const fn over_collections(
    collection_arguments: usize,
    name: &'static str,
    min_args: usize,
    max_args: usize,
    call: Body,
) -> Function {
    Function { collection_arguments, ..of_graph(name, min_args, max_args, call) }
}
