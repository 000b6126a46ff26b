//! What vertices have in common: `GRAPH_COMMON_NEIGHBORS()`, `GRAPH_COMMON_PROPERTIES()`.

use super::caller::Caller;
use super::direct::vertex_value;
use super::graph::Graph;
use super::network::Network;
use super::reach::Neighbors;
use crate::argument::{Outcome, answer, check_round};
use crate::memory::{ArrayBuffer, ObjectBuffer, Scratch};
use aql_value::{EdgeDirection, EvaluationContext, Result, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// `GRAPH_COMMON_NEIGHBORS(graphName, vertex1Example, vertex2Example, options1, options2)`: objects `{left, right,
/// neighbors}` for each two vertices that have neighbors in common.
pub(super) fn neighbors(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(common_neighbors(&mut Caller::new("GRAPH_COMMON_NEIGHBORS", arguments, context)))
}

/// `GRAPH_COMMON_PROPERTIES(graphName, vertex1Example, vertex2Example, options)`: for each vertex an object of its
/// identifier and those other vertices that have an attribute with the same value.
pub(super) fn properties(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(common_properties(&mut Caller::new("GRAPH_COMMON_PROPERTIES", arguments, context)))
}

/// A vertex and its neighbors: identifiers, and what the result has of them.
struct Neighborhood {
    id: Rc<str>,
    neighbors: Vec<(Rc<str>, Value)>,
}

impl Neighborhood {
    /// With a place in a set for each neighbor.
    fn memory_bytes(&self) -> usize {
        let of =
            |(id, value): &(Rc<str>, Value)| size_of::<(Rc<str>, Value)>() + id.len() + value.memory_bytes();
        self.neighbors.iter().map(of).sum()
    }
}

fn common_neighbors(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let graph = Graph::of(caller)?;
    let left = neighborhoods(caller, &graph, 1, 3)?;
    let right = neighborhoods(caller, &graph, 2, 4)?;
    let context = &*caller.context;
    let mut scratch = Scratch::new(context.memory);
    let mut found = ArrayBuffer::new(context);
    for neighborhood in left.iter().chain(&right) {
        scratch.grow(neighborhood.memory_bytes())?;
    }
    let sets: Vec<HashSet<&str>> =
        right.iter().map(|other| other.neighbors.iter().map(|(id, _)| &**id).collect()).collect();
    for own in &left {
        for (other, set) in right.iter().zip(&sets) {
            context.interrupt.check()?;
            if own.id == other.id {
                continue;
            }
            let common = own.neighbors.iter().filter(|(id, _)| set.contains(&**id));
            let common = ArrayBuffer::collect(context, common.map(|(_, value)| value.clone()))?;
            if common.len() > 0 {
                let pair = Value::try_object(&[
                    ("left", Value::from_str(&own.id)),
                    ("right", Value::from_str(&other.id)),
                    ("neighbors", common.into_array()?),
                ])?;
                scratch.grow(pair.memory_bytes())?;
                found.push(pair)?;
            }
        }
    }
    Ok(found.into_array()?)
}

/// The vertices that an argument describes, each with the neighbors that the options in another describe.
fn neighborhoods(
    caller: &mut Caller<'_, '_>,
    graph: &Graph,
    examples: usize,
    options: usize,
) -> Outcome<Vec<Neighborhood>> {
    let examples = caller.examples(caller.argument(examples))?;
    let options = caller.options(options)?;
    let (neighbors, follow) = Neighbors::of_options(caller, graph, options)?;
    let context = &*caller.context;
    let mut network = Network::new(context, follow);
    let mut neighborhoods = Vec::new();
    for start in graph.select(&examples, &None, &mut network, context)? {
        let (mut seen, mut found) = (HashSet::new(), Vec::new());
        neighbors.visit(graph, start, &mut network, &mut seen, &mut |vertex, network| {
            network.charge(size_of::<(Rc<str>, Value)>())?;
            let value = vertex_value(network, vertex, neighbors.with_data)?;
            found.push((network.vertex_id(vertex), value));
            Ok(())
        })?;
        neighborhoods.push(Neighborhood { id: network.vertex_id(start), neighbors: found });
    }
    Ok(neighborhoods)
}

/// Attributes that every document has.
const SYSTEM_ATTRIBUTES: [&str; 3] = ["_id", "_key", "_rev"];

/// The vertices that have an attribute with a value: their places in a list, by attribute and value.
type Holders = HashMap<String, HashMap<Value, Vec<usize>>>;

/// Bytes of an entry of [`Holders`] beside the attribute's name.
const HOLDER_BYTES: usize = 64;

fn common_properties(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let graph = Graph::of(caller)?;
    let (left, right) = (caller.examples(caller.argument(1))?, caller.examples(caller.argument(2))?);
    let options = caller.options(3)?;
    let of_left = caller.names(&options.get("vertex1CollectionRestriction"))?;
    let of_right = caller.names(&options.get("vertex2CollectionRestriction"))?;
    let ignored = caller.names(&options.get("ignoreProperties"))?.unwrap_or_default();
    let context = &*caller.context;
    let mut network = Network::new(context, graph.all_edges(EdgeDirection::Any));
    let left = graph.select(&left, &of_left, &mut network, context)?;
    let right = graph.select(&right, &of_right, &mut network, context)?;
    let holders = holders(&right, &ignored, &mut network)?;
    let mut found = ArrayBuffer::new(context);
    for (round, own) in left.into_iter().enumerate() {
        check_round(context, round)?;
        let alike = alike(own, &right, &holders, &mut network, context)?;
        if alike.len() > 0 {
            let object = Value::try_object(&[(&*network.vertex_id(own), alike.into_array()?)])?;
            network.charge(object.memory_bytes())?;
            found.push(object)?;
        }
    }
    Ok(found.into_array()?)
}

fn holders(vertices: &[usize], ignored: &[String], network: &mut Network<'_>) -> Result<Holders> {
    let mut holders = Holders::new();
    for (place, vertex) in vertices.iter().enumerate() {
        network.check_interrupt()?;
        for (name, value) in network.document(*vertex)?.entries() {
            if SYSTEM_ATTRIBUTES.contains(&name) || ignored.iter().any(|ignored| ignored == name) {
                continue;
            }
            network.charge(name.len() + HOLDER_BYTES)?;
            holders.entry(name.to_owned()).or_default().entry(value).or_default().push(place);
        }
    }
    Ok(holders)
}

/// The other vertices that have something in common with one, each with all that is common.
fn alike<'a>(
    own: usize,
    others: &[usize],
    holders: &Holders,
    network: &mut Network<'a>,
    context: &EvaluationContext<'a>,
) -> Result<ArrayBuffer<'a>> {
    let document = network.document(own)?;
    let mut places = BTreeSet::<usize>::new();
    for (name, value) in document.entries() {
        let holders = holders.get(name).and_then(|values| values.get(&value));
        places.extend(holders.into_iter().flatten());
    }
    let mut alike = ArrayBuffer::new(context);
    for other in places.into_iter().filter_map(|place| others.get(place)).filter(|other| **other != own) {
        network.check_interrupt()?;
        let other_document = network.document(*other)?;
        let mut common = ObjectBuffer::new(context);
        common.push("_id", Value::from_str(&network.vertex_id(*other)))?;
        for (name, value) in document.entries() {
            // Attributes that are ignored make nobody alike, and are shown all the same.
            if !SYSTEM_ATTRIBUTES.contains(&name) && other_document.get(name).equal(&value) {
                common.push(name, value)?;
            }
        }
        let common = common.into_object()?;
        network.charge(common.memory_bytes())?;
        alike.push(common)?;
    }
    Ok(alike)
}
