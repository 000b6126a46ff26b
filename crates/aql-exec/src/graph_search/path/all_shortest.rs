//! All paths with the fewest edges: bidirectional breadth-first search.
//!
//! It keeps all edges by which a vertex is first reached.

use std::collections::HashMap;

use errors::Result;

use super::{FoundPath, PathHost, Side, prefetch};
use crate::graph_search::edges::{EdgeList, EdgeName};
use crate::graph_search::lookahead::Lookahead;
use crate::graph_search::vertices::Vertex;

/// The paths from one vertex to another, built one after another.
pub(crate) struct AllShortestPaths {
    start: Tree,
    target: Tree,
    list: EdgeList,
    /// The vertices in the middle: each path has one of them, at the same position. The last one is
    /// current.
    meetings: Vec<Vertex>,
    is_searched: bool,
    /// The edges of the current path: from its meeting back to the start, then from there to the
    /// target.
    choices: Vec<Choice>,
}

/// One edge of a path.
#[derive(Clone, Copy)]
struct Choice {
    side: Side,
    /// Position in the tree's links.
    link: u32,
}

/// The vertices found from one end.
struct Tree {
    root: Vertex,
    found: HashMap<Vertex, Reached>,
    links: Vec<Link>,
    keys: Vec<u8>,
    border: Vec<Vertex>,
    distance: u32,
}

struct Reached {
    distance: u32,
    /// The first and the last link by which it is reached, as positions in the links.
    first: u32,
    last: u32,
}

/// An edge by which a vertex is reached.
#[derive(Clone, Copy)]
struct Link {
    from: Vertex,
    edge: EdgeName,
    /// The next link by which the same vertex is reached.
    next: u32,
}

/// No link.
const NONE: u32 = u32::MAX;

impl Tree {
    fn new(root: Vertex) -> Self {
        let found = HashMap::from([(root, Reached { distance: 0, first: NONE, last: NONE })]);
        Self { root, found, links: Vec::new(), keys: Vec::new(), border: vec![root], distance: 0 }
    }

    fn link(&self, position: u32) -> Option<&Link> {
        self.links.get(position as usize)
    }

    /// Extends the search by one edge at every vertex of the border.
    fn widen(&mut self, side: Side, list: &mut EdgeList, host: &mut impl PathHost) -> Result<()> {
        self.distance += 1;
        let border = std::mem::take(&mut self.border);
        let mut ahead = Lookahead::default();
        for (at, &vertex) in border.iter().enumerate() {
            prefetch(&mut ahead, (at, border.len()), |at| border.get(at).copied(), side, host)?;
            list.clear();
            host.edges(vertex, side, list)?;
            for edge in &list.edges {
                self.reach(edge.vertex, vertex, edge.name, &list.keys);
            }
            host.checkpoint(self.memory_bytes())?;
        }
        Ok(())
    }

    fn reach(&mut self, vertex: Vertex, from: Vertex, edge: EdgeName, keys: &[u8]) {
        let position = self.links.len() as u32;
        let border = &mut self.border;
        let distance = self.distance;
        let reached = self.found.entry(vertex).or_insert_with(|| {
            border.push(vertex);
            Reached { distance, first: position, last: NONE }
        });
        if reached.distance < self.distance {
            return;
        }
        let before = std::mem::replace(&mut reached.last, position);
        if let Some(link) = self.links.get_mut(before as usize) {
            link.next = position;
        }
        let edge = edge.copied(keys, &mut self.keys);
        self.links.push(Link { from, edge, next: NONE });
    }

    fn memory_bytes(&self) -> u64 {
        let found = self.found.capacity() * size_of::<(Vertex, Reached)>();
        (found + self.links.capacity() * size_of::<Link>() + self.keys.capacity()) as u64
    }
}

