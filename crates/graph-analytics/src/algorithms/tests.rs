//! Promises that all algorithms keep.

use std::sync::Arc;

use fastrand::Rng;
use owner::{Interrupt, MemoryAccount, Owner};
use velocypack::{Builder, Limits, Slice};

use super::*;
use crate::column::Column;
use crate::graph::{Edge, Graph};
use crate::parameters::{Kind, Parameters};
use crate::work::Work;

/// Makes a graph whose vertices are more than threads take at a time.
fn random_graph(vertices: u32, edges: usize, is_weighted: bool) -> Graph {
    let mut random = Rng::with_seed(3);
    let mut edge = || {
        // Some vertices have many edges.
        let from = if random.bool() { random.u32(..vertices) } else { random.u32(..vertices / 50 + 1) };
        Edge { from, to: random.u32(..vertices), weight: f64::from(random.u32(1..9)) / 7.0 }
    };
    let edges: Vec<Edge> = (0..edges).map(|_| edge()).collect();
    let mut graph = Graph::from_edges(&Work::default(), vertices as usize, &edges, is_weighted).unwrap();
    set_start(&mut graph);
    graph
}

/// Gives vertices labels.
fn set_start(graph: &mut Graph) {
    let labels = (0..graph.vertex_count() as u64).map(|vertex| vertex % 100).collect();
    graph.set_attribute("start".to_owned(), Column::Count(labels));
}

/// Returns parameters that an algorithm accepts: those that it needs, and weights.
fn parameters(algorithm: &Algorithm) -> Parameters {
    let given = algorithm.parameters.iter().filter_map(|parameter| match (parameter.name, parameter.kind) {
        ("startAttribute", _) => Some(r#""startAttribute": "start""#.to_owned()),
        ("vertices", _) => Some(r#""vertices": [0]"#.to_owned()),
        ("samples", _) => Some(r#""samples": 70"#.to_owned()),
        ("weighted", _) => Some(r#""weighted": true"#.to_owned()),
        (name, Kind::Vertex) => Some(format!(r#""{name}": 0"#)),
        _ => None,
    });
    let text = format!("{{{}}}", given.collect::<Vec<String>>().join(", "));
    let mut given = Builder::new();
    velocypack::json::parse(text.as_bytes(), &Limits::default(), &mut given).unwrap();
    let resolve = |value: Slice<'_>| value.as_u64().map(|vertex| vertex as u32);
    Parameters::parse(algorithm.parameters, given.as_slice(), &resolve).unwrap()
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn names_are_in_order() {
    assert!(ALGORITHMS.windows(2).all(|pair| pair[0].name < pair[1].name));
    assert!(ALGORITHMS.iter().all(|algorithm| find(algorithm.name).is_some()));
}

#[test]
fn results_do_not_depend_on_threads() {
    let (one, four) = (pool(1), pool(4));
    for is_weighted in [false, true] {
        let graph = random_graph(5_000, 30_000, is_weighted);
        for algorithm in ALGORITHMS {
            let run = || {
                let table = algorithm.run(&graph, &parameters(algorithm), &Work::default()).unwrap();
                (format!("{:?}", table.statistics()), format!("{:?}", table.columns()))
            };
            let expected = one.install(run);
            assert!(four.install(run) == expected, "{}", algorithm.name);
        }
    }
}

#[test]
fn tables_have_the_columns_and_rows_that_are_described() {
    let graph = random_graph(300, 900, true);
    for algorithm in ALGORITHMS {
        let table = algorithm.run(&graph, &parameters(algorithm), &Work::default()).unwrap();
        let columns: Vec<&str> = table.columns().iter().map(|(name, _)| *name).collect();
        assert_eq!(columns, algorithm.columns, "{}", algorithm.name);
        assert_eq!(table.is_by_vertex(), algorithm.is_by_vertex, "{}", algorithm.name);
        assert!(!table.is_by_vertex() || table.len() == 300, "{}", algorithm.name);
        assert!(!table.statistics().is_empty(), "{}", algorithm.name);
    }
}

#[test]
fn small_graphs_and_loops_have_results() {
    for (vertices, edges) in [(0, 0), (1, 0), (1, 1), (1, 3), (2, 0), (5, 0)] {
        let loops: Vec<(u32, u32, f64)> = (0..edges).map(|_| (0, 0, 1.0)).collect();
        let mut graph = crate::testing::weighted(vertices, &loops);
        set_start(&mut graph);
        for algorithm in ALGORITHMS {
            let needs_vertex = algorithm
                .parameters
                .iter()
                .any(|parameter| matches!(parameter.kind, Kind::Vertex) || parameter.name == "vertices");
            if vertices > 0 || !needs_vertex {
                algorithm.run(&graph, &parameters(algorithm), &Work::default()).unwrap();
            }
        }
    }
}

#[test]
fn estimates_of_memory_are_upper_ones() {
    let two = pool(2);
    let mut low = Vec::new();
    for is_weighted in [false, true] {
        for algorithm in ALGORITHMS {
            // Rows of edges are made anew for each.
            let graph = random_graph(20_000, 100_000, is_weighted);
            let memory = Arc::new(MemoryAccount::new(None, None));
            let work = Work::new(Owner { interrupt: Interrupt::new(), memory: Arc::clone(&memory) });
            two.install(|| algorithm.run(&graph, &parameters(algorithm), &work).map(drop)).unwrap();
            let estimate = two.install(|| (algorithm.memory)(20_000, 100_000));
            // The sets of this one depend on the number of labels, which no estimate knows.
            if memory.peak() > estimate && algorithm.name != "attributePropagation" {
                low.push(format!("{}: {} bytes, estimated {estimate}", algorithm.name, memory.peak()));
            }
        }
    }
    assert!(low.is_empty(), "{low:#?}");
}

#[test]
fn an_interrupt_ends_all() {
    let graph = random_graph(5_000, 30_000, true);
    for algorithm in ALGORITHMS {
        let interrupt = Interrupt::new();
        interrupt.kill();
        let memory = Arc::new(MemoryAccount::new(None, None));
        let work = Work::new(Owner { interrupt, memory });
        // The check before the algorithm begins is left out.
        assert!((algorithm.run)(&graph, &parameters(algorithm), &work).is_err(), "{}", algorithm.name);
    }
}
