//! What is directly connected to a vertex: `EDGES()`, `NEIGHBORS()`.

use super::caller::Caller;
use super::network::{Follow, Network, other_end};
use crate::argument::{Outcome, answer, check_round};
use crate::memory::{ArrayBuffer, Scratch};
use aql_value::{EdgeDirection, EvaluationContext, Result, Value};
use std::collections::HashSet;

/// `EDGES(edgeCollection, startVertex, direction, edgeExamples, options)`: the edges, or objects `{edge, vertex}`.
pub(super) fn edges(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(edges_of(&mut Caller::new("EDGES", arguments, context)))
}

/// `NEIGHBORS(vertexCollection, edgeCollection, startVertex, direction, edgeExamples, options)`: identifiers of the
/// vertices at the other ends of a vertex's edges, or their documents.
pub(super) fn neighbors(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(neighbors_of(&mut Caller::new("NEIGHBORS", arguments, context)))
}

fn edges_of(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let collection = caller.text(0)?;
    let start = caller.argument(1);
    let start = if start.is_object() { start.get("_id") } else { start.clone() };
    let Some(start) = start.as_str() else { return caller.invalid() };
    let direction = caller.direction(caller.argument(2), EdgeDirection::Any)?;
    let examples = caller.examples(caller.argument(3))?;
    let with_vertices = caller.options(4)?.get("includeVertices").is_truthy();
    let context = &*caller.context;
    let mut scratch = Scratch::new(context.memory);
    let edges = context.environment.edges(collection, start, direction)?;
    scratch.grow(edges.memory_bytes())?;
    let mut found = ArrayBuffer::new(context);
    for (round, edge) in edges.elements().enumerate() {
        check_round(context, round)?;
        if !examples.matches(edge.get("_id").as_str().unwrap_or_default(), &edge) {
            continue;
        }
        if with_vertices {
            let other = other_end(&edge, start, direction);
            let vertex = context.environment.document(None, other.as_str().unwrap_or_default())?;
            let pair = Value::try_object(&[("edge", edge), ("vertex", vertex)])?;
            scratch.grow(pair.memory_bytes())?;
            found.push(pair)?;
        } else {
            found.push(edge)?;
        }
    }
    Ok(found.into_array()?)
}

fn neighbors_of(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let vertices = caller.text(0)?;
    let collections = vec![caller.text(1)?.to_owned()];
    let Some(start) = start_id(vertices, caller.argument(2)) else { return caller.invalid() };
    let direction = caller.direction(caller.argument(3), EdgeDirection::Any)?;
    let examples = caller.examples(caller.argument(4))?;
    let with_data = caller.options(5)?.get("includeData").is_truthy();
    let context = &*caller.context;
    let mut network = Network::new(context, Follow { collections, direction, examples });
    let start = network.vertex(&start)?;
    let (mut seen, mut found) = (HashSet::new(), ArrayBuffer::new(context));
    for step in network.steps(start)?.iter() {
        if seen.insert(step.to) {
            found.push(vertex_value(&mut network, step.to, with_data)?)?;
        }
    }
    Ok(found.into_array()?)
}

/// The identifier of a vertex that is given by its identifier, its key or as a document.
pub(super) fn start_id(collection: &str, start: &Value) -> Option<String> {
    let start = if start.is_object() { start.get("_id") } else { start.clone() };
    let id = start.as_str()?;
    Some(if id.contains('/') { id.to_owned() } else { format!("{collection}/{id}") })
}

/// The identifier of a vertex, or its document, which is null if there is none.
pub(super) fn vertex_value(network: &mut Network<'_>, vertex: usize, with_data: bool) -> Result<Value> {
    if with_data { network.document(vertex) } else { Ok(Value::from_str(&network.vertex_id(vertex))) }
}
