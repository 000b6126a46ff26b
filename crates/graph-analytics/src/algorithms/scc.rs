//! Strongly connected components: vertices that reach each other along edges.

use errors::Result;

use super::{bfs, components};
use crate::algorithm::Algorithm;
use crate::column::NO_VERTEX;
use crate::graph::{Adjacency, Direction, Graph};
use crate::parallel;
use crate::parameters::Parameters;
use crate::table::Table;
use crate::work::Work;

pub(super) const SCC: Algorithm = Algorithm {
    name: "scc",
    about: "Finds the components whose vertices reach each other along edges.",
    definition: "Components are numbered from 0 in the order of their first vertices. The component of \
                 a vertex with many edges is found by two searches from it (Fleischer, Hendrickson, \
                 Pınar: On Identifying Strongly Connected Components in Parallel, 2000), the others by \
                 one depth-first search (Tarjan 1972, with the memory of Pearce 2016). Loops, parallel \
                 edges and weights have no effect.",
    parameters: &[],
    columns: &["component"],
    is_by_vertex: true,
    memory: |vertices, edges| vertices * 56 + edges * 12,
    run,
};

/// The steps of the depth-first search between two checks of the interrupt.
const STEPS_BETWEEN_CHECKS: u32 = 4_096;

/// The position of a vertex in the depth-first search whose component is known.
const DONE: u32 = u32::MAX;

fn run(graph: &Graph, _: &Parameters, work: &Work) -> Result<Table> {
    let names = names(graph, work)?;
    components::table(&names, work)
}

/// Returns the name of each vertex's component, which is one of its vertices.
fn names(graph: &Graph, work: &Work) -> Result<Vec<u32>> {
    let vertices = graph.vertex_count();
    let _arrays = work.reserve_for::<[u32; 7]>(vertices)?;
    let mut names = vec![NO_VERTEX; vertices];
    name_largest(graph, &mut names, work)?;
    work.set_progress(1, 2);
    let mut search = DepthFirst {
        rows: graph.outgoing(),
        lows: names.iter().map(|name| if *name == NO_VERTEX { 0 } else { DONE }).collect(),
        names,
        frames: Vec::new(),
        stack: Vec::new(),
        next_position: 1,
    };
    for start in 0..vertices as u32 {
        if search.lows[start as usize] == 0 {
            search.from(start, work)?;
        }
        if start % STEPS_BETWEEN_CHECKS == 0 {
            work.check()?;
        }
    }
    Ok(search.names)
}

/// Names the component of a vertex whose edges promise that it is the largest.
fn name_largest(graph: &Graph, names: &mut [u32], work: &Work) -> Result<()> {
    let (outgoing, incoming) = (graph.outgoing(), graph.incoming(work)?);
    let product = |vertex: u32| outgoing.degree(vertex) as u64 * incoming.degree(vertex) as u64;
    let pivot = (0..names.len() as u32).max_by_key(|vertex| product(*vertex));
    let Some(pivot) = pivot.filter(|pivot| product(*pivot) > 0) else { return Ok(()) };
    let after = bfs::search(graph, pivot, Direction::Outbound, work)?.levels;
    let _after = work.reserve_for::<u32>(after.len())?;
    let before = bfs::search(graph, pivot, Direction::Inbound, work)?.levels;
    parallel::fill(work, names, |first, part| {
        for (name, vertex) in part.iter_mut().zip(first..) {
            if after[vertex] != bfs::UNREACHED && before[vertex] != bfs::UNREACHED {
                *name = pivot;
            }
        }
        Ok(())
    })
}

/// A depth-first search without recursion.
struct DepthFirst<'g> {
    rows: &'g Adjacency,
    names: Vec<u32>,
    /// The least position that is known to be reachable from each vertex: 0 before its visit,
    /// [`DONE`] once its component is known.
    lows: Vec<u32>,
    /// The path from the start to the current vertex.
    frames: Vec<Frame>,
    /// Vertices left by the search whose components are not known yet.
    stack: Vec<u32>,
    next_position: u32,
}

