//! What lies within some depth of the vertices of a graph: `GRAPH_VERTICES()`, `GRAPH_EDGES()`, `GRAPH_NEIGHBORS()`.

use super::caller::Caller;
use super::direct::vertex_value;
use super::examples::Examples;
use super::graph::{Graph, Restriction};
use super::network::{Follow, Network};
use super::walk::{Rules, walk};
use crate::argument::{Outcome, answer};
use crate::memory::ArrayBuffer;
use aql_value::{EdgeDirection, EvaluationContext, Result, Value};
use std::collections::HashSet;

/// `GRAPH_VERTICES(graphName, vertexExample, options)`: the vertices; with `direction` `outbound` or `inbound` only those
/// that have such edges.
pub(super) fn graph_vertices(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(vertices(&mut Caller::new("GRAPH_VERTICES", arguments, context)))
}

/// `GRAPH_EDGES(graphName, vertexExample, options)`: identifiers or documents of the edges on paths from vertices.
pub(super) fn graph_edges(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(edges(&mut Caller::new("GRAPH_EDGES", arguments, context)))
}

/// `GRAPH_NEIGHBORS(graphName, vertexExample, options)`: identifiers or documents of the vertices at the ends of paths
/// from vertices.
pub(super) fn graph_neighbors(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(neighbors(&mut Caller::new("GRAPH_NEIGHBORS", arguments, context)))
}

fn vertices(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let graph = Graph::of(caller)?;
    let examples = caller.examples(caller.argument(1))?;
    let options = caller.options(2)?;
    let restriction = caller.names(&options.get("vertexCollectionRestriction"))?;
    let direction = caller.direction(&options.get("direction"), EdgeDirection::Any)?;
    let context = &*caller.context;
    let mut network = Network::new(context, graph.all_edges(direction));
    let mut found = ArrayBuffer::new(context);
    for vertex in graph.select(&examples, &restriction, &mut network, context)? {
        if direction == EdgeDirection::Any || !network.steps(vertex)?.is_empty() {
            found.push(network.document(vertex)?)?;
        }
    }
    Ok(found.into_array()?)
}

fn edges(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let graph = Graph::of(caller)?;
    let examples = caller.examples(caller.argument(1))?;
    let options = caller.options(2)?;
    let (follow, rules, iterations) = search(caller, &graph, options)?;
    let starts = caller.names(&options.get("startVertexCollectionRestriction"))?;
    let ends = caller.names(&options.get("endVertexCollectionRestriction"))?;
    let with_data = options.get("includeData").is_truthy();
    let context = &*caller.context;
    let mut network = Network::new(context, follow);
    let (mut seen, mut found) = (HashSet::new(), ArrayBuffer::new(context));
    for start in graph.select(&examples, &starts, &mut network, context)? {
        network.allow(iterations);
        walk(&mut network, &rules, start, &mut |network, path| {
            let Some((place, edge)) = path.last().and_then(|place| Some((place, place.edge?))) else {
                return Ok(());
            };
            let is_end = ends.is_none() || graph.has_vertex(&network.vertex_id(place.vertex), &ends);
            if is_end && seen.insert(edge) {
                let id = || Value::from_str(&network.edge_id(edge));
                found.push(if with_data { network.edge_document(edge) } else { id() })?;
            }
            Ok(())
        })?;
    }
    Ok(found.into_array()?)
}

fn neighbors(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let graph = Graph::of(caller)?;
    let examples = caller.examples(caller.argument(1))?;
    let options = caller.options(2)?;
    let (neighbors, follow) = Neighbors::of_options(caller, &graph, options)?;
    let context = &*caller.context;
    let mut network = Network::new(context, follow);
    let (mut seen, mut found) = (HashSet::new(), ArrayBuffer::new(context));
    for start in graph.select(&examples, &None, &mut network, context)? {
        neighbors.visit(&graph, start, &mut network, &mut seen, &mut |vertex, network| {
            found.push(vertex_value(network, vertex, neighbors.with_data)?)
        })?;
    }
    Ok(found.into_array()?)
}

/// Which neighbors `GRAPH_NEIGHBORS()` and `GRAPH_COMMON_NEIGHBORS()` are asked for.
pub(super) struct Neighbors {
    examples: Examples,
    restriction: Restriction,
    rules: Rules,
    iterations: u64,
    pub(super) with_data: bool,
}

impl Neighbors {
    /// With the edges that are followed to them.
    pub(super) fn of_options(
        caller: &mut Caller<'_, '_>,
        graph: &Graph,
        options: &Value,
    ) -> Outcome<(Self, Follow)> {
        let (follow, rules, iterations) = search(caller, graph, options)?;
        let neighbors = Self {
            examples: caller.examples(&options.get("neighborExamples"))?,
            restriction: caller.names(&options.get("vertexCollectionRestriction"))?,
            rules,
            iterations,
            with_data: options.get("includeData").is_truthy(),
        };
        Ok((neighbors, follow))
    }

    /// Tells of those neighbors of a vertex that were not seen before.
    pub(super) fn visit(
        &self,
        graph: &Graph,
        start: usize,
        network: &mut Network<'_>,
        seen: &mut HashSet<usize>,
        tell: &mut dyn FnMut(usize, &mut Network<'_>) -> Result<()>,
    ) -> Result<()> {
        network.allow(self.iterations);
        walk(network, &self.rules, start, &mut |network, path| {
            let Some(vertex) = path.last().filter(|place| place.edge.is_some()).map(|place| place.vertex)
            else {
                return Ok(());
            };
            if !seen.insert(vertex) {
                return Ok(());
            }
            let id = network.vertex_id(vertex);
            let is_asked_for = (self.restriction.is_none() || graph.has_vertex(&id, &self.restriction))
                && (self.examples.match_all() || self.examples.matches(&id, &network.document(vertex)?));
            if is_asked_for { tell(vertex, network) } else { Ok(()) }
        })
    }
}

/// The edges, paths and number of iterations that options allow.
fn search(caller: &mut Caller<'_, '_>, graph: &Graph, options: &Value) -> Outcome<(Follow, Rules, u64)> {
    let follow = graph.follow(caller, options, EdgeDirection::Any)?;
    let min_depth = caller.depth(&options.get("minDepth"), 1)?;
    let max_depth = caller.depth(&options.get("maxDepth"), 1)?;
    Ok((follow, Rules::paths(min_depth, max_depth), caller.max_iterations(options)?))
}
