//! `GRAPH_SHORTEST_PATH()`, `GRAPH_DISTANCE_TO()`.

use super::caller::{Caller, refuse_user_function};
use super::direct::vertex_value;
use super::distances::{Distances, Lengths};
use super::graph::Graph;
use super::network::Network;
use crate::argument::{Outcome, answer};
use crate::memory::ArrayBuffer;
use aql_value::{EdgeDirection, EvaluationContext, Result, Value};
use std::collections::HashSet;

/// `GRAPH_SHORTEST_PATH(graphName, startVertexExample, endVertexExample, options)`: objects `{vertices, edges, distance}`
/// for each two different vertices between which there is a path.
pub(super) fn graph_shortest_path(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(search(&mut Caller::new("GRAPH_SHORTEST_PATH", arguments, context), path))
}

/// `GRAPH_DISTANCE_TO(graphName, startVertexExample, endVertexExample, options)`: objects `{startVertex, vertex,
/// distance}`.
pub(super) fn graph_distance_to(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(search(&mut Caller::new("GRAPH_DISTANCE_TO", arguments, context), distance))
}

/// What is made of a shortest path.
struct Found<'f, 'a> {
    distances: &'f Distances<'a>,
    start: usize,
    end: usize,
    distance: f64,
    with_data: bool,
}

fn search(
    caller: &mut Caller<'_, '_>,
    result: fn(&Found<'_, '_>, &mut Network<'_>) -> Result<Value>,
) -> Outcome<Value> {
    let graph = Graph::of(caller)?;
    let (starts, ends) = (caller.examples(caller.argument(1))?, caller.examples(caller.argument(2))?);
    let options = caller.options(3)?;
    refuse_user_function(&options.get("distance"))?;
    let follow = graph.follow(caller, options, EdgeDirection::Any)?;
    let of_starts = caller.names(&options.get("startVertexCollectionRestriction"))?;
    let of_ends = caller.names(&options.get("endVertexCollectionRestriction"))?;
    let lengths = Lengths::of_options(caller, options, true)?;
    let is_first_enough = options.get("stopAtFirstMatch").is_truthy();
    let with_data = options.get("includeData").is_truthy();
    let context = &*caller.context;
    let mut network = Network::new(context, follow);
    let starts = graph.select(&starts, &of_starts, &mut network, context)?;
    let ends = graph.select(&ends, &of_ends, &mut network, context)?;
    let wanted: HashSet<usize> = ends.iter().copied().collect();
    let mut found = ArrayBuffer::new(context);
    for start in starts {
        let mut first = None;
        let mut left = wanted.len() - usize::from(wanted.contains(&start));
        let distances = Distances::search(&mut network, context, &lengths, start, &mut |vertex| {
            if vertex != start && wanted.contains(&vertex) {
                first.get_or_insert(vertex);
                left -= 1;
            }
            left == 0 || (is_first_enough && first.is_some())
        })?;
        for end in &ends {
            let distance = distances.distance(*end).filter(|_| *end != start);
            let Some(distance) = distance.filter(|_| !is_first_enough || first == Some(*end)) else {
                continue;
            };
            let value = result(
                &Found { distances: &distances, start, end: *end, distance, with_data },
                &mut network,
            )?;
            network.charge(value.memory_bytes())?;
            found.push(value)?;
        }
    }
    Ok(found.into_array()?)
}

fn distance(found: &Found<'_, '_>, network: &mut Network<'_>) -> Result<Value> {
    Value::try_object(&[
        ("startVertex", vertex_value(network, found.start, found.with_data)?),
        ("vertex", vertex_value(network, found.end, found.with_data)?),
        ("distance", Value::from_f64(found.distance)),
    ])
}

fn path(found: &Found<'_, '_>, network: &mut Network<'_>) -> Result<Value> {
    let mut vertices = vec![vertex_value(network, found.end, found.with_data)?];
    let mut edges = Vec::new();
    let mut vertex = found.end;
    while vertex != found.start {
        let Some(last) = found.distances.lasts(vertex).first() else { break };
        edges.push(match found.with_data {
            true => network.edge_document(last.edge),
            false => Value::from_str(&network.edge_id(last.edge)),
        });
        vertex = last.before;
        vertices.push(vertex_value(network, vertex, found.with_data)?);
    }
    vertices.reverse();
    edges.reverse();
    Value::try_object(&[
        ("vertices", Value::try_array(&vertices)?),
        ("edges", Value::try_array(&edges)?),
        ("distance", Value::from_f64(found.distance)),
    ])
}
