//! `TRAVERSAL_TREE()`, `GRAPH_TRAVERSAL_TREE()`: vertices within each other.

use super::caller::Caller;
use super::network::Network;
use super::traversal::Traversal;
use super::walk::{Rules, walk};
use crate::argument::{Outcome, answer};
use crate::memory::ArrayBuffer;
use aql_value::{Error, EvaluationContext, Result, Value, error_number};
use velocypack::Builder;

/// How deep vertices may lie within each other: each is an object in an array, and values have 500 levels at most.
const MAX_TREE_DEPTH: usize = 248;

/// `TRAVERSAL_TREE(vertexCollection, edgeCollection, startVertex, direction, connectName, options)`: the start, in
/// whose attribute `connectName` are the vertices that are connected with it, in whose attribute are others.
pub(super) fn traversal_tree(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(tree_in_collections(&mut Caller::new("TRAVERSAL_TREE", arguments, context)))
}

/// `GRAPH_TRAVERSAL_TREE(graphName, startVertexExample, direction, connectName, options)`: the same for each start.
pub(super) fn graph_traversal_tree(
    arguments: &[Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    answer(trees_in_graph(&mut Caller::new("GRAPH_TRAVERSAL_TREE", arguments, context)))
}

fn tree_in_collections(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let connect_name = caller.text(4)?;
    let (mut traversal, start) = Traversal::in_collections(caller, 5)?;
    match start {
        Some(start) => Ok(tree(&mut traversal, start, connect_name)?),
        None => Ok(Value::empty_array()),
    }
}

fn trees_in_graph(caller: &mut Caller<'_, '_>) -> Outcome<Value> {
    let connect_name = caller.text(3)?;
    let (mut traversal, starts) = Traversal::in_graph(caller, 4)?;
    let mut found = ArrayBuffer::new(caller.context);
    for start in starts {
        let tree = tree(&mut traversal, start, connect_name)?;
        traversal.network.charge(tree.memory_bytes())?;
        found.push(tree)?;
    }
    Ok(found.into_array()?)
}

/// A vertex that is visited, and how deep it lies among those that are.
struct Node {
    vertex: usize,
    depth: usize,
}

/// The trees below a start in an array of its own: there are several if the start itself is not visited.
fn tree(traversal: &mut Traversal<'_>, start: usize, connect_name: &str) -> Result<Value> {
    traversal.restart();
    let network = &mut traversal.network;
    let rules = &mut traversal.rules;
    (rules.is_breadth_first, rules.is_post_order) = (false, false);
    let nodes = visited(network, rules, start)?;
    let mut builder = Builder::new();
    builder.open_array()?;
    builder.open_array()?;
    for (place, node) in nodes.iter().enumerate() {
        network.check_interrupt()?;
        builder.open_object()?;
        let document = network.document(node.vertex)?;
        network.charge(document.memory_bytes() + connect_name.len())?;
        for (name, value) in document.entries() {
            if name != connect_name {
                builder.key(name)?;
                value.append_to(&mut builder)?;
            }
        }
        let next_depth = nodes.get(place + 1).map_or(0, |next| next.depth);
        if next_depth > node.depth {
            builder.key(connect_name)?;
            builder.open_array()?;
        } else {
            builder.close()?;
        }
        // What the next vertex does not lie in is complete.
        for _ in next_depth..node.depth {
            builder.close()?;
            builder.close()?;
        }
    }
    builder.close()?;
    builder.close()?;
    Ok(Value::from_builder(builder))
}

/// What is visited, in order; each vertex lies in the last one before it that is on the path to it.
fn visited(network: &mut Network<'_>, rules: &Rules, start: usize) -> Result<Vec<Node>> {
    let mut nodes: Vec<Node> = Vec::new();
    // The lengths of the paths to the vertex visited last and to those that it lies in.
    let mut lengths: Vec<usize> = Vec::new();
    walk(network, rules, start, &mut |network, path| {
        let Some(place) = path.last() else { return Ok(()) };
        while lengths.last().is_some_and(|length| *length >= path.len()) {
            lengths.pop();
        }
        if lengths.len() >= MAX_TREE_DEPTH {
            let message = "too much nesting in the result of a function";
            return Err(Error::new(error_number::TOO_MUCH_NESTING, message));
        }
        network.charge(size_of::<Node>())?;
        nodes.push(Node { vertex: place.vertex, depth: lengths.len() });
        lengths.push(path.len());
        Ok(())
    })?;
    Ok(nodes)
}
