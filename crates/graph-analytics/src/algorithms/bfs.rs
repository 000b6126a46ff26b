//! Breadth-first search: the number of edges from one vertex to each other.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use errors::Result;
use rayon::prelude::*;

use crate::algorithm::Algorithm;
use crate::column::{Column, NO_COUNT, NO_VERTEX};
use crate::graph::{Direction, Graph, Sides};
use crate::parallel::CHUNK;
use crate::parameters::{DIRECTION, Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const BFS: Algorithm = Algorithm {
    name: "bfs",
    about: "Finds the least number of edges from a vertex to each other, and the vertex before it.",
    definition: "The level of the source is 0, that of any other vertex one more than the least \
                 level of a vertex with an edge to it. The parent is the vertex with the smallest \
                 number among those of the level before. Unreachable vertices have neither. Edges \
                 are followed from the frontier, or from unvisited vertices while the frontier has \
                 many edges (Beamer, Asanović, Patterson: Direction-Optimizing Breadth-First \
                 Search, 2012). Loops, parallel edges and weights have no effect.",
    parameters: &[
        Parameter { name: "source", kind: Kind::Vertex, about: "The vertex at which the search begins." },
        DIRECTION,
    ],
    columns: &["level", "parent"],
    is_by_vertex: true,
    memory: |vertices, edges| vertices * 32 + edges * 12,
    run,
};

/// The level of a vertex that was not reached.
pub(super) const UNREACHED: u32 = u32::MAX;

/// A frontier whose edges exceed this part of the edges of unvisited vertices is left to those.
const UPWARD_PART: u64 = 14;

/// A frontier smaller than this part of all vertices is followed from itself again.
const DOWNWARD_PART: u64 = 24;

/// The vertices of a frontier that a thread takes at a time.
const FRONTIER_CHUNK: usize = 512;

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let found = search(graph, parameters.vertex("source"), parameters.direction(), work)?;
    let mut levels = Vec::with_capacity(found.levels.len());
    levels.extend(found.levels.iter().map(|level| match level {
        &UNREACHED => NO_COUNT,
        level => u64::from(*level),
    }));
    let table = Table::by_vertex(work)?
        .with_column("level", Column::Count(levels))?
        .with_column("parent", Column::Vertex(found.parents))?;
    Ok(table
        .with_statistic("reached", Statistic::Count(found.reached))
        .with_statistic("maxLevel", Statistic::Count(u64::from(found.max_level))))
}

/// The result of a search.
pub(super) struct Found {
    /// The level of each vertex, or [`UNREACHED`].
    pub(super) levels: Vec<u32>,
    /// The vertex before each, or `NO_VERTEX` for the source and unreached vertices.
    pub(super) parents: Vec<u32>,
    /// The number of vertices that were reached.
    pub(super) reached: u64,
    /// The greatest level.
    pub(super) max_level: u32,
}

/// Searches from a vertex of the graph.
pub(super) fn search(graph: &Graph, source: u32, direction: Direction, work: &Work) -> Result<Found> {
    let vertices = graph.vertex_count();
    if source as usize >= vertices {
        return Ok(Found { levels: Vec::new(), parents: Vec::new(), reached: 0, max_level: 0 });
    }
    let _arrays = work.reserve_for::<[u32; 3]>(vertices)?;
    let mut state = State {
        ahead: graph.sides(work, direction)?,
        behind: graph.sides(work, direction.reversed())?,
        levels: unset(vertices),
        parents: unset(vertices),
        work,
    };
    let mut unvisited_edges = graph.edge_count();
    let mut frontier = Frontier::List(vec![source]);
    state.levels[source as usize] = AtomicU32::new(0);
    let (mut level, mut reached, mut size) = (0, 1, 1_u64);
    while size > 0 {
        let edges = state.edges_of(&frontier)?;
        let goes_up = match &frontier {
            Frontier::List(_) => edges > unvisited_edges / UPWARD_PART,
            Frontier::Bits(_) => size > vertices as u64 / DOWNWARD_PART,
        };
        unvisited_edges = unvisited_edges.saturating_sub(edges);
        level += 1;
        (frontier, size) = if goes_up {
            state.step_up(&frontier.into_bits(vertices), level)?
        } else {
            state.step_down(&frontier.into_list(size), level)?
        };
        reached += size;
        work.set_progress(reached, vertices as u64);
    }
    Ok(Found {
        levels: state.levels.into_iter().map(AtomicU32::into_inner).collect(),
        parents: state.parents.into_iter().map(AtomicU32::into_inner).collect(),
        reached,
        max_level: level.saturating_sub(1),
    })
}

