//! One lightest path: bidirectional Dijkstra's algorithm.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use errors::Result;

use super::{Excluded, FoundPath, PathHost, Side};
use crate::graph_search::edges::{EdgeList, EdgeName};
use crate::graph_search::lookahead::QUEUE_FRONT;
use crate::graph_search::vertices::Vertex;

/// A bidirectional search.
#[derive(Default)]
pub(crate) struct Bidirectional {
    start: Tree,
    target: Tree,
    list: EdgeList,
}

/// The vertices found from one end, with the lightest known way to each.
#[derive(Default)]
struct Tree {
    found: HashMap<Vertex, Reached>,
    queue: BinaryHeap<Reverse<Queued>>,
    keys: Vec<u8>,
    /// Number of ways found so far. It orders equally light ways by the time of discovery.
    ways: u64,
}

/// The lightest known way to a vertex.
#[derive(Clone, Copy)]
struct Reached {
    way: Way,
    /// True if there is no lighter one.
    is_settled: bool,
}

/// A way from the root to a vertex: its weight and its last edge.
#[derive(Clone, Copy)]
struct Way {
    weight: f64,
    /// The previous vertex; that of the root is the root itself.
    from: Vertex,
    edge: EdgeName,
    edge_weight: f64,
}

struct Queued {
    weight: f64,
    way: u64,
    vertex: Vertex,
}

/// A vertex where the two sides meet, and the weight of the path through it.
#[derive(Clone, Copy)]
struct Meeting {
    vertex: Vertex,
    weight: f64,
}

impl Tree {
    fn start(&mut self, root: Vertex) {
        self.found.clear();
        self.queue.clear();
        self.keys.clear();
        self.reach(root, Way { weight: 0.0, from: root, edge: EdgeName::default(), edge_weight: 0.0 }, &[]);
    }

    /// Records a way to a vertex, if it is lighter than the known one.
    fn reach(&mut self, vertex: Vertex, mut way: Way, keys: &[u8]) -> bool {
        let known = self.found.get(&vertex);
        if known.is_some_and(|known| known.is_settled || known.way.weight <= way.weight) {
            return false;
        }
        way.edge = way.edge.copied(keys, &mut self.keys);
        self.found.insert(vertex, Reached { way, is_settled: false });
        self.queue.push(Reverse(Queued { weight: way.weight, way: self.ways, vertex }));
        self.ways += 1;
        true
    }

    /// Returns the weight of the lightest unsettled vertex.
    fn least(&mut self) -> Option<f64> {
        while let Some(Reverse(queued)) = self.queue.peek() {
            if self.found.get(&queued.vertex).is_some_and(|known| !known.is_settled) {
                return Some(queued.weight);
            }
            self.queue.pop();
        }
        None
    }

    /// Settles that vertex: no lighter way to it will be found.
    fn settle(&mut self) -> Option<(Vertex, f64)> {
        self.least()?;
        let Reverse(Queued { vertex, weight, .. }) = self.queue.pop()?;
        self.found.get_mut(&vertex)?.is_settled = true;
        Some((vertex, weight))
    }

    /// Returns the ways to a vertex and to those before it, back to the root's neighbour.
    fn back(&self, vertex: Vertex) -> impl Iterator<Item = Way> {
        let mut at = vertex;
        std::iter::from_fn(move || {
            let way = self.found.get(&at)?.way;
            if way.from == at {
                return None;
            }
            at = way.from;
            Some(way)
        })
    }

    fn memory_bytes(&self) -> u64 {
        let found = self.found.capacity() * (size_of::<Vertex>() + size_of::<Reached>());
        (found + self.queue.capacity() * size_of::<Queued>() + self.keys.capacity()) as u64
    }
}

impl Bidirectional {
    pub(super) fn find(
        &mut self,
        start: Vertex,
        target: Vertex,
        excluded: &Excluded,
        host: &mut impl PathHost,
    ) -> Result<Option<FoundPath>> {
        self.start.start(start);
        self.target.start(target);
        let mut best: Option<Meeting> = None;
        while let (Some(from_start), Some(from_target)) = (self.start.least(), self.target.least()) {
            // Every path still unknown is at least as heavy as the two together.
            if best.is_some_and(|best| best.weight <= from_start + from_target) {
                break;
            }
            let side = if from_start <= from_target { Side::Start } else { Side::Target };
            self.follow(side, start, excluded, &mut best, host)?;
        }
        Ok(best.map(|best| self.path(start, best.vertex)))
    }

    /// Follows the edges of the lightest vertex of a side.
    fn follow(
        &mut self,
        side: Side,
        start: Vertex,
        excluded: &Excluded,
        best: &mut Option<Meeting>,
        host: &mut impl PathHost,
    ) -> Result<()> {
        let (tree, other) = match side {
            Side::Start => (&mut self.start, &self.target),
            Side::Target => (&mut self.target, &self.start),
        };
        let Some((own, weight)) = tree.settle() else { return Ok(()) };
        if host.concurrent_reads() > 1 {
            let front = tree.queue.iter().take(QUEUE_FRONT).map(|Reverse(queued)| queued.vertex);
            let front = front.filter(|vertex| tree.found.get(vertex).is_some_and(|known| !known.is_settled));
            host.prefetch(&std::iter::once(own).chain(front).collect::<Vec<_>>(), side)?;
        }
        self.list.clear();
        host.edges(own, side, &mut self.list)?;
        for (edge, &edge_weight) in self.list.edges.iter().zip(&self.list.weights) {
            let (from, to) = if side == Side::Start { (own, edge.vertex) } else { (edge.vertex, own) };
            let way = Way { weight: weight + edge_weight, from: own, edge: edge.name, edge_weight };
            if !excluded.allows(start, from, to, edge.name, &self.list.keys)
                || !tree.reach(edge.vertex, way, &self.list.keys)
            {
                continue;
            }
            if let Some(rest) = other.found.get(&edge.vertex)
                && best.is_none_or(|best| way.weight + rest.way.weight < best.weight)
            {
                *best = Some(Meeting { vertex: edge.vertex, weight: way.weight + rest.way.weight });
            }
        }
        host.checkpoint(tree.memory_bytes() + other.memory_bytes() + excluded.kept_bytes)
    }

    fn path(&self, start: Vertex, meeting: Vertex) -> FoundPath {
        let mut path = FoundPath::single(start);
        let mut first_part: Vec<(Way, Vertex)> = Vec::new();
        let mut to = meeting;
        for way in self.start.back(meeting) {
            first_part.push((way, to));
            to = way.from;
        }
        for (way, to) in first_part.into_iter().rev() {
            path.push(way.edge, &self.start.keys, way.edge_weight, to);
        }
        for way in self.target.back(meeting) {
            path.push(way.edge, &self.target.keys, way.edge_weight, way.from);
        }
        path
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.total_cmp(&other.weight).then(self.way.cmp(&other.way))
    }
}
