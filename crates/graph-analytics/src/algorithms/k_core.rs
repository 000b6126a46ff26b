//! K-cores: the densest parts of a graph in which each vertex keeps k neighbours.

use errors::Result;

use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::{Adjacency, Graph};
use crate::parameters::Parameters;
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const K_CORE: Algorithm = Algorithm {
    name: "kCore",
    about: "Finds the greatest k such that a vertex has k neighbours in a part where all have that many.",
    definition: "The k-core is what is left after vertices with fewer than k neighbours are removed, over \
                 and over; the core of a vertex is the greatest k whose k-core has it (Batagelj, \
                 Zaveršnik: An O(m) Algorithm for Cores Decomposition of Networks, 2003). Directions and \
                 loops are ignored, parallel and opposite edges count once, weights have no effect. The \
                 statistic `maxCore` is the degeneracy.",
    parameters: &[],
    columns: &["core"],
    is_by_vertex: true,
    memory: |vertices, edges| vertices * 64 + edges * 36,
    run,
};

/// The edges between two checks of the interrupt.
const EDGES_BETWEEN_CHECKS: usize = 1 << 13;

fn run(graph: &Graph, _: &Parameters, work: &Work) -> Result<Table> {
    let rows = graph.simple_rows(work)?;
    let cores = cores(&rows, work)?;
    let greatest = cores.iter().copied().max().unwrap_or_default();
    let cores = cores.into_iter().map(u64::from).collect();
    let table = Table::by_vertex(work)?.with_column("core", Column::Count(cores))?;
    Ok(table.with_statistic("maxCore", Statistic::Count(u64::from(greatest))))
}

/// Returns the core of each vertex.
fn cores(rows: &Adjacency, work: &Work) -> Result<Vec<u32>> {
    let vertices = rows.vertex_count();
    let _arrays = work.reserve_for::<[u32; 5]>(vertices)?;
    // The number of neighbours that are not removed yet; that of a removed vertex is its core.
    let mut degrees: Vec<u32> = (0..vertices as u32).map(|vertex| rows.degree(vertex) as u32).collect();
    let greatest = degrees.iter().copied().max().unwrap_or_default();
    // The place of the first vertex of each degree in the order of degrees.
    let mut starts = vec![0_u32; greatest as usize + 2];
    degrees.iter().for_each(|degree| starts[*degree as usize + 1] += 1);
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut next = starts.clone();
    let (mut order, mut places) = (vec![0_u32; vertices], vec![0_u32; vertices]);
    for (vertex, degree) in degrees.iter().enumerate() {
        let place = &mut next[*degree as usize];
        order[*place as usize] = vertex as u32;
        places[vertex] = *place;
        *place += 1;
    }
    drop(next);
    let mut edges = 0;
    for place in 0..vertices {
        let vertex = order[place];
        let core = degrees[vertex as usize];
        for to in rows.targets(vertex) {
            let degree = degrees[*to as usize];
            if degree <= core {
                continue;
            }
            // The neighbour changes places with the first of its degree, and so becomes the last of
            // the degree below.
            let (from, first) = (places[*to as usize], starts[degree as usize].max(place as u32 + 1));
            let other = order[first as usize];
            order.swap(from as usize, first as usize);
            (places[*to as usize], places[other as usize]) = (first, from);
            starts[degree as usize] = first + 1;
            degrees[*to as usize] = degree - 1;
        }
        edges += 1 + rows.degree(vertex);
        if edges >= EDGES_BETWEEN_CHECKS {
            work.check()?;
            work.set_progress(place as u64, vertices as u64);
            edges = 0;
        }
    }
    Ok(degrees)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    #[test]
    fn a_clique_with_a_tail_has_two_cores() {
        let edges = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (3, 2), (3, 4), (4, 5), (5, 5), (4, 3)];
        let table = testing::run(&K_CORE, &testing::graph(7, &edges), "{}").unwrap();
        assert_eq!(table.column("core"), Some(&Column::Count(vec![3, 3, 3, 3, 1, 1, 0])));
        assert_eq!(table.statistic("maxCore"), Some(Statistic::Count(3)));
        assert_eq!(testing::run(&K_CORE, &testing::graph(0, &[]), "{}").unwrap().len(), 0);
    }

    proptest! {
        /// Removes vertices for each k anew.
        #[test]
        fn cores_survive_removal(edges in prop::collection::vec((0_u32..14, 0_u32..14), 0..70)) {
            let near = |one: u32, other: u32| {
                one != other && (edges.contains(&(one, other)) || edges.contains(&(other, one)))
            };
            let mut expected = vec![0_u64; 14];
            for k in 1..14 {
                let mut left: Vec<u32> = (0..14).collect();
                loop {
                    let stays = |vertex: &u32| left.iter().filter(|other| near(*vertex, **other)).count() >= k;
                    let kept: Vec<u32> = left.iter().copied().filter(stays).collect();
                    if kept.len() == left.len() {
                        break;
                    }
                    left = kept;
                }
                left.iter().for_each(|vertex| expected[*vertex as usize] = k as u64);
            }
            let table = testing::run(&K_CORE, &testing::graph(14, &edges), "{}").unwrap();
            prop_assert_eq!(table.column("core"), Some(&Column::Count(expected)));
        }
    }
}
