//! Results do not depend on the number of threads.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;

use graph_analytics::{Edge, Graph, Parameters, Table, Work, find};
use owner::{Interrupt, MemoryAccount, Owner};
use velocypack::{Builder, Limits, Slice};

/// Algorithms with parameters.
const RUNS: &[(&str, &str)] = &[
    ("bfs", r#"{"source": 0}"#),
    ("bfs", r#"{"source": 0, "direction": "any"}"#),
    ("clusteringCoefficient", "{}"),
    ("eigenvector", r#"{"weighted": true}"#),
    ("hits", "{}"),
    ("kCore", "{}"),
    ("labelPropagation", r#"{"randomTieBreak": true, "seed": 5}"#),
    ("pageRank", "{}"),
    ("pageRank", r#"{"weighted": true, "direction": "any", "sources": [1, 2]}"#),
    ("scc", "{}"),
    ("shortestPaths", r#"{"source": 0}"#),
    ("wcc", "{}"),
];

/// Enough that threads take several parts each.
const VERTICES: u32 = 20_000;

fn work() -> Work {
    let memory = Arc::new(MemoryAccount::new(None, None));
    Work::new(Owner { interrupt: Interrupt::new(), memory })
}

/// Makes a graph in which small numbers have many edges, and some vertices none.
fn graph() -> Graph {
    let mut random = fastrand::Rng::with_seed(11);
    let mut vertex = || (random.f64() * random.f64() * f64::from(VERTICES)) as u32;
    let ends: Vec<(u32, u32)> = (0..60_000).map(|_| (vertex(), vertex())).collect();
    let edges: Vec<Edge> =
        ends.into_iter().map(|(from, to)| Edge { from, to, weight: random.f64() }).collect();
    Graph::from_edges(&work(), VERTICES as usize, &edges, true).unwrap()
}

fn run(graph: &Graph, name: &str, parameters: &str, threads: usize) -> Table {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut given = Builder::new();
    velocypack::json::parse(parameters.as_bytes(), &Limits::default(), &mut given).unwrap();
    let resolve = |value: Slice<'_>| value.as_u64().map(|vertex| vertex as u32);
    let algorithm = find(name).unwrap();
    let parameters = Parameters::parse(algorithm.parameters, given.as_slice(), &resolve).unwrap();
    pool.install(|| algorithm.run(graph, &parameters, &work())).unwrap()
}

#[test]
fn results_are_the_same_with_one_thread_and_with_many() {
    let graph = graph();
    for (name, parameters) in RUNS {
        let (one, many) = (run(&graph, name, parameters, 1), run(&graph, name, parameters, 5));
        assert_eq!(one.columns(), many.columns(), "{name} {parameters}");
        assert_eq!(one.statistics(), many.statistics(), "{name} {parameters}");
    }
}
