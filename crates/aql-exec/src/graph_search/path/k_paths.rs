//! All paths with a number of edges within bounds, those with fewer edges first.
//!
//! For each number of edges the search follows the paths from the start depth first. It knows the
//! distance to the target of all vertices within half of the maximum number of edges. So it never
//! follows the second half of a path without success for long, and neither side looks beyond half
//! of the way.

use std::collections::{HashMap, HashSet};

use errors::Result;

use super::{FoundPath, PathHost, Side, prefetch};
use crate::graph_search::edges::{EdgeList, FoundEdge};
use crate::graph_search::lookahead::Lookahead;
use crate::graph_search::vertices::Vertex;

/// The paths from one vertex to another.
pub(crate) struct KPaths {
    start: Vertex,
    target: Vertex,
    max_depth: u64,
    /// Number of edges of the paths in the current pass.
    length: u64,
    distances: Option<Distances>,
    /// The current path: at each of its vertices the edges still to be followed.
    frames: Vec<Frame>,
    /// The edges of all frames, with their keys.
    edges: Vec<FoundEdge>,
    keys: Vec<u8>,
    on_path: HashSet<Vertex>,
    list: EdgeList,
    /// True if some path was cut because it would become too long.
    was_cut: bool,
    is_done: bool,
}

struct Frame {
    vertex: Vertex,
    /// Start of the edges at the vertex, and the next of them. They end where the next frame's
    /// begin.
    first_edge: usize,
    first_key: usize,
    next: usize,
    /// The prefetched part of the edges.
    ahead: Lookahead,
}

/// The distances of vertices from the target, in edges.
struct Distances {
    known: HashMap<Vertex, u64>,
    /// Number of edges within which all vertices are known.
    reach: u64,
    /// True if all vertices are known from which the target can be reached.
    is_complete: bool,
}

impl KPaths {
    pub(crate) fn new(start: Vertex, target: Vertex, min_depth: u64, max_depth: u64) -> Self {
        Self {
            start,
            target,
            max_depth,
            length: min_depth,
            distances: None,
            frames: Vec::new(),
            edges: Vec::new(),
            keys: Vec::new(),
            on_path: HashSet::new(),
            list: EdgeList::default(),
            was_cut: false,
            is_done: min_depth > max_depth,
        }
    }

    /// Returns the next path, or `None` after the last one.
    pub(crate) fn next(&mut self, host: &mut impl PathHost) -> Result<Option<FoundPath>> {
        while !self.is_done {
            if self.length == 0 || self.start == self.target {
                let is_found = self.length == 0 && self.start == self.target;
                self.is_done = self.start == self.target || self.max_depth == 0;
                self.length += 1;
                if is_found {
                    return Ok(Some(FoundPath::single(self.start)));
                }
                continue;
            }
            if self.frames.is_empty() {
                self.was_cut = false;
                self.enter(self.start, host)?;
            }
            if let Some(path) = self.follow(host)? {
                return Ok(Some(path));
            }
            self.is_done = !self.was_cut || self.length >= self.max_depth;
            self.length += 1;
        }
        Ok(None)
    }

    /// Continues until a path of the current length ends at the target; `None` if there is no
    /// other.
    fn follow(&mut self, host: &mut impl PathHost) -> Result<Option<FoundPath>> {
        while let Some(frame) = self.frames.last_mut() {
            let Some(edge) = self.edges.get(frame.next).copied() else {
                self.leave();
                continue;
            };
            frame.next += 1;
            if edge.vertex == self.target {
                return Ok(Some(self.path()));
            }
            let (first, len) = (frame.first_edge, self.edges.len() - frame.first_edge);
            let vertex = |at| self.edges.get(first + at).map(|edge: &FoundEdge| edge.vertex);
            prefetch(&mut frame.ahead, (frame.next - 1 - first, len), vertex, Side::Start, host)?;
            self.enter(edge.vertex, host)?;
        }
        Ok(None)
    }

    /// Enters a vertex and finds the edges that can lead to the target in time.
    fn enter(&mut self, vertex: Vertex, host: &mut impl PathHost) -> Result<()> {
        if self.distances.is_none() {
            self.distances = Some(Distances::find(self.target, self.max_depth / 2, host)?);
        }
        self.on_path.insert(vertex);
        let (first_edge, first_key) = (self.edges.len(), self.keys.len());
        let ahead = Lookahead::default();
        self.frames.push(Frame { vertex, first_edge, first_key, next: first_edge, ahead });
        let left = self.length - self.frames.len() as u64;
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        host.edges(vertex, Side::Start, &mut list)?;
        for edge in &list.edges {
            if self.leads_on(edge.vertex, left) {
                let name = edge.name.copied(&list.keys, &mut self.keys);
                self.edges.push(FoundEdge { name, ..*edge });
            }
        }
        self.list = list;
        host.checkpoint(self.memory_bytes())
    }

    /// Returns true if a path may continue to a vertex from which it has `left` edges to go.
    fn leads_on(&mut self, vertex: Vertex, left: u64) -> bool {
        if self.on_path.contains(&vertex) {
            return false;
        }
        if vertex == self.target {
            return left == 0;
        }
        let Some(distances) = &self.distances else { return false };
        let leads_on = match distances.known.get(&vertex) {
            Some(distance) => *distance <= left,
            None if distances.is_complete => return false,
            None => left > distances.reach,
        };
        self.was_cut |= !leads_on;
        leads_on
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.on_path.remove(&frame.vertex);
            self.edges.truncate(frame.first_edge);
            self.keys.truncate(frame.first_key);
        }
    }

    /// Returns the path along the current edges.
    fn path(&self) -> FoundPath {
        let mut path = FoundPath::single(self.start);
        for frame in &self.frames {
            if let Some(edge) = frame.next.checked_sub(1).and_then(|taken| self.edges.get(taken)) {
                path.push(edge.name, &self.keys, 1.0, edge.vertex);
            }
        }
        path
    }

    fn memory_bytes(&self) -> u64 {
        let known = self.distances.as_ref().map_or(0, |distances| distances.known.capacity());
        let known = known * size_of::<(Vertex, u64)>() + self.on_path.capacity() * size_of::<Vertex>();
        let edges = self.edges.capacity() * size_of::<FoundEdge>() + self.keys.capacity();
        (known + edges + self.frames.capacity() * size_of::<Frame>()) as u64
    }
}

impl Distances {
    fn find(target: Vertex, reach: u64, host: &mut impl PathHost) -> Result<Self> {
        let mut known = HashMap::from([(target, 0)]);
        let mut border = vec![target];
        let mut list = EdgeList::default();
        for distance in 1..=reach {
            let mut next = Vec::new();
            let mut ahead = Lookahead::default();
            for (at, &vertex) in border.iter().enumerate() {
                let len = border.len();
                prefetch(&mut ahead, (at, len), |at| border.get(at).copied(), Side::Target, host)?;
                list.clear();
                host.edges(vertex, Side::Target, &mut list)?;
                for edge in &list.edges {
                    known.entry(edge.vertex).or_insert_with(|| {
                        next.push(edge.vertex);
                        distance
                    });
                }
                host.checkpoint((known.capacity() * size_of::<(Vertex, u64)>()) as u64)?;
            }
            border = next;
            if border.is_empty() {
                break;
            }
        }
        Ok(Self { is_complete: border.is_empty(), known, reach })
    }
}
