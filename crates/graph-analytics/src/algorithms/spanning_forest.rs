//! Minimum and maximum spanning forests.

use std::cmp::Ordering;

use errors::Result;
use rayon::prelude::*;

use super::weights::{self, Needs};
use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::graph::{Edge, Graph};
use crate::parameters::{Kind, Parameter, Parameters};
use crate::table::{Statistic, Table};
use crate::work::{CHECK_EVERY, Checks, Work};

pub(super) const SPANNING_FOREST: Algorithm = Algorithm {
    name: "spanningForest",
    about: "Finds edges of the least or greatest weight that connect all that is connected.",
    definition: "Kruskal (1956): edges in the order of their weights, of which each stays that \
                 connects two trees. Directions are ignored, loops never stay, and of parallel edges \
                 at most one does. Weights must be finite; without weights each edge counts as 1. \
                 Edges of equal weight are taken in the order of their vertices. Rows are in the \
                 order in which edges were taken.",
    parameters: &[Parameter {
        name: "objective",
        kind: Kind::Choice(&["minimum", "maximum"]),
        about: "The least or the greatest weight.",
    }],
    columns: &["from", "to", "weight"],
    is_by_vertex: false,
    memory: |vertices, edges| edges * 16 + vertices * 60,
    run,
};

fn run(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Table> {
    weights::check(graph, work, Needs::Finite)?;
    let is_maximum = parameters.choice("objective") == "maximum";
    let vertices = graph.vertex_count();
    let _charge = work.reserve_for::<([u32; 3], f64)>(vertices)?;
    let mut forest = Forest::new(vertices);
    if graph.is_weighted() {
        let _edges = work.reserve_for::<Edge>(graph.edge_count() as usize)?;
        let mut edges = Vec::with_capacity(graph.edge_count() as usize);
        edges_of(graph, work, |edge| {
            edges.push(edge);
            true
        })?;
        edges.par_sort_unstable_by(|a, b| order(a, b, is_maximum));
        for edges in edges.chunks(CHECK_EVERY) {
            work.check()?;
            if !edges.iter().all(|edge| forest.add(*edge)) {
                break;
            }
        }
    } else {
        edges_of(graph, work, |edge| forest.add(edge))?;
    }
    let trees = vertices - forest.from.len();
    let weight = forest.weights.iter().sum();
    Ok(Table::of_rows(work)?
        .with_column("from", Column::Vertex(forest.from))?
        .with_column("to", Column::Vertex(forest.to))?
        .with_column("weight", Column::Number(forest.weights))?
        .with_statistic("trees", Statistic::Count(trees as u64))
        .with_statistic("weight", Statistic::Number(weight)))
}

fn order(a: &Edge, b: &Edge, is_maximum: bool) -> Ordering {
    let by_weight = a.weight.total_cmp(&b.weight);
    let by_weight = if is_maximum { by_weight.reverse() } else { by_weight };
    by_weight.then_with(|| (a.from, a.to).cmp(&(b.from, b.to)))
}

/// Calls `visit` with each edge that is no loop until it says false.
fn edges_of(graph: &Graph, work: &Work, mut visit: impl FnMut(Edge) -> bool) -> Result<()> {
    let mut checks = Checks::default();
    for from in 0..graph.vertex_count() as u32 {
        checks.note(work, graph.outgoing().degree(from) + 1)?;
        let mut edges = graph.outgoing().edges(from).filter(|(to, _)| *to != from);
        if !edges.all(|(to, weight)| visit(Edge { from, to, weight })) {
            break;
        }
    }
    Ok(())
}

/// Trees, and the edges that made them.
struct Forest {
    /// A vertex of the same tree, with a smaller number; the root has itself.
    parents: Vec<u32>,
    from: Vec<u32>,
    to: Vec<u32>,
    weights: Vec<f64>,
}

impl Forest {
    fn new(vertices: usize) -> Self {
        Forest {
            parents: (0..vertices as u32).collect(),
            from: Vec::with_capacity(vertices),
            to: Vec::with_capacity(vertices),
            weights: Vec::with_capacity(vertices),
        }
    }

    /// Adds an edge if it connects two trees. Returns false once there is only one.
    fn add(&mut self, edge: Edge) -> bool {
        let (a, b) = (self.root(edge.from), self.root(edge.to));
        if a != b {
            self.parents[a.max(b) as usize] = a.min(b);
            self.from.push(edge.from);
            self.to.push(edge.to);
            self.weights.push(edge.weight);
        }
        self.from.len() + 1 < self.parents.len()
    }

    fn root(&mut self, mut vertex: u32) -> u32 {
        while self.parents[vertex as usize] != vertex {
            let parent = self.parents[vertex as usize];
            self.parents[vertex as usize] = self.parents[parent as usize];
            vertex = self.parents[vertex as usize];
        }
        vertex
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    fn rows(graph: &Graph, parameters: &str) -> (Vec<(u32, u32)>, f64) {
        let table = testing::run(&SPANNING_FOREST, graph, parameters).unwrap();
        let (Some(Column::Vertex(from)), Some(Column::Vertex(to))) =
            (table.column("from"), table.column("to"))
        else {
            panic!("no columns")
        };
        let Some(Statistic::Number(weight)) = table.statistic("weight") else { panic!("no weight") };
        (from.iter().copied().zip(to.iter().copied()).collect(), weight)
    }

    #[test]
    fn the_heaviest_edge_of_a_ring_is_left_out() {
        let graph = testing::weighted(4, &[(0, 1, 1.0), (1, 1, -9.0), (1, 2, 4.0), (2, 0, 2.0), (2, 0, 1.5)]);
        assert_eq!(rows(&graph, "{}"), (vec![(0, 1), (2, 0)], 2.5));
        assert_eq!(rows(&graph, r#"{"objective": "maximum"}"#), (vec![(1, 2), (2, 0)], 6.0));
        let graph = testing::graph(3, &[(2, 1), (1, 2), (1, 0), (0, 2)]);
        assert_eq!(rows(&graph, "{}"), (vec![(0, 2), (1, 0)], 2.0));
    }

    #[test]
    fn small_graphs_have_no_edges_to_take() {
        for graph in [testing::graph(0, &[]), testing::graph(1, &[(0, 0)])] {
            assert_eq!(rows(&graph, "{}"), (vec![], 0.0));
        }
        let graph = testing::weighted(2, &[(0, 1, f64::NAN)]);
        assert!(testing::run(&SPANNING_FOREST, &graph, "{}").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Prim's algorithm makes a forest of the same weight.
        #[test]
        fn the_weight_is_the_least(
            edges in prop::collection::vec((0_u32..9, 0_u32..9, -5_i8..5), 0..25),
        ) {
            let edges: Vec<(u32, u32, f64)> =
                edges.into_iter().map(|(from, to, weight)| (from, to, f64::from(weight))).collect();
            let mut is_in = [false; 9];
            let (mut weight, mut count) = (0.0, 0);
            for root in 0..9 {
                if is_in[root] {
                    continue;
                }
                is_in[root] = true;
                loop {
                    let leaves = |e: &&(u32, u32, f64)| is_in[e.0 as usize] != is_in[e.1 as usize];
                    let least = edges.iter().filter(leaves).min_by(|a, b| a.2.total_cmp(&b.2));
                    let Some(edge) = least else { break };
                    is_in[edge.0 as usize] = true;
                    is_in[edge.1 as usize] = true;
                    weight += edge.2;
                    count += 1;
                }
            }
            let graph = testing::weighted(9, &edges);
            let (taken, sum) = rows(&graph, "{}");
            prop_assert_eq!(taken.len(), count);
            prop_assert!((sum - weight).abs() < 1e-9);
        }
    }
}
