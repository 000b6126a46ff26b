//! Shortest paths from one vertex to all others.

use super::caller::Caller;
use super::network::Network;
use crate::argument::Outcome;
use crate::memory::Scratch;
use aql_value::{Error, EvaluationContext, Result, Value, error_number};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How long edges are.
pub(super) struct Lengths {
    /// The attribute that says it; `None`: all edges are as long.
    attribute: Option<String>,
    /// For edges without a number in the attribute. If it is infinite, they lead nowhere.
    default: f64,
}

impl Lengths {
    /// By the options `weight` and `defaultWeight`, which if `needs_default` count only together.
    pub(super) fn of_options(
        caller: &mut Caller<'_, '_>,
        options: &Value,
        needs_default: bool,
    ) -> Outcome<Self> {
        let (weight, default) = (options.get("weight"), options.get("defaultWeight"));
        let is_valid = (weight.is_null() || weight.is_string()) && (default.is_null() || default.is_number());
        if !is_valid {
            return caller.invalid();
        }
        let attribute = weight.as_str().filter(|_| !needs_default || !default.is_null());
        let default = default.as_f64().unwrap_or(f64::INFINITY);
        Ok(Self { attribute: attribute.map(str::to_owned), default })
    }

    fn of(&self, edge: &Value) -> Result<f64> {
        let Some(attribute) = &self.attribute else { return Ok(1.0) };
        let length = edge.get(attribute).as_f64().unwrap_or(self.default);
        if length < 0.0 {
            let message = "negative edge weight found";
            return Err(Error::new(error_number::GRAPH_NEGATIVE_EDGE_WEIGHT, message));
        }
        Ok(length)
    }
}

/// The last part of a shortest path: the vertex before the last, and the edge from it.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub(super) before: usize,
    pub(super) edge: usize,
}

/// What is known of a vertex.
#[derive(Clone)]
struct Node {
    distance: f64,
    is_settled: bool,
    /// Of all shortest paths, the first one found in front.
    lasts: Vec<Last>,
}

/// Shortest paths from a vertex.
pub(super) struct Distances<'a> {
    scratch: Scratch<'a>,
    /// By vertex.
    nodes: Vec<Node>,
    /// The vertices that there is a path to, the nearest first: the start itself, then the others.
    pub(super) order: Vec<usize>,
}

impl<'a> Distances<'a> {
    /// Searches until `is_enough` says so of a vertex, or there are no more.
    pub(super) fn search(
        network: &mut Network<'_>,
        context: &EvaluationContext<'a>,
        lengths: &Lengths,
        start: usize,
        is_enough: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Self> {
        let scratch = Scratch::new(context.memory);
        let mut found = Self { scratch, nodes: Vec::new(), order: Vec::new() };
        let mut queue = BinaryHeap::from([Candidate { distance: 0.0, vertex: start }]);
        found.reach(start, network)?.distance = 0.0;
        while let Some(Candidate { vertex, distance }) = queue.pop() {
            network.check_interrupt()?;
            let node = found.reach(vertex, network)?;
            if node.is_settled {
                continue;
            }
            node.is_settled = true;
            found.order.push(vertex);
            if is_enough(vertex) {
                break;
            }
            for step in network.steps(vertex)?.iter() {
                let distance = distance + lengths.of(&network.edge_document(step.edge))?;
                let last = Last { before: vertex, edge: step.edge };
                if found.improve(step.to, distance, last, network)? {
                    found.scratch.grow(2 * size_of::<Candidate>())?;
                    queue.push(Candidate { distance, vertex: step.to });
                }
            }
        }
        Ok(found)
    }

    /// The node of a vertex, which is made if there is none.
    fn reach(&mut self, vertex: usize, network: &Network<'_>) -> Result<&mut Node> {
        if vertex >= self.nodes.len() {
            let more = network.vertex_count().max(vertex + 1) - self.nodes.len();
            self.scratch.grow(more.saturating_mul(2 * size_of::<Node>()))?;
            let unknown = Node { distance: f64::INFINITY, is_settled: false, lasts: Vec::new() };
            self.nodes.resize(self.nodes.len() + more, unknown);
        }
        self.nodes.get_mut(vertex).ok_or_else(|| Error::internal("a vertex without a place"))
    }

    /// Whether a path to a vertex is shorter than those known. One that is as long is kept beside them.
    fn improve(&mut self, to: usize, distance: f64, last: Last, network: &Network<'_>) -> Result<bool> {
        let node = self.reach(to, network)?;
        if node.is_settled || distance > node.distance || distance == f64::INFINITY {
            return Ok(false);
        }
        let is_shorter = distance < node.distance;
        if is_shorter {
            node.lasts.clear();
        } else if node.lasts.last().is_some_and(|known| known.before == last.before) {
            // Of edges between the same vertices one is enough.
            return Ok(false);
        }
        node.distance = distance;
        node.lasts.push(last);
        self.scratch.grow(2 * size_of::<Last>())?;
        Ok(is_shorter)
    }

    /// The length of the shortest paths to a vertex; `None` if there is none, or it was not searched for.
    pub(super) fn distance(&self, vertex: usize) -> Option<f64> {
        self.nodes.get(vertex).filter(|node| node.is_settled).map(|node| node.distance)
    }

    /// The last parts of all shortest paths to a vertex.
    pub(super) fn lasts(&self, vertex: usize) -> &[Last] {
        self.nodes.get(vertex).map_or(&[], |node| &node.lasts)
    }
}

/// A vertex that a path leads to.
struct Candidate {
    distance: f64,
    vertex: usize,
}

impl Ord for Candidate {
    /// The nearest comes first out of a heap, which is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then_with(|| other.vertex.cmp(&self.vertex))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}
