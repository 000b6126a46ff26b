//! Degree: the number of edges at each vertex.

use errors::Result;

use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::{Direction, Graph};
use crate::parallel;
use crate::parameters::{DIRECTION, Parameters};
use crate::table::{Statistic, Table};
use crate::work::Work;

pub(super) const DEGREE: Algorithm = Algorithm {
    name: "degree",
    about: "Counts the edges at each vertex, and sums their weights.",
    definition: "Loops count in either direction, and so twice in direction `any`. Parallel edges \
                 count one by one.",
    parameters: &[DIRECTION],
    columns: &["degree", "weight"],
    is_by_vertex: true,
    memory: |vertices, edges| vertices * 16 + edges * 12,
    run,
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    let directions: &[Direction] = match parameters.direction() {
        Direction::Outbound => &[Direction::Outbound],
        Direction::Inbound => &[Direction::Inbound],
        Direction::Any => &[Direction::Outbound, Direction::Inbound],
    };
    let mut degrees = vec![0_u64; graph.vertex_count()];
    let mut weights = vec![0.0_f64; graph.vertex_count()];
    for direction in directions {
        let rows = graph.rows(work, *direction)?;
        parallel::fill(work, &mut degrees, |first, part| {
            part.iter_mut()
                .zip(first..)
                .for_each(|(degree, vertex)| *degree += rows.degree(vertex as u32) as u64);
            Ok(())
        })?;
        parallel::fill(work, &mut weights, |first, part| {
            let weight_of = |vertex: usize| rows.edges(vertex as u32).map(|(_, weight)| weight).sum::<f64>();
            part.iter_mut().zip(first..).for_each(|(weight, vertex)| *weight += weight_of(vertex));
            Ok(())
        })?;
    }
    let (min, max) = (degrees.iter().min().copied(), degrees.iter().max().copied());
    let table = Table::by_vertex(work)?
        .with_column("degree", Column::Count(degrees))?
        .with_column("weight", Column::Number(weights))?;
    Ok(table
        .with_statistic("min", Statistic::Count(min.unwrap_or_default()))
        .with_statistic("max", Statistic::Count(max.unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_loop_counts_twice_in_both_directions() {
        let graph = testing::graph(3, &[(0, 0), (0, 1), (0, 1)]);
        let degrees = |direction: &str| {
            let parameters = format!(r#"{{"direction": "{direction}"}}"#);
            testing::run(&DEGREE, &graph, &parameters).unwrap().column("degree").cloned()
        };
        assert_eq!(degrees("outbound"), Some(Column::Count(vec![3, 0, 0])));
        assert_eq!(degrees("inbound"), Some(Column::Count(vec![1, 2, 0])));
        assert_eq!(degrees("any"), Some(Column::Count(vec![4, 2, 0])));
    }
}