fn unset(vertices: usize) -> Vec<AtomicU32> {
    (0..vertices).into_par_iter().map(|_| AtomicU32::new(UNREACHED)).collect()
}

/// The vertices of a level: their numbers, or a bit for each vertex of the graph.
enum Frontier {
    List(Vec<u32>),
    Bits(Vec<u64>),
}

struct State<'g> {
    ahead: Sides<'g>,
    behind: Sides<'g>,
    levels: Vec<AtomicU32>,
    parents: Vec<AtomicU32>,
    work: &'g Work,
}

impl State<'_> {
    /// Returns the number of edges ahead of a frontier; of one in bits, none are counted.
    fn edges_of(&self, frontier: &Frontier) -> Result<u64> {
        let Frontier::List(list) = frontier else { return Ok(0) };
        let parts = list.par_chunks(CHUNK).map(|part| {
            self.work.check()?;
            Ok(part.iter().map(|vertex| self.ahead.degree(*vertex) as u64).sum::<u64>())
        });
        parts.try_reduce(|| 0, |a, b| Ok(a + b))
    }

    /// Follows the edges of the frontier.
    fn step_down(&self, frontier: &[u32], level: u32) -> Result<(Frontier, u64)> {
        let parts: Result<Vec<Vec<u32>>> = frontier
            .par_chunks(FRONTIER_CHUNK)
            .map(|part| {
                let mut next = Vec::new();
                for vertex in part {
                    self.work.check()?;
                    for rows in self.ahead.iter() {
                        rows.targets(*vertex)
                            .iter()
                            .for_each(|to| self.visit(*vertex, *to, level, &mut next));
                    }
                }
                Ok(next)
            })
            .collect();
        let next = parts?.concat();
        let size = next.len() as u64;
        Ok((Frontier::List(next), size))
    }

    fn visit(&self, from: u32, to: u32, level: u32, next: &mut Vec<u32>) {
        let seen = &self.levels[to as usize];
        let mut its_level = seen.load(Ordering::Relaxed);
        if its_level == UNREACHED {
            match seen.compare_exchange(UNREACHED, level, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    next.push(to);
                    its_level = level;
                }
                Err(others) => its_level = others,
            }
        }
        if its_level == level && self.parents[to as usize].load(Ordering::Relaxed) > from {
            self.parents[to as usize].fetch_min(from, Ordering::Relaxed);
        }
    }

    /// Looks for the frontier behind each unvisited vertex.
    fn step_up(&mut self, frontier: &[u64], level: u32) -> Result<(Frontier, u64)> {
        let mut next = vec![0_u64; frontier.len()];
        let (behind, work) = (self.behind, self.work);
        let words = CHUNK / 64;
        let parts = next
            .par_chunks_mut(words)
            .zip(self.levels.par_chunks_mut(CHUNK))
            .zip(self.parents.par_chunks_mut(CHUNK))
            .enumerate()
            .map(|(i, ((next, levels), parents))| {
                work.check()?;
                let mut found = 0_u64;
                for (j, (its_level, parent)) in levels.iter_mut().zip(parents).enumerate() {
                    if *its_level.get_mut() != UNREACHED {
                        continue;
                    }
                    let vertex = (i * CHUNK + j) as u32;
                    let first_of =
                        |targets: &[u32]| targets.iter().copied().find(|from| is_set(frontier, *from));
                    let from = behind.iter().filter_map(|rows| first_of(rows.targets(vertex))).min();
                    if let Some(from) = from {
                        *its_level.get_mut() = level;
                        *parent.get_mut() = from;
                        next[j / 64] |= 1 << (j % 64);
                        found += 1;
                    }
                }
                Ok::<u64, errors::Error>(found)
            });
        let size = parts.try_reduce(|| 0, |a, b| Ok(a + b))?;
        Ok((Frontier::Bits(next), size))
    }
}

