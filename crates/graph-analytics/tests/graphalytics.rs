//! The validation graphs of LDBC Graphalytics with its reference results.
//!
//! Graphs, parameters and results are those of the `validation-graphs` of ldbc/ldbc_graphalytics
//! (Apache-2.0). Results are validated by its rules: levels and labels are equal, components
//! correspond one to one, and numbers differ by at most 0.0001 of the reference.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::Arc;

use graph_analytics::{Column, Edge, Graph, NO_COUNT, Parameters, Table, Work, find};
use owner::{Interrupt, MemoryAccount, Owner};
use velocypack::{Builder, Limits, Slice};

/// A graph and its references; vertices have any numbers.
struct Example {
    is_directed: bool,
    vertices: &'static [u64],
    /// Source, target and weight.
    edges: &'static [(u64, u64, f64)],
    source: u64,
    levels: &'static [u64],
    labels: &'static [u64],
    coefficients: &'static [f64],
    ranks: &'static [f64],
    distances: &'static [f64],
    components: &'static [u64],
}

/// The level of an unreachable vertex in the references.
const UNREACHABLE: u64 = i64::MAX as u64;

const DIRECTED: Example = Example {
    is_directed: true,
    vertices: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    edges: &[
        (1, 3, 0.5),
        (1, 5, 0.3),
        (2, 4, 0.1),
        (2, 5, 0.3),
        (2, 10, 0.12),
        (3, 1, 0.53),
        (3, 5, 0.62),
        (3, 8, 0.21),
        (3, 10, 0.52),
        (5, 3, 0.69),
        (5, 4, 0.53),
        (5, 8, 0.1),
        (6, 3, 0.23),
        (6, 4, 0.39),
        (7, 4, 0.83),
        (8, 1, 0.39),
        (9, 4, 0.69),
    ],
    source: 1,
    levels: &[0, UNREACHABLE, 1, 2, 1, UNREACHABLE, UNREACHABLE, 2, UNREACHABLE, 2],
    labels: &[1, 2, 3, 4, 1, 1, 2, 3, 2, 1],
    coefficients: &[
        0.6666666666666666,
        0.1666666666666667,
        0.15,
        0.05,
        0.25,
        0.0,
        0.0,
        0.8333333333333334,
        0.0,
        0.0,
    ],
    ranks: &[
        0.1477629166666667,
        0.04753375,
        0.1550469444444444,
        0.1597573611111111,
        0.14624,
        0.04753375,
        0.04753375,
        0.1135740277777778,
        0.04753375,
        0.08748375000000001,
    ],
    distances: &[0.0, f64::INFINITY, 0.5, 0.83, 0.3, f64::INFINITY, f64::INFINITY, 0.4, f64::INFINITY, 1.02],
    components: &[1; 10],
};

const UNDIRECTED: Example = Example {
    is_directed: false,
    vertices: &[2, 3, 4, 5, 6, 7, 8, 9, 10],
    edges: &[
        (2, 3, 0.9),
        (2, 4, 0.69),
        (3, 4, 0.13),
        (3, 5, 0.5),
        (3, 8, 0.32),
        (5, 6, 0.63),
        (5, 8, 0.12),
        (6, 7, 0.53),
        (6, 8, 0.64),
        (6, 9, 0.23),
        (6, 10, 0.63),
        (7, 9, 0.36),
    ],
    source: 2,
    levels: &[0, 1, 1, 2, 3, 4, 2, 4, 4],
    labels: &[2, 3, 2, 2, 6, 5, 2, 5, 5],
    coefficients: &[1.0, 0.3333333333333333, 1.0, 0.6666666666666666, 0.2, 1.0, 0.6666666666666666, 1.0, 0.0],
    ranks: &[
        0.09084490740740739,
        0.1424089506172839,
        0.09084490740740739,
        0.1249891975308642,
        0.1686172839506173,
        0.09749537037037037,
        0.1249891975308642,
        0.09749537037037037,
        0.06231481481481481,
    ],
    distances: &[0.0, 0.82, 0.69, 1.26, 1.78, 2.31, 1.14, 2.01, 2.41],
    components: &[2; 9],
};

impl Example {
    fn graph(&self) -> Graph {
        graph(self.vertices, self.edges.iter().copied())
    }

