//! All paths, lightest first: Yen's algorithm with Lawler's refinement. Each path is searched for when it is asked for.

use super::{Excluded, FoundPath, PathHost, ShortestPath};
use crate::graph::vertices::Vertex;
use aql_value::Result;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The paths from one vertex to another.
pub(crate) struct KShortestPaths {
    start: Vertex,
    target: Vertex,
    search: ShortestPath,
    /// Those that were answered.
    found: Vec<FoundPath>,
    /// The best deviations from them.
    candidates: BinaryHeap<Reverse<Candidate>>,
    /// Candidates so far.
    numbered: u64,
    /// Position of the vertex from which the path found last deviates from the one that it was made of.
    deviation: usize,
    kept_bytes: u64,
}

struct Candidate {
    weight: f64,
    number: u64,
    path: FoundPath,
    deviation: usize,
}

impl KShortestPaths {
    pub(crate) fn new(start: Vertex, target: Vertex, is_weighted: bool) -> Self {
        Self {
            start,
            target,
            search: ShortestPath::new(is_weighted),
            found: Vec::new(),
            candidates: BinaryHeap::new(),
            numbered: 0,
            deviation: 0,
            kept_bytes: 0,
        }
    }

    /// The next path, or `None` after the last one.
    pub(crate) fn next(&mut self, host: &mut impl PathHost) -> Result<Option<&FoundPath>> {
        let next = if self.found.is_empty() {
            self.search.find(self.start, self.target, host)?
        } else {
            self.deviate(host)?;
            let best = self.candidates.pop();
            best.map(|Reverse(best)| {
                self.deviation = best.deviation;
                best.path
            })
        };
        let Some(path) = next else { return Ok(None) };
        self.kept_bytes += path.memory_bytes();
        self.found.push(path);
        Ok(self.found.last())
    }

    /// Finds the best deviation from the path found last at each of its vertices. Those before the place where it
    /// deviates itself were tried when that was found.
    fn deviate(&mut self, host: &mut impl PathHost) -> Result<()> {
        let Some(last) = self.found.last() else { return Ok(()) };
        for position in self.deviation..last.edges.len() {
            let Some(&spur) = last.vertices.get(position) else { break };
            let mut excluded = Excluded { kept_bytes: self.kept_bytes, ..Excluded::default() };
            excluded.vertices.extend(last.vertices.iter().take(position));
            for path in self.found.iter().filter(|path| has_same_beginning(path, last, position)) {
                if position < path.edges.len() {
                    let (access, key) = path.edge_identity(position);
                    excluded.first_edges.insert((access, key.into()));
                }
            }
            let Some(rest) = self.search.find_without(spur, self.target, &excluded, host)? else { continue };
            let mut path = last.prefix(position);
            path.append(&rest);
            self.kept_bytes += path.memory_bytes();
            let (weight, number) = (path.weight(), self.numbered);
            self.numbered += 1;
            self.candidates.push(Reverse(Candidate { weight, number, path, deviation: position }));
        }
        Ok(())
    }
}

/// Whether two paths have the same first edges.
fn has_same_beginning(left: &FoundPath, right: &FoundPath, edges: usize) -> bool {
    left.edges.len() >= edges
        && left.vertices.get(..=edges) == right.vertices.get(..=edges)
        && (0..edges).all(|position| left.edge_identity(position) == right.edge_identity(position))
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Of equally light ones the one found last comes first, as from ArangoDB.
impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.total_cmp(&other.weight).then(other.number.cmp(&self.number))
    }
}
