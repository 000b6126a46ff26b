//! All paths: `PATHS()`, `GRAPH_PATHS()`.

use super::caller::Caller;
use super::examples::Examples;
use super::graph::Graph;
use super::network::{Follow, MAX_ITERATIONS, Network};
use super::walk::{Place, Rules, Uniqueness, walk};
use crate::argument::{Outcome, answer, check_round};
use crate::memory::ArrayBuffer;
use aql_value::{EdgeDirection, EvaluationContext, Result, Value};

/// The longest paths, if options do not say.
const MAX_LENGTH: usize = 10;

/// `PATHS(vertexCollection, edgeCollection, direction, options)`
pub(super) fn paths(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(paths_in_collections(&mut Caller::new("PATHS", arguments, context)))
}

/// `GRAPH_PATHS(graphName, options)`
pub(super) fn graph_paths(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(paths_in_graph(&mut Caller::new("GRAPH_PATHS", arguments, context)))
}

fn paths_in_collections(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let vertices = caller.text(0)?;
    let collections = vec![caller.text(1)?.to_owned()];
    let direction = caller.direction(caller.argument(2), EdgeDirection::Outbound)?;
    let options = caller.options(3)?;
    let rules = rules(caller, options)?;
    let context = &*caller.context;
    let mut network = Network::new(context, Follow { collections, direction, examples: Examples::all() });
    let documents = context.environment.collection_documents(vertices)?;
    network.charge(documents.memory_bytes())?;
    let mut starts = Vec::new();
    for (round, document) in documents.elements().enumerate() {
        check_round(context, round)?;
        starts.push(network.vertex_of(document)?);
    }
    Ok(all_paths(&starts, &rules, &mut network, context)?)
}

fn paths_in_graph(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let graph = Graph::of(caller)?;
    let options = caller.options(1)?;
    let direction = caller.direction(&options.get("direction"), EdgeDirection::Outbound)?;
    let rules = rules(caller, options)?;
    let context = &*caller.context;
    let mut network = Network::new(context, graph.all_edges(direction));
    let starts = graph.select(&Examples::all(), &None, &mut network, context)?;
    Ok(all_paths(&starts, &rules, &mut network, context)?)
}

fn rules(caller: &mut Caller<'_, '_>, options: &Value) -> Outcome<Rules> {
    let min_length = caller.depth(&options.get("minLength"), 0)?;
    let max_length = caller.depth(&options.get("maxLength"), MAX_LENGTH)?;
    // `PATHS()` and `GRAPH_PATHS()` are documented with different spellings.
    let follows_cycles = ["followcycles", "followCycles"].iter().any(|name| options.get(name).is_truthy());
    let vertices = if follows_cycles { Uniqueness::None } else { Uniqueness::Path };
    Ok(Rules { vertices, ..Rules::paths(min_length, max_length) })
}

fn all_paths(
    starts: &[usize],
    rules: &Rules,
    network: &mut Network<'_>,
    context: &EvaluationContext<'_>,
) -> Result<Value> {
    let mut found = ArrayBuffer::new(context);
    for start in starts {
        network.allow(MAX_ITERATIONS);
        walk(network, rules, *start, &mut |network, path| {
            let (vertices, edges) = path_values(network, path)?;
            let ends = [vertices.at(0), vertices.at(-1)];
            let [source, destination] = ends;
            let value = Value::try_object(&[
                ("vertices", vertices),
                ("edges", edges),
                ("source", source),
                ("destination", destination),
            ])?;
            network.charge(value.memory_bytes())?;
            found.push(value)
        })?;
    }
    found.into_array()
}

/// The documents of the vertices and of the edges on a path.
pub(super) fn path_values(network: &mut Network<'_>, path: &[Place]) -> Result<(Value, Value)> {
    let (mut vertices, mut edges) = (Vec::with_capacity(path.len()), Vec::with_capacity(path.len()));
    for place in path {
        vertices.push(network.document(place.vertex)?);
        edges.extend(place.edge.map(|edge| network.edge_document(edge)));
    }
    Ok((Value::try_array(&vertices)?, Value::try_array(&edges)?))
}
