//! Cycles of dependencies, by their names.
//!
//! Snapshot isolation holds if and only if every cycle has two anti-dependencies in a row (Cerone
//! and Gotsman, "Analysing Snapshot Isolation", J. ACM 2018). So the search walks over pairs of a
//! transaction and the kind of the dependency that led there, and never takes two
//! anti-dependencies in a row.

use std::collections::{HashMap, HashSet, VecDeque};

use super::Anomaly;
use super::components::strongly_connected;
use super::graph::{Edge, Graph, Kind};

/// Dependencies of a component from which a cycle is searched, for each name.
const SEARCHED_MAX: usize = 2_000;

/// A transaction, and true if an anti-dependency led there.
type Place = (usize, bool);

/// A kind of cycles.
struct Shape {
    name: &'static str,
    /// The kind of at least one dependency.
    one: Kind,
    /// The kinds of the others.
    others: &'static [Kind],
}

/// The kinds of cycles, the worst first.
const SHAPES: &[Shape] = &[
    Shape { name: "G0 (dirty write)", one: Kind::WriteWrite, others: &[Kind::WriteWrite] },
    Shape {
        name: "G1c (circular information flow)",
        one: Kind::WriteRead,
        others: &[Kind::WriteWrite, Kind::WriteRead],
    },
    Shape {
        name: "G-single (read skew)",
        one: Kind::ReadWrite,
        others: &[Kind::WriteWrite, Kind::WriteRead],
    },
    Shape {
        name: "G-nonadjacent",
        one: Kind::ReadWrite,
        others: &[Kind::WriteWrite, Kind::WriteRead, Kind::ReadWrite],
    },
    Shape {
        name: "G1-realtime (a state that was over)",
        one: Kind::RealTime,
        others: &[Kind::WriteWrite, Kind::WriteRead, Kind::RealTime],
    },
    Shape {
        name: "G-single-realtime (stale read)",
        one: Kind::ReadWrite,
        others: &[Kind::WriteWrite, Kind::WriteRead, Kind::RealTime],
    },
    Shape {
        name: "G-nonadjacent-realtime",
        one: Kind::ReadWrite,
        others: &[Kind::WriteWrite, Kind::WriteRead, Kind::ReadWrite, Kind::RealTime],
    },
];

/// Returns the shortest cycle of the worst kind in each component of the graph.
pub(super) fn check(graph: &Graph) -> Vec<Anomaly> {
    let mut seen = HashSet::new();
    let cycles = components(graph).into_iter().filter_map(|component| worst(graph, &component));
    // A transaction is at two places, so that two components may have one cycle.
    cycles.filter(|anomaly| seen.insert(sorted(&anomaly.transactions))).collect()
}

fn sorted(transactions: &[usize]) -> Vec<usize> {
    let mut sorted = transactions.to_vec();
    sorted.sort_unstable();
    sorted
}

fn worst(graph: &Graph, component: &HashSet<usize>) -> Option<Anomaly> {
    SHAPES.iter().find_map(|shape| {
        let cycle = shortest(graph, component, shape)?;
        let transactions: Vec<usize> = cycle.iter().map(|edge| edge.from).collect();
        let edges: Vec<String> = cycle.iter().map(Edge::to_string).collect();
        let text = format!("a cycle of {}: {}", transactions.len(), edges.join(", "));
        Some(Anomaly::new(shape.name, &transactions, text))
    })
}

/// Returns the shortest cycle of a kind within a component.
fn shortest(graph: &Graph, component: &HashSet<usize>, shape: &Shape) -> Option<Vec<Edge>> {
    let mut transactions: Vec<usize> = component.iter().copied().collect();
    transactions.sort_unstable();
    let edges = transactions.iter().flat_map(|from| graph.edges(*from));
    let edges = edges.filter(|edge| edge.kind == shape.one && component.contains(&edge.to));
    let cycles = edges.take(SEARCHED_MAX).filter_map(|edge| close(graph, component, shape, edge));
    cycles.min_by_key(Vec::len)
}

/// Returns the shortest cycle of a kind that begins with a dependency.
fn close(graph: &Graph, component: &HashSet<usize>, shape: &Shape, first: &Edge) -> Option<Vec<Edge>> {
    let is_anti = first.kind == Kind::ReadWrite;
    let start: Place = (first.to, is_anti);
    let mut came_from: HashMap<Place, (Place, Edge)> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(place) = queue.pop_front() {
        for edge in steps(graph, place) {
            let next = (edge.to, edge.kind == Kind::ReadWrite);
            let is_wanted = shape.others.contains(&edge.kind) && component.contains(&edge.to);
            if !is_wanted || next == start || came_from.contains_key(&next) {
                continue;
            }
            came_from.insert(next, (place, *edge));
            if edge.to == first.from && !(is_anti && next.1) {
                return Some(path(&came_from, *first, next));
            }
            queue.push_back(next);
        }
    }
    None
}

/// Returns the dependencies that may follow at a place.
fn steps(graph: &Graph, (transaction, is_anti): Place) -> impl Iterator<Item = &Edge> {
    graph.edges(transaction).iter().filter(move |edge| !(is_anti && edge.kind == Kind::ReadWrite))
}

/// Returns the first dependency and those after it that led to the last place.
fn path(came_from: &HashMap<Place, (Place, Edge)>, first: Edge, last: Place) -> Vec<Edge> {
    let mut cycle = Vec::new();
    let mut at = last;
    while let Some((before, edge)) = came_from.get(&at) {
        cycle.push(*edge);
        at = *before;
    }
    cycle.push(first);
    cycle.reverse();
    cycle
}

/// Returns the transactions of each strongly connected component of places.
fn components(graph: &Graph) -> Vec<HashSet<usize>> {
    let number = |(transaction, is_anti): Place| transaction * 2 + usize::from(is_anti);
    let places = (0..graph.len()).flat_map(|transaction| [(transaction, false), (transaction, true)]);
    let next = |place| steps(graph, place).map(|edge| number((edge.to, edge.kind == Kind::ReadWrite)));
    let successors: Vec<Vec<usize>> = places.map(|place| next(place).collect()).collect();
    let components = strongly_connected(&successors).into_iter();
    components.map(|places| places.into_iter().map(|place| place / 2).collect()).collect()
}