fn is_set(bits: &[u64], vertex: u32) -> bool {
    bits[vertex as usize / 64] >> (vertex % 64) & 1 == 1
}

impl Frontier {
    fn into_bits(self, vertices: usize) -> Vec<u64> {
        let list = match self {
            Frontier::Bits(bits) => return bits,
            Frontier::List(list) => list,
        };
        let mut bits: Vec<AtomicU64> = Vec::new();
        bits.resize_with(vertices.div_ceil(64), AtomicU64::default);
        list.par_iter().for_each(|vertex| {
            bits[*vertex as usize / 64].fetch_or(1 << (vertex % 64), Ordering::Relaxed);
        });
        bits.into_iter().map(AtomicU64::into_inner).collect()
    }

    fn into_list(self, size: u64) -> Vec<u32> {
        let bits = match self {
            Frontier::List(list) => return list,
            Frontier::Bits(bits) => bits,
        };
        let mut list = Vec::with_capacity(size as usize);
        for (i, mut word) in bits.into_iter().enumerate() {
            while word != 0 {
                list.push(i as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
        list
    }
}

const _: () = assert!(UNREACHED == NO_VERTEX && CHUNK.is_multiple_of(64));

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn levels(vertices: usize, edges: &[(u32, u32)], parameters: &str) -> (Vec<u64>, Vec<u32>) {
        let graph = testing::graph(vertices, edges);
        let table = testing::run(&BFS, &graph, parameters).unwrap();
        match (table.column("level"), table.column("parent")) {
            (Some(Column::Count(levels)), Some(Column::Vertex(parents))) => (levels.clone(), parents.clone()),
            _ => panic!("wrong columns"),
        }
    }

    #[test]
    fn directions_decide_what_is_reached() {
        let edges = [(0, 1), (1, 2), (3, 1), (0, 0), (0, 1)];
        let none = (NO_COUNT, NO_VERTEX);
        let along = (vec![0, 1, 2, none.0], vec![none.1, 0, 1, none.1]);
        assert_eq!(levels(4, &edges, r#"{"source": 0}"#), along);
        let against = (vec![1, 0, none.0, 1], vec![1, none.1, none.1, 1]);
        assert_eq!(levels(4, &edges, r#"{"source": 1, "direction": "inbound"}"#), against);
        let both = (vec![0, 1, 2, 2], vec![none.1, 0, 1, 1]);
        assert_eq!(levels(4, &edges, r#"{"source": 0, "direction": "any"}"#), both);
    }

    #[test]
    fn a_source_that_is_no_vertex_is_refused() {
        assert!(testing::run(&BFS, &testing::graph(0, &[]), r#"{"source": 0}"#).is_err());
        assert_eq!(levels(1, &[], r#"{"source": 0}"#), (vec![0], vec![NO_VERTEX]));
    }

    proptest! {
        /// Relaxes all edges again and again, as Bellman and Ford do.
        #[test]
        fn levels_are_least(edges in prop::collection::vec((0_u32..30, 0_u32..30), 0..90), any: bool) {
            let mut expected = [NO_COUNT; 30];
            expected[7] = 0;
            for _ in 0..30 {
                for (from, to) in &edges {
                    let (from, to) = (*from as usize, *to as usize);
                    expected[to] = expected[to].min(expected[from].saturating_add(1));
                    if any {
                        expected[from] = expected[from].min(expected[to].saturating_add(1));
                    }
                }
            }
            let direction = if any { "any" } else { "outbound" };
            let (levels, parents) =
                levels(30, &edges, &format!(r#"{{"source": 7, "direction": "{direction}"}}"#));
            prop_assert_eq!(&levels[..], &expected[..]);
            for vertex in 0..30_u32 {
                let is_before = |from: u32| levels[from as usize].wrapping_add(1) == levels[vertex as usize];
                let smallest = edges
                    .iter()
                    .flat_map(|(from, to)| [(*from, *to), if any { (*to, *from) } else { (*from, *to) }])
                    .filter(|(from, to)| *to == vertex && levels[*from as usize] != NO_COUNT && is_before(*from))
                    .map(|(from, _)| from)
                    .min();
                prop_assert_eq!(parents[vertex as usize], smallest.unwrap_or(NO_VERTEX));
            }
        }
    }
}
