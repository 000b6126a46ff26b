//! Helpers that tests of algorithms share.

use errors::Result;
use velocypack::{Builder, Limits, Slice};

use crate::algorithm::Algorithm;
use crate::graph::{Edge, Graph};
use crate::parameters::Parameters;
use crate::table::Table;
use crate::work::Work;

/// Makes a graph without weights.
pub(crate) fn graph(vertices: usize, edges: &[(u32, u32)]) -> Graph {
    let edges: Vec<Edge> =
        edges.iter().map(|(from, to)| Edge { from: *from, to: *to, weight: 1.0 }).collect();
    Graph::from_edges(&Work::default(), vertices, &edges, false).unwrap()
}

/// Makes a graph with weights.
pub(crate) fn weighted(vertices: usize, edges: &[(u32, u32, f64)]) -> Graph {
    let edges: Vec<Edge> =
        edges.iter().map(|(from, to, weight)| Edge { from: *from, to: *to, weight: *weight }).collect();
    Graph::from_edges(&Work::default(), vertices, &edges, true).unwrap()
}

/// Runs an algorithm with parameters in JSON, which name vertices by their numbers.
pub(crate) fn run(algorithm: &Algorithm, graph: &Graph, parameters: &str) -> Result<Table> {
    let mut given = Builder::new();
    velocypack::json::parse(parameters.as_bytes(), &Limits::default(), &mut given).unwrap();
    let resolve = |value: Slice<'_>| {
        value.as_u64().filter(|vertex| (*vertex as usize) < graph.vertex_count()).map(|vertex| vertex as u32)
    };
    let parameters = Parameters::parse(algorithm.parameters, given.as_slice(), &resolve)?;
    algorithm.run(graph, &parameters, &Work::default())
}