    /// Runs an algorithm, in the graph's direction or both ways.
    fn run(&self, name: &str, parameters: &str) -> Table {
        let direction = if self.is_directed { "outbound" } else { "any" };
        let direction = match name {
            "wcc" | "labelPropagation" => String::new(),
            _ => format!(r#""direction": "{direction}""#),
        };
        let members: Vec<&str> =
            [direction.as_str(), parameters].into_iter().filter(|text| !text.is_empty()).collect();
        run(name, &self.graph(), self.vertices, &format!("{{{}}}", members.join(",")))
    }

    fn check(&self) {
        let source = format!(r#""source": {}"#, self.source);
        let table = self.run("bfs", &source);
        let level = |level: &u64| if *level == NO_COUNT { UNREACHABLE } else { *level };
        let levels: Vec<u64> = counts(&table, "level").iter().map(level).collect();
        assert_eq!(levels, self.levels, "BFS");

        let table = self.run("labelPropagation", r#""maxIterations": 2"#);
        assert_eq!(labels(&table, self.vertices), self.labels, "CDLP");

        let table = self.run("clusteringCoefficient", "");
        assert_close(numbers(&table, "coefficient"), self.coefficients, "LCC");

        let table = self.run("pageRank", r#""damping": 0.85, "maxIterations": 2, "tolerance": 0"#);
        assert_close(numbers(&table, "rank"), self.ranks, "PR");

        let table = self.run("shortestPaths", &source);
        assert_close(numbers(&table, "distance"), self.distances, "SSSP");

        let table = self.run("wcc", "");
        assert_correspond(counts(&table, "component"), self.components);
    }
}

fn work() -> Work {
    let memory = Arc::new(MemoryAccount::new(None, None));
    Work::new(Owner { interrupt: Interrupt::new(), memory })
}

fn graph(vertices: &[u64], edges: impl Iterator<Item = (u64, u64, f64)>) -> Graph {
    let number = |vertex: u64| vertices.binary_search(&vertex).unwrap() as u32;
    let edges: Vec<Edge> =
        edges.map(|(from, to, weight)| Edge { from: number(from), to: number(to), weight }).collect();
    Graph::from_edges(&work(), vertices.len(), &edges, true).unwrap()
}

/// Runs an algorithm with parameters in JSON that use the vertices' own numbers.
fn run(name: &str, graph: &Graph, vertices: &[u64], parameters: &str) -> Table {
    let mut given = Builder::new();
    velocypack::json::parse(parameters.as_bytes(), &Limits::default(), &mut given).unwrap();
    let resolve =
        |value: Slice<'_>| vertices.binary_search(&value.as_u64()?).ok().map(|vertex| vertex as u32);
    let algorithm = find(name).unwrap();
    let parameters = Parameters::parse(algorithm.parameters, given.as_slice(), &resolve).unwrap();
    algorithm.run(graph, &parameters, &work()).unwrap()
}

fn counts<'t>(table: &'t Table, name: &str) -> &'t [u64] {
    let Some(Column::Count(counts)) = table.column(name) else { panic!("{name} has no counts") };
    counts
}

fn numbers<'t>(table: &'t Table, name: &str) -> &'t [f64] {
    let Some(Column::Number(numbers)) = table.column(name) else { panic!("{name} has no numbers") };
    numbers
}

/// Returns labels as the vertices' own numbers.
fn labels(table: &Table, vertices: &[u64]) -> Vec<u64> {
    counts(table, "label").iter().map(|label| vertices[*label as usize]).collect()
}

fn assert_close(found: &[f64], references: &[f64], kernel: &str) {
    assert_eq!(found.len(), references.len());
    for (vertex, (number, reference)) in found.iter().zip(references).enumerate() {
        let is_close = number == reference || (number - reference).abs() <= 0.0001 * reference.abs();
        assert!(is_close, "{kernel}: vertex {vertex} has {number} instead of {reference}");
    }
}

fn assert_correspond(found: &[u64], references: &[u64]) {
    assert_eq!(found.len(), references.len());
    let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
    for (component, reference) in found.iter().zip(references) {
        assert_eq!(there.entry(component).or_insert(reference), &reference);
        assert_eq!(back.entry(reference).or_insert(component), &component);
    }
}

#[test]
fn the_directed_example_has_the_reference_results() {
    DIRECTED.check();
}

#[test]
fn the_undirected_example_has_the_reference_results() {
    UNDIRECTED.check();
}

#[test]
fn labels_after_five_iterations_are_the_reference() {
    let vertices = [1, 2, 3, 4, 5, 6, 7, 8];
    let directed: &[(u64, &[u64])] = &[
        (1, &[2, 3, 7]),
        (2, &[1, 3]),
        (3, &[1, 2]),
        (4, &[5, 6]),
        (5, &[4, 6, 7]),
        (6, &[5, 7]),
        (7, &[5, 6, 8]),
        (8, &[6]),
    ];
    let undirected: &[(u64, &[u64])] = &[
        (1, &[2, 3, 7]),
        (2, &[1, 3]),
        (3, &[1, 2]),
        (4, &[5, 6, 8]),
        (5, &[4, 6, 7, 8]),
        (6, &[4, 5, 7, 8]),
        (7, &[1, 5, 6, 8]),
        (8, &[4, 5, 6, 7]),
    ];
    for (rows, expected) in [(directed, [1, 1, 1, 5, 4, 4, 4, 4]), (undirected, [1, 1, 1, 4, 4, 4, 4, 4])] {
        let edges = rows.iter().flat_map(|(from, row)| row.iter().map(move |to| (*from, *to, 1.0)));
        let graph = graph(&vertices, edges);
        let table = run("labelPropagation", &graph, &vertices, r#"{"maxIterations": 5}"#);
        assert_eq!(labels(&table, &vertices), expected);
    }
}

#[test]
fn two_components_are_the_reference() {
    let vertices = [1, 2, 3, 4, 6, 7, 8, 9];
    let edges = [(1, 2), (1, 3), (2, 1), (2, 3), (2, 4), (4, 2), (6, 7), (6, 8), (7, 6), (9, 3)];
    let graph = graph(&vertices, edges.into_iter().map(|(from, to)| (from, to, 1.0)));
    let table = run("wcc", &graph, &vertices, "{}");
    assert_correspond(counts(&table, "component"), &[1, 1, 1, 1, 6, 6, 6, 1]);
}