struct Frame {
    vertex: u32,
    position: u32,
    /// The edges that were followed.
    followed: u64,
}

impl DepthFirst<'_> {
    fn from(&mut self, start: u32, work: &Work) -> Result<()> {
        self.enter(start);
        let mut steps = 0;
        while let Some(frame) = self.frames.last_mut() {
            let vertex = frame.vertex;
            let rest = self.rows.targets(vertex).get(frame.followed as usize..).unwrap_or_default();
            let rest = &rest[..rest.len().min(STEPS_BETWEEN_CHECKS as usize)];
            let mut low = self.lows[vertex as usize];
            let mut unvisited = None;
            for to in rest {
                frame.followed += 1;
                match self.lows[*to as usize] {
                    0 => {
                        unvisited = Some(*to);
                        break;
                    }
                    its_low => low = low.min(its_low),
                }
            }
            self.lows[vertex as usize] = low;
            steps += 1 + rest.len() as u32 / 64;
            if steps >= STEPS_BETWEEN_CHECKS {
                work.check()?;
                steps = 0;
            }
            match unvisited {
                Some(to) => self.enter(to),
                None if rest.is_empty() => self.leave(),
                None => {}
            }
        }
        Ok(())
    }

    fn enter(&mut self, vertex: u32) {
        self.lows[vertex as usize] = self.next_position;
        self.frames.push(Frame { vertex, position: self.next_position, followed: 0 });
        self.next_position += 1;
    }

    /// Leaves the last vertex of the path. One that reaches no earlier position is the first of its
    /// component, to which all later ones belong.
    fn leave(&mut self) {
        let Some(Frame { vertex, position, .. }) = self.frames.pop() else { return };
        let low = self.lows[vertex as usize];
        self.stack.push(vertex);
        if low < position {
            if let Some(before) = self.frames.last() {
                let its_low = &mut self.lows[before.vertex as usize];
                *its_low = low.min(*its_low);
            }
            return;
        }
        while let Some(member) = self.stack.pop_if(|member| self.lows[*member as usize] >= position) {
            self.names[member as usize] = vertex;
            self.lows[member as usize] = DONE;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::column::Column;
    use crate::table::Statistic;
    use crate::testing;

    #[test]
    fn a_cycle_is_one_component() {
        let graph = testing::graph(6, &[(5, 4), (1, 2), (2, 3), (3, 1), (3, 4), (0, 1), (4, 4)]);
        let table = testing::run(&SCC, &graph, "{}").unwrap();
        assert_eq!(table.column("component"), Some(&Column::Count(vec![0, 1, 1, 1, 2, 3])));
        assert_eq!(table.statistic("components"), Some(Statistic::Count(4)));
        assert_eq!(table.statistic("largest"), Some(Statistic::Count(3)));
        assert_eq!(testing::run(&SCC, &testing::graph(0, &[]), "{}").unwrap().len(), 0);
    }

    #[test]
    fn a_long_path_needs_no_recursion() {
        let edges: Vec<(u32, u32)> = (0..200_000).map(|vertex| (vertex, vertex + 1)).collect();
        let table = testing::run(&SCC, &testing::graph(200_001, &edges), "{}").unwrap();
        assert_eq!(table.statistic("components"), Some(Statistic::Count(200_001)));
    }

    proptest! {
        /// Compares with the transitive closure by Warshall.
        #[test]
        fn members_reach_each_other(edges in prop::collection::vec((0_u32..14, 0_u32..14), 0..40)) {
            let mut reaches = [[false; 14]; 14];
            (0..14).for_each(|vertex| reaches[vertex][vertex] = true);
            edges.iter().for_each(|(from, to)| reaches[*from as usize][*to as usize] = true);
            for middle in 0..14 {
                for from in 0..14 {
                    for to in 0..14 {
                        reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
                    }
                }
            }
            let names = names(&testing::graph(14, &edges), &Work::default()).unwrap();
            for one in 0..14 {
                for other in 0..14 {
                    prop_assert_eq!(names[one] == names[other], reaches[one][other] && reaches[other][one]);
                }
            }
        }
    }
}
