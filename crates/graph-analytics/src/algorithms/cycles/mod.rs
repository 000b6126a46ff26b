//! Cycles of directed graphs.

mod strong;

use errors::Result;

use crate::algorithm::Algorithm;
use crate::column::{Column, Lists, NO_VERTEX};
use crate::graph::{Adjacency, Graph};
use crate::parameters::{Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::{Checks, Work};

pub(super) const CYCLES: Algorithm = Algorithm {
    name: "cycles",
    about: "Finds a cycle in each part of the graph that has one.",
    definition: "Each strongly connected component with a cycle has one row: a shortest cycle \
                 through its first vertex. The list begins with that vertex and follows edges; the \
                 last one leads back to the first. A loop is a cycle of one vertex, and two opposite \
                 edges are one of two. Weights and parallel edges make no difference. Rows are in \
                 the order of first vertices.",
    parameters: &[Parameter {
        name: "max",
        kind: Kind::Count { default: 1_000, min: 1, max: u32::MAX as u64 },
        about: "Maximum number of cycles.",
    }],
    columns: &["cycle"],
    is_by_vertex: false,
    memory: |vertices, _| vertices * 112,
    run,
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let (vertices, rows) = (graph.vertex_count(), graph.outgoing());
    let _charge = work.reserve_for::<[u32; 8]>(vertices)?;
    let components = strong::components(rows, work)?;
    let mut sizes = vec![0_u32; vertices];
    components.iter().for_each(|component| sizes[*component as usize] += 1);
    let has_loop = |vertex: u32| rows.targets(vertex).binary_search(&vertex).is_ok();
    let mut search =
        Search { before: vec![NO_VERTEX; vertices], order: Vec::new(), checks: Checks::default() };
    let mut cycles = Lists::default();
    let mut cyclic_components = 0;
    for vertex in 0..vertices as u32 {
        if vertex % 4_096 == 0 {
            work.check()?;
        }
        // The first vertex of a component takes its size away.
        let size = std::mem::take(&mut sizes[components[vertex as usize] as usize]);
        if size == 0 || (size == 1 && !has_loop(vertex)) {
            continue;
        }
        cyclic_components += 1;
        if (cycles.len() as u64) < parameters.count("max") {
            cycles.push(search.cycle_through(rows, work, &components, vertex)?);
        }
    }
    Ok(Table::of_rows(work)?
        .with_column("cycle", Column::Vertices(cycles))?
        .with_statistic("isAcyclic", Statistic::Flag(cyclic_components == 0))
        .with_statistic("cyclicComponents", Statistic::Count(cyclic_components)))
}

struct Search {
    /// The vertex from which each was reached.
    before: Vec<u32>,
    order: Vec<u32>,
    checks: Checks,
}

impl Search {
    /// Returns a shortest cycle through a vertex, which is on one within its component.
    fn cycle_through(
        &mut self,
        rows: &Adjacency,
        work: &Work,
        components: &[u32],
        start: u32,
    ) -> Result<Vec<u32>> {
        self.order.clear();
        self.order.push(start);
        self.before[start as usize] = start;
        let mut done = 0;
        while let Some(vertex) = self.order.get(done).copied() {
            done += 1;
            self.checks.note(work, rows.degree(vertex) + 1)?;
            for target in rows.targets(vertex) {
                if *target == start {
                    return Ok(self.path_to(vertex, start));
                }
                let is_inside = components[*target as usize] == components[start as usize];
                if is_inside && self.before[*target as usize] == NO_VERTEX {
                    self.before[*target as usize] = vertex;
                    self.order.push(*target);
                }
            }
        }
        Ok(Vec::new())
    }

    fn path_to(&self, end: u32, start: u32) -> Vec<u32> {
        let mut path = vec![end];
        let mut vertex = end;
        while vertex != start {
            vertex = self.before[vertex as usize];
            path.push(vertex);
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn cycles(graph: &Graph, parameters: &str) -> (Vec<Vec<u32>>, Option<Statistic>) {
        let table = testing::run(&CYCLES, graph, parameters).unwrap();
        let Some(Column::Vertices(lists)) = table.column("cycle") else { panic!("no column") };
        let lists = (0..lists.len()).map(|i| lists.get(i).to_vec()).collect();
        (lists, table.statistic("cyclicComponents"))
    }

    #[test]
    fn each_component_has_one_cycle() {
        let graph =
            testing::graph(8, &[(0, 1), (1, 2), (2, 1), (3, 3), (4, 5), (5, 6), (6, 4), (5, 4), (2, 3)]);
        let expected = vec![vec![1, 2], vec![3], vec![4, 5]];
        assert_eq!(cycles(&graph, "{}"), (expected.clone(), Some(Statistic::Count(3))));
        assert_eq!(cycles(&graph, r#"{"max": 2}"#), (expected[..2].to_vec(), Some(Statistic::Count(3))));
    }

    #[test]
    fn small_graphs_have_cycles_of_loops() {
        assert_eq!(cycles(&testing::graph(0, &[]), "{}").0.len(), 0);
        assert_eq!(cycles(&testing::graph(1, &[(0, 0)]), "{}").0, [[0]]);
        assert_eq!(cycles(&testing::graph(2, &[(0, 1)]), "{}").0.len(), 0);
    }

    #[test]
    fn a_long_ring_needs_no_stack() {
        let edges: Vec<(u32, u32)> = (0..200_000).map(|vertex| (vertex, (vertex + 1) % 200_000)).collect();
        let (cycles, _) = cycles(&testing::graph(200_000, &edges), "{}");
        assert_eq!(cycles, [(0..200_000).collect::<Vec<u32>>()]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn cycles_are_shortest_and_one_each(edges in prop::collection::vec((0_u32..10, 0_u32..10), 0..25)) {
            let mut lengths = [[1_000; 10]; 10];
            edges.iter().for_each(|(from, to)| lengths[*from as usize][*to as usize] = 1);
            for via in 0..10 {
                for a in 0..10 {
                    for b in 0..10 {
                        lengths[a][b] = lengths[a][b].min(lengths[a][via] + lengths[via][b]);
                    }
                }
            }
            let is_first = |vertex: &usize| {
                lengths[*vertex][*vertex] < 1_000
                    && (0..*vertex).all(|a| lengths[a][*vertex] + lengths[*vertex][a] >= 1_000)
            };
            let expected: Vec<(usize, usize)> =
                (0..10).filter(is_first).map(|vertex| (vertex, lengths[vertex][vertex])).collect();
            let (cycles, _) = cycles(&testing::graph(10, &edges), "{}");
            let found: Vec<(usize, usize)> =
                cycles.iter().map(|cycle| (cycle[0] as usize, cycle.len())).collect();
            prop_assert_eq!(found, expected);
            for cycle in &cycles {
                for (i, from) in cycle.iter().enumerate() {
                    prop_assert!(edges.contains(&(*from, cycle[(i + 1) % cycle.len()])));
                }
            }
        }
    }
}
