//! Topological order.

use errors::Result;

use crate::algorithm::Algorithm;
use crate::column::{Column, NO_COUNT};
use crate::graph::Graph;
use crate::parameters::Parameters;
use crate::table::{Statistic, Table};
use crate::work::{CHECK_EVERY, Checks, Work};

pub(super) const TOPOLOGICAL_ORDER: Algorithm = Algorithm {
    name: "topologicalOrder",
    about: "Numbers the vertices so that each edge leads to a greater number.",
    definition: "Kahn (1962): positions from 0; a vertex gets one once all that lead to it have one. \
                 Vertices on a cycle, and those to which a path from a cycle leads, have no \
                 position. A loop is a cycle. Weights and parallel edges make no difference.",
    parameters: &[],
    columns: &["position"],
    is_by_vertex: true,
    memory: |vertices, _| vertices * 24,
    run,
};

fn run(graph: &Graph, _: &Parameters, work: &Work) -> Result<Table> {
    let (vertices, outgoing) = (graph.vertex_count(), graph.outgoing());
    let _charge = work.reserve_for::<(u64, u32)>(vertices)?;
    // The edges that lead to each vertex from vertices without a position.
    let mut waiting = vec![0_u64; vertices];
    for targets in outgoing.all_targets().chunks(CHECK_EVERY) {
        work.check()?;
        targets.iter().for_each(|target| waiting[*target as usize] += 1);
    }
    let mut order: Vec<u32> = Vec::with_capacity(vertices);
    order.extend((0..vertices as u32).filter(|vertex| waiting[*vertex as usize] == 0));
    let (mut done, mut checks) = (0, Checks::default());
    while let Some(vertex) = order.get(done).copied() {
        done += 1;
        checks.note(work, outgoing.degree(vertex) + 1)?;
        for target in outgoing.targets(vertex) {
            let waiting = &mut waiting[*target as usize];
            *waiting -= 1;
            if *waiting == 0 {
                order.push(*target);
            }
        }
    }
    let mut positions = waiting;
    positions.fill(NO_COUNT);
    order.iter().zip(0..).for_each(|(vertex, position)| positions[*vertex as usize] = position);
    Ok(Table::by_vertex(work)?
        .with_column("position", Column::Count(positions))?
        .with_statistic("isAcyclic", Statistic::Flag(order.len() == vertices))
        .with_statistic("ordered", Statistic::Count(order.len() as u64)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn positions(graph: &Graph) -> (Vec<u64>, bool) {
        let table = testing::run(&TOPOLOGICAL_ORDER, graph, "{}").unwrap();
        let Some(Column::Count(values)) = table.column("position") else { panic!("no column") };
        (values.clone(), table.statistic("isAcyclic") == Some(Statistic::Flag(true)))
    }

    #[test]
    fn vertices_behind_a_cycle_have_no_position() {
        assert_eq!(
            positions(&testing::graph(4, &[(3, 1), (1, 0), (3, 0), (3, 0)])),
            (vec![3, 2, 0, 1], true)
        );
        let graph = testing::graph(5, &[(0, 1), (1, 2), (2, 1), (2, 3)]);
        assert_eq!(positions(&graph), (vec![0, NO_COUNT, NO_COUNT, NO_COUNT, 1], false));
        assert_eq!(positions(&testing::graph(1, &[(0, 0)])), (vec![NO_COUNT], false));
        assert_eq!(positions(&testing::graph(0, &[])), (vec![], true));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn edges_lead_to_greater_positions(edges in prop::collection::vec((0_u32..10, 0_u32..10), 0..20)) {
            let (positions, is_acyclic) = positions(&testing::graph(10, &edges));
            let mut reaches = [[false; 10]; 10];
            edges.iter().for_each(|(from, to)| reaches[*from as usize][*to as usize] = true);
            for via in 0..10 {
                for a in 0..10 {
                    for b in 0..10 {
                        reaches[a][b] |= reaches[a][via] && reaches[via][b];
                    }
                }
            }
            prop_assert_eq!(is_acyclic, (0..10).all(|vertex| !reaches[vertex][vertex]));
            for vertex in 0..10 {
                let is_behind = (0..10).any(|a| reaches[a][a] && (a == vertex || reaches[a][vertex]));
                prop_assert_eq!(positions[vertex] == NO_COUNT, is_behind);
            }
            for (from, to) in &edges {
                let (from, to) = (positions[*from as usize], positions[*to as usize]);
                prop_assert!(from < to || to == NO_COUNT);
            }
            let mut numbers: Vec<u64> = positions.into_iter().filter(|number| *number != NO_COUNT).collect();
            numbers.sort_unstable();
            prop_assert!(numbers.iter().copied().eq(0..numbers.len() as u64));
        }
    }
}