impl AllShortestPaths {
    pub(crate) fn new(start: Vertex, target: Vertex) -> Self {
        Self {
            start: Tree::new(start),
            target: Tree::new(target),
            list: EdgeList::default(),
            meetings: Vec::new(),
            is_searched: false,
            choices: Vec::new(),
        }
    }

    /// Returns the next path, or `None` after the last one.
    pub(crate) fn next(&mut self, host: &mut impl PathHost) -> Result<Option<FoundPath>> {
        if !self.is_searched {
            self.is_searched = true;
            self.search(host)?;
        } else if !self.advance() {
            self.meetings.pop();
        }
        let Some(&meeting) = self.meetings.last() else { return Ok(None) };
        self.complete(meeting);
        host.checkpoint(self.start.memory_bytes() + self.target.memory_bytes())?;
        Ok(Some(self.path()))
    }

    /// Finds the middles of the paths.
    fn search(&mut self, host: &mut impl PathHost) -> Result<()> {
        if self.start.root == self.target.root {
            self.meetings.push(self.start.root);
            return Ok(());
        }
        while !self.start.border.is_empty() && !self.target.border.is_empty() {
            let is_start = self.start.border.len() <= self.target.border.len();
            let (tree, other, side) = if is_start {
                (&mut self.start, &self.target, Side::Start)
            } else {
                (&mut self.target, &self.start, Side::Target)
            };
            tree.widen(side, &mut self.list, host)?;
            let meetings = tree.border.iter().filter(|vertex| other.found.contains_key(vertex));
            self.meetings.extend(meetings);
            if !self.meetings.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn tree(&self, side: Side) -> &Tree {
        if side == Side::Start { &self.start } else { &self.target }
    }

    /// Returns the next vertex for which an edge must be chosen; `None` if the path is complete.
    fn open_end(&self, meeting: Vertex) -> Option<(Side, Vertex)> {
        let (side, vertex) = match self.choices.last() {
            Some(choice) => (choice.side, self.tree(choice.side).link(choice.link)?.from),
            None => (Side::Start, meeting),
        };
        match side {
            Side::Start if vertex != self.start.root => Some((Side::Start, vertex)),
            Side::Start => Some((Side::Target, meeting)).filter(|_| meeting != self.target.root),
            Side::Target => Some((Side::Target, vertex)).filter(|_| vertex != self.target.root),
        }
    }

    /// Chooses the first edge wherever none is chosen yet.
    fn complete(&mut self, meeting: Vertex) {
        while let Some((side, vertex)) = self.open_end(meeting) {
            let Some(reached) = self.tree(side).found.get(&vertex) else { return };
            self.choices.push(Choice { side, link: reached.first });
        }
    }

    /// Advances the last choice that has an alternative and drops those after it; false if there is
    /// none.
    fn advance(&mut self) -> bool {
        while let Some(choice) = self.choices.pop() {
            let next = self.tree(choice.side).link(choice.link).map_or(NONE, |link| link.next);
            if next != NONE {
                self.choices.push(Choice { link: next, ..choice });
                return true;
            }
        }
        false
    }

    fn path(&self) -> FoundPath {
        let mut path = FoundPath::single(self.start.root);
        let on_start = self.choices.iter().filter(|choice| choice.side == Side::Start).count();
        let (first_part, second_part) = self.choices.split_at(on_start);
        // Backwards: the previous choice leads on from the vertex that this one leads to.
        for (position, choice) in first_part.iter().enumerate().rev() {
            let before = position.checked_sub(1).and_then(|before| first_part.get(before));
            let to = match before {
                Some(before) => self.start.link(before.link).map(|link| link.from),
                None => self.meetings.last().copied(),
            };
            if let (Some(link), Some(to)) = (self.start.link(choice.link), to) {
                path.push(link.edge, &self.start.keys, 1.0, to);
            }
        }
        for choice in second_part {
            if let Some(link) = self.target.link(choice.link) {
                path.push(link.edge, &self.target.keys, 1.0, link.from);
            }
        }
        path
    }
}
