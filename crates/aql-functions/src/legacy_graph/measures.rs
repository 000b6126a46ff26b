//! Measures by distances: eccentricity, closeness, radius and diameter.

use super::caller::Caller;
use super::distances::{Distances, Lengths};
use super::examples::Examples;
use super::graph::Graph;
use super::network::Network;
use crate::argument::{Outcome, answer};
use crate::memory::{ObjectBuffer, Scratch};
use aql_value::{EdgeDirection, EvaluationContext, Result, Value};
use std::rc::Rc;

/// `GRAPH_ABSOLUTE_ECCENTRICITY(graphName, vertexExample, options)`: for each vertex the greatest distance.
pub(super) fn absolute_eccentricity(
    arguments: &[Value],
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    answer(absolute(&mut Caller::new("GRAPH_ABSOLUTE_ECCENTRICITY", arguments, context), f64::max))
}

/// `GRAPH_ABSOLUTE_CLOSENESS(graphName, vertexExample, options)`: for each vertex the sum of the distances.
pub(super) fn absolute_closeness(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(absolute(&mut Caller::new("GRAPH_ABSOLUTE_CLOSENESS", arguments, context), sum))
}

/// `GRAPH_ECCENTRICITY(graphName, options)`: normalized, so that the vertex with the smallest eccentricity has 1.
pub(super) fn eccentricity(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(relative(&mut Caller::new("GRAPH_ECCENTRICITY", arguments, context), f64::max))
}

/// `GRAPH_CLOSENESS(graphName, options)`: normalized, so that the vertex with the smallest sum of distances has 1.
pub(super) fn closeness(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(relative(&mut Caller::new("GRAPH_CLOSENESS", arguments, context), sum))
}

/// `GRAPH_RADIUS(graphName, options)`: the smallest eccentricity. Vertices that reach no other do not count.
pub(super) fn radius(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(whole(&mut Caller::new("GRAPH_RADIUS", arguments, context), least))
}

/// `GRAPH_DIAMETER(graphName, options)`: the greatest eccentricity.
pub(super) fn diameter(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let greatest = |measured: &[Measured]| measured.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    answer(whole(&mut Caller::new("GRAPH_DIAMETER", arguments, context), greatest))
}

fn sum(left: f64, right: f64) -> f64 {
    left + right
}

/// How the distances from a vertex are put together.
type Fold = fn(f64, f64) -> f64;

/// The identifier of a vertex, and what was measured there: 0 if it reaches no other.
pub(super) type Measured = (Rc<str>, f64);

fn absolute(caller: &mut Caller<'_, '_>, fold: Fold) -> Outcome<Value> {
    let examples = caller.examples(caller.argument(1))?;
    let measured = measure(caller, &examples, 2, fold)?;
    Ok(by_vertex(measured, caller.context)?)
}

fn relative(caller: &mut Caller<'_, '_>, fold: Fold) -> Outcome<Value> {
    let mut measured = measure(caller, &Examples::all(), 1, fold)?;
    // By reciprocals, as ArangoDB computes it: the last digits show.
    let greatest = least(&measured).recip();
    for (_, value) in measured.iter_mut().filter(|(_, value)| *value > 0.0) {
        *value = value.recip() / greatest;
    }
    Ok(by_vertex(measured, caller.context)?)
}

fn whole(caller: &mut Caller<'_, '_>, combine: fn(&[Measured]) -> f64) -> Outcome<Value> {
    let measured = measure(caller, &Examples::all(), 1, f64::max)?;
    Ok(Value::from_f64(combine(&measured)))
}

/// The least that is not 0; 0 if there is none.
fn least(measured: &[Measured]) -> f64 {
    let reaching = measured.iter().map(|(_, value)| *value).filter(|value| *value > 0.0);
    reaching.min_by(f64::total_cmp).unwrap_or(0.0)
}

fn measure(
    caller: &mut Caller<'_, '_>,
    examples: &Examples,
    options: usize,
    fold: Fold,
) -> Outcome<Vec<Measured>> {
    let graph = Graph::of(caller)?;
    let options = caller.options(options)?;
    let follow = graph.follow(caller, options, EdgeDirection::Any)?;
    let of_starts = caller.names(&options.get("startVertexCollectionRestriction"))?;
    let of_ends = caller.names(&options.get("endVertexCollectionRestriction"))?;
    let lengths = Lengths::of_options(caller, options, false)?;
    let context = &*caller.context;
    let mut network = Network::new(context, follow);
    let mut measured = Vec::new();
    for start in graph.select(examples, &of_starts, &mut network, context)? {
        let distances = Distances::search(&mut network, context, &lengths, start, &mut |_| false)?;
        let mut total = 0.0;
        for vertex in distances.order.iter().filter(|vertex| **vertex != start) {
            // An edge may lead to a vertex that does not exist, or is not of the graph.
            let is_end = graph.has_vertex(&network.vertex_id(*vertex), &of_ends)
                && !network.document(*vertex)?.is_null();
            if is_end {
                total = fold(total, distances.distance(*vertex).unwrap_or(0.0));
            }
        }
        measured.push((network.vertex_id(start), total));
    }
    Ok(measured)
}

/// An object of what was measured at each vertex.
pub(super) fn by_vertex(measured: Vec<Measured>, context: &EvaluationContext<'_>) -> Result<Value> {
    let mut scratch = Scratch::new(context.memory);
    scratch.grow(measured.len() * size_of::<Measured>())?;
    let mut object = ObjectBuffer::new(context);
    for (id, value) in measured {
        object.push(id, Value::from_f64(value))?;
    }
    object.into_object()
}
