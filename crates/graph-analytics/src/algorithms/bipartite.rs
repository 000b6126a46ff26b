//! Bipartite graphs.

use errors::Result;

use super::shared::reach::Reach;
use crate::algorithm::Algorithm;
use crate::column::{Column, NO_COUNT};
use crate::graph::{Direction, Graph};
use crate::parameters::Parameters;
use crate::table::{Statistic, Table};
use crate::work::{Checks, Work};

pub(super) const BIPARTITE: Algorithm = Algorithm {
    name: "bipartite",
    about: "Divides the vertices into two sides so that each edge leads from one to the other.",
    definition: "A breadth-first search in each connected component; its first vertex is on side 0. \
                 Vertices of a component with an odd cycle have no side. A loop is an odd cycle. \
                 Directions, weights and parallel edges make no difference.",
    parameters: &[],
    columns: &["side"],
    is_by_vertex: true,
    memory: |vertices, edges| edges * 12 + vertices * 40,
    run,
};

fn run(graph: &Graph, _: &Parameters, work: &Work) -> Result<Table> {
    const UNKNOWN: u8 = 2;
    const NONE: u8 = 3;
    let vertices = graph.vertex_count();
    let reach = Reach::new(graph, work, Direction::Any)?;
    let _charge = work.reserve_for::<(u8, u32, u64)>(vertices)?;
    let mut sides = vec![UNKNOWN; vertices];
    let mut order: Vec<u32> = Vec::with_capacity(vertices);
    let (mut components, mut odd_components, mut checks) = (0, 0, Checks::default());
    for root in 0..vertices as u32 {
        if sides[root as usize] != UNKNOWN {
            continue;
        }
        components += 1;
        let mut is_odd = false;
        order.clear();
        order.push(root);
        sides[root as usize] = 0;
        let mut done = 0;
        while let Some(vertex) = order.get(done).copied() {
            done += 1;
            checks.note(work, reach.degree(vertex) + 1)?;
            let own = sides[vertex as usize];
            for target in reach.targets(vertex) {
                let side = &mut sides[target as usize];
                if *side == UNKNOWN {
                    *side = 1 - own;
                    order.push(target);
                }
                is_odd |= *side == own;
            }
        }
        if is_odd {
            odd_components += 1;
            order.iter().for_each(|vertex| sides[*vertex as usize] = NONE);
        }
    }
    let side_of = |side: &u8| if *side == NONE { NO_COUNT } else { u64::from(*side) };
    Ok(Table::by_vertex(work)?
        .with_column("side", Column::Count(sides.iter().map(side_of).collect()))?
        .with_statistic("isBipartite", Statistic::Flag(odd_components == 0))
        .with_statistic("components", Statistic::Count(components))
        .with_statistic("oddComponents", Statistic::Count(odd_components)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn sides(graph: &Graph) -> (Vec<u64>, bool) {
        let table = testing::run(&BIPARTITE, graph, "{}").unwrap();
        let Some(Column::Count(values)) = table.column("side") else { panic!("no column") };
        (values.clone(), table.statistic("isBipartite") == Some(Statistic::Flag(true)))
    }

    #[test]
    fn odd_components_have_no_sides() {
        assert_eq!(sides(&testing::graph(4, &[(1, 0), (1, 2), (2, 3), (3, 2)])), (vec![0, 1, 0, 1], true));
        let graph = testing::graph(6, &[(0, 1), (1, 2), (2, 0), (3, 4)]);
        assert_eq!(sides(&graph), (vec![NO_COUNT, NO_COUNT, NO_COUNT, 0, 1, 0], false));
        assert_eq!(sides(&testing::graph(1, &[(0, 0)])), (vec![NO_COUNT], false));
        assert_eq!(sides(&testing::graph(0, &[])), (vec![], true));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn sides_exist_if_any_division_fits(edges in prop::collection::vec((0_u32..8, 0_u32..8), 0..10)) {
            let (sides, is_bipartite) = sides(&testing::graph(8, &edges));
            let fits = |division: u32| edges.iter().all(|(a, b)| (division >> a ^ division >> b) & 1 == 1);
            prop_assert_eq!(is_bipartite, (0..256).any(fits));
            for (from, to) in &edges {
                let (from, to) = (sides[*from as usize], sides[*to as usize]);
                prop_assert!([(0, 1), (1, 0), (NO_COUNT, NO_COUNT)].contains(&(from, to)));
            }
        }
    }
}
