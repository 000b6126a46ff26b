//! All paths, lightest first: Yen's algorithm with Lawler's refinement. Paths are computed on
//! demand.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use errors::Result;

use super::{Excluded, FoundPath, PathHost, ShortestPath};
use crate::graph_search::vertices::Vertex;

/// The paths from one vertex to another.
pub(crate) struct KShortestPaths {
    start: Vertex,
    target: Vertex,
    search: ShortestPath,
    /// The paths returned so far.
    found: Vec<FoundPath>,
    /// The best deviations from them.
    candidates: BinaryHeap<Reverse<Candidate>>,
    /// Number of candidates so far.
    numbered: u64,
    /// Position of the vertex at which the last path deviates from the path that it was derived
    /// from.
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

    /// Returns the next path, or `None` after the last one.
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

    /// Finds the best deviation from the last path at each of its vertices.
    ///
    /// Deviations at vertices before its own were tried when the earlier path was found.
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

/// Returns true if two paths have the same first edges.
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

/// Of equally light paths the one found last comes first, as in ArangoDB.
impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.total_cmp(&other.weight).then(other.number.cmp(&self.number))
    }
}
