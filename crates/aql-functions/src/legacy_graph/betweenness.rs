//! `GRAPH_BETWEENNESS()`, `GRAPH_ABSOLUTE_BETWEENNESS()`: on how many shortest paths between others a vertex lies.

use super::caller::Caller;
use super::distances::{Distances, Lengths};
use super::examples::Examples;
use super::graph::Graph;
use super::measures::{Measured, by_vertex};
use super::network::Network;
use crate::argument::{Outcome, answer};
use aql_value::{EdgeDirection, EvaluationContext, Result, Value};
use std::collections::HashSet;

/// `GRAPH_ABSOLUTE_BETWEENNESS(graphName, options)`: for each vertex the sum, over all starts and ends, of its share of
/// the shortest paths.
pub(super) fn absolute(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(betweenness(&mut Caller::new("GRAPH_ABSOLUTE_BETWEENNESS", arguments, context), false))
}

/// `GRAPH_BETWEENNESS(graphName, options)`: normalized, so that the greatest is 1.
pub(super) fn normalized(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    answer(betweenness(&mut Caller::new("GRAPH_BETWEENNESS", arguments, context), true))
}

fn betweenness(caller: &mut Caller<'_, '_>, is_normalized: bool) -> Outcome<Value> {
    let graph = Graph::of(caller)?;
    let options = caller.options(1)?;
    let follow = graph.follow(caller, options, EdgeDirection::Any)?;
    let lengths = Lengths::of_options(caller, options, true)?;
    let context = &*caller.context;
    let mut network = Network::new(context, follow);
    let vertices = graph.select(&Examples::all(), &None, &mut network, context)?;
    let members: HashSet<usize> = vertices.iter().copied().collect();
    let mut sums = Vec::new();
    for start in &vertices {
        let distances = Distances::search(&mut network, context, &lengths, *start, &mut |_| false)?;
        add_shares(&distances, *start, &members, &mut sums, &mut network)?;
    }
    let of = |vertex: &usize| sums.get(*vertex).copied().unwrap_or(0.0);
    let greatest = vertices.iter().map(of).fold(0.0, f64::max);
    let unit = if is_normalized && greatest > 0.0 { greatest } else { 1.0 };
    let measured = vertices.iter().map(|vertex| (network.vertex_id(*vertex), of(vertex) / unit));
    Ok(by_vertex(measured.collect::<Vec<Measured>>(), context)?)
}

/// Adds the shares that vertices have in the paths from one start, by Brandes' algorithm: from the farthest vertices
/// back, each hands on to those before it what goes through it, by their numbers of paths.
fn add_shares(
    distances: &Distances<'_>,
    start: usize,
    members: &HashSet<usize>,
    sums: &mut Vec<f64>,
    network: &mut Network<'_>,
) -> Result<()> {
    let known = network.vertex_count();
    if sums.len() < known {
        // With the two lists below.
        network.charge((known - sums.len()) * 3 * size_of::<f64>())?;
        sums.resize(known, 0.0);
    }
    let mut path_counts = vec![0.0; known];
    let mut shares = vec![0.0; known];
    for vertex in &distances.order {
        let lasts = distances.lasts(*vertex).iter();
        let count: f64 = lasts.map(|last| path_counts.get(last.before).copied().unwrap_or(0.0)).sum();
        if let Some(own) = path_counts.get_mut(*vertex) {
            *own = if *vertex == start { 1.0 } else { count };
        }
    }
    for vertex in distances.order.iter().rev().filter(|vertex| **vertex != start) {
        network.check_interrupt()?;
        let (Some(share), Some(count)) = (shares.get(*vertex).copied(), path_counts.get(*vertex).copied())
        else {
            continue;
        };
        // Paths may go through a vertex that is missing, but do not end there.
        let ends_here = if members.contains(vertex) { 1.0 } else { 0.0 };
        for last in distances.lasts(*vertex) {
            let before = path_counts.get(last.before).copied().unwrap_or(0.0);
            if let Some(sum) = shares.get_mut(last.before) {
                *sum += before / count * (ends_here + share);
            }
        }
        if let Some(sum) = sums.get_mut(*vertex) {
            *sum += share;
        }
    }
    Ok(())
}
