//! One path with the fewest edges: bidirectional breadth-first search.
//!
//! It always extends the side with fewer vertices at its border.

use errors::Result;

use super::{Excluded, FoundPath, PathHost, Side, prefetch};
use crate::graph_search::edges::{EdgeList, EdgeName};
use crate::graph_search::lookahead::Lookahead;
use crate::graph_search::vertices::Vertex;

/// A bidirectional search.
#[derive(Default)]
pub(crate) struct Bidirectional {
    start: Tree,
    target: Tree,
    list: EdgeList,
}

/// The vertices found from one end, each with the step that reached it.
#[derive(Default)]
pub(super) struct Tree {
    /// By vertex: its position in `visits` plus one; 0 if it was not found.
    places: Vec<u32>,
    visits: Vec<Visit>,
    keys: Vec<u8>,
    /// The start of the border, which are the vertices found last.
    border: usize,
}

/// A vertex that was found.
#[derive(Clone, Copy)]
struct Visit {
    vertex: Vertex,
    /// Position of the vertex from which it was found.
    from: u32,
    edge: EdgeName,
}

impl Tree {
    fn start(&mut self, root: Vertex) {
        for visit in self.visits.drain(..) {
            if let Some(place) = self.places.get_mut(visit.vertex.index()) {
                *place = 0;
            }
        }
        self.keys.clear();
        self.border = 0;
        self.visit(root, 0, EdgeName::default(), &[]);
    }

    /// Adds a vertex; false if it was found before.
    fn visit(&mut self, vertex: Vertex, from: u32, edge: EdgeName, keys: &[u8]) -> bool {
        if self.places.len() <= vertex.index() {
            self.places.resize((vertex.index() + 1).next_power_of_two(), 0);
        }
        let Some(place) = self.places.get_mut(vertex.index()).filter(|place| **place == 0) else {
            return false;
        };
        *place = self.visits.len() as u32 + 1;
        let edge = edge.copied(keys, &mut self.keys);
        self.visits.push(Visit { vertex, from, edge });
        true
    }

    fn has(&self, vertex: Vertex) -> bool {
        self.places.get(vertex.index()).is_some_and(|place| *place > 0)
    }

    fn border_len(&self) -> usize {
        self.visits.len() - self.border
    }

    /// Returns the edges from a vertex back to the root, each with the vertex that it comes from.
    fn back(&self, vertex: Vertex) -> impl Iterator<Item = (EdgeName, Vertex)> {
        let place = self.places.get(vertex.index()).copied().unwrap_or(0);
        let mut next = place.checked_sub(1);
        std::iter::from_fn(move || {
            let place = next.filter(|place| *place > 0)?;
            let visit = self.visits.get(place as usize)?;
            next = Some(visit.from);
            Some((visit.edge, self.visits.get(visit.from as usize)?.vertex))
        })
    }

    fn memory_bytes(&self) -> u64 {
        let visits = self.visits.capacity() * size_of::<Visit>();
        (self.places.capacity() * size_of::<u32>() + visits + self.keys.capacity()) as u64
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
        loop {
            let side =
                if self.start.border_len() <= self.target.border_len() { Side::Start } else { Side::Target };
            if let Some(meeting) = self.widen(side, start, excluded, host)? {
                return Ok(Some(self.path(start, meeting)));
            }
            let tree = if side == Side::Start { &self.start } else { &self.target };
            if tree.border_len() == 0 {
                return Ok(None);
            }
        }
    }

    /// Extends one side by one edge at every vertex of its border.
    ///
    /// Returns the first vertex that both sides have found: until then, the border was too far from
    /// the other side for a shorter path. Among equally short paths, ArangoDB returns the one that
    /// is found last, or the first one in searches for deviations.
    fn widen(
        &mut self,
        side: Side,
        start: Vertex,
        excluded: &Excluded,
        host: &mut impl PathHost,
    ) -> Result<Option<Vertex>> {
        let (tree, other) = match side {
            Side::Start => (&mut self.start, &self.target),
            Side::Target => (&mut self.target, &self.start),
        };
        let border = tree.border..tree.visits.len();
        tree.border = border.end;
        let last_first = excluded.is_nothing();
        let place = |at: usize| border.start + if last_first { border.len() - 1 - at } else { at };
        let mut ahead = Lookahead::default();
        for at in 0..border.len() {
            let vertex = |at: usize| tree.visits.get(place(at)).map(|visit| visit.vertex);
            prefetch(&mut ahead, (at, border.len()), vertex, side, host)?;
            let place = place(at);
            let Some(own) = tree.visits.get(place).map(|visit| visit.vertex) else { break };
            self.list.clear();
            host.edges(own, side, &mut self.list)?;
            let edges = positions(self.list.edges.len(), last_first);
            for edge in edges.filter_map(|position| self.list.edges.get(position)) {
                let (from, to) = if side == Side::Start { (own, edge.vertex) } else { (edge.vertex, own) };
                if !tree.has(edge.vertex)
                    && excluded.allows(start, from, to, edge.name, &self.list.keys)
                    && tree.visit(edge.vertex, place as u32, edge.name, &self.list.keys)
                    && other.has(edge.vertex)
                {
                    return Ok(Some(edge.vertex));
                }
            }
            host.checkpoint(tree.memory_bytes() + other.memory_bytes() + excluded.kept_bytes)?;
        }
        Ok(None)
    }

    fn path(&self, start: Vertex, meeting: Vertex) -> FoundPath {
        let mut path = FoundPath::single(start);
        let mut first_part: Vec<(EdgeName, Vertex)> = Vec::new();
        let mut to = meeting;
        for (edge, from) in self.start.back(meeting) {
            first_part.push((edge, to));
            to = from;
        }
        for (edge, to) in first_part.into_iter().rev() {
            path.push(edge, &self.start.keys, 1.0, to);
        }
        for (edge, next) in self.target.back(meeting) {
            path.push(edge, &self.target.keys, 1.0, next);
        }
        path
    }
}

/// Returns the positions in a list, forwards or backwards.
fn positions(count: usize, last_first: bool) -> impl Iterator<Item = usize> {
    (0..count).map(move |position| if last_first { count - 1 - position } else { position })
}
