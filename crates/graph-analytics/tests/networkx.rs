//! Compares results with those of NetworkX, an independent implementation in Python.
//!
//! `tests/networkx/check.py` reads graphs and results of this crate, computes the same with
//! NetworkX, and reports differences. The test is skipped without python3, NetworkX and SciPy:
//! `pip install networkx scipy`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test, which says why it is skipped")]

use std::fmt::Write as _;
use std::process::Command;
use std::sync::Arc;

use fastrand::Rng;
use graph_analytics::{Column, Edge, Graph, Lists, Parameters, Statistic, Table, Work, find};
use owner::{Interrupt, MemoryAccount, Owner};
use velocypack::{Builder, Limits, Slice};

/// The algorithms and parameters that are compared on all graphs.
const RUNS: &[(&str, &str)] = &[
    ("allPairs", "{}"),
    ("allPairs", r#"{"direction": "any"}"#),
    ("articulationPoints", "{}"),
    ("betweenness", "{}"),
    ("betweenness", r#"{"direction": "any", "normalized": true}"#),
    ("bfs", r#"{"source": 0}"#),
    ("bfs", r#"{"source": 0, "direction": "any"}"#),
    ("bipartite", "{}"),
    ("bridges", "{}"),
    ("closeness", "{}"),
    ("closeness", r#"{"direction": "any", "wassermanFaust": false}"#),
    ("closeness", r#"{"direction": "outbound", "variant": "harmonic"}"#),
    ("clusteringCoefficient", "{}"),
    ("clusteringCoefficient", r#"{"direction": "any"}"#),
    ("cycles", "{}"),
    ("eigenvector", r#"{"maxIterations": 10000, "tolerance": 1e-12}"#),
    ("eigenvector", r#"{"direction": "any", "maxIterations": 10000, "tolerance": 1e-12}"#),
    ("hits", r#"{"maxIterations": 10000, "tolerance": 1e-12}"#),
    ("kCore", "{}"),
    ("leiden", r#"{"seed": 1}"#),
    ("lineRank", r#"{"maxIterations": 1000, "tolerance": 1e-12}"#),
    ("louvain", r#"{"seed": 1}"#),
    ("louvain", r#"{"resolution": 2}"#),
    ("nodeSimilarity", r#"{"direction": "any", "topK": 1000}"#),
    ("pageRank", r#"{"maxIterations": 1000, "tolerance": 1e-12}"#),
    ("scc", "{}"),
    ("shortestPaths", r#"{"source": 0, "weighted": false}"#),
    ("spanningForest", "{}"),
    ("spanningForest", r#"{"objective": "maximum"}"#),
    ("topologicalOrder", "{}"),
    ("triangles", "{}"),
    ("wcc", "{}"),
];

/// Those that are also compared on graphs with weights.
const WEIGHTED_RUNS: &[(&str, &str)] = &[
    ("allPairs", r#"{"weighted": true}"#),
    ("betweenness", r#"{"weighted": true}"#),
    ("betweenness", r#"{"weighted": true, "direction": "any"}"#),
    ("eigenvector", r#"{"weighted": true, "direction": "any", "maxIterations": 10000, "tolerance": 1e-12}"#),
    ("hits", r#"{"weighted": true, "maxIterations": 10000, "tolerance": 1e-12}"#),
    ("pageRank", r#"{"weighted": true, "maxIterations": 1000, "tolerance": 1e-12}"#),
    ("shortestPaths", r#"{"source": 0, "weighted": true}"#),
    ("shortestPaths", r#"{"source": 0, "weighted": true, "direction": "any"}"#),
];

#[test]
fn results_are_those_of_networkx() {
    let imports = Command::new("python3").args(["-c", "import networkx, scipy"]).output();
    if !imports.is_ok_and(|output| output.status.success()) {
        println!("skipped: python3 with networkx and scipy is not installed");
        return;
    }
    let mut cases = String::from("[");
    for (name, vertices, edges) in shapes() {
        for is_weighted in [false, true] {
            if cases.len() > 1 {
                cases.push_str(",\n");
            }
            write_case(&mut cases, name, vertices, &edges, is_weighted);
        }
    }
    cases.push(']');
    let file = std::env::temp_dir().join(format!("persea-networkx-{}.json", std::process::id()));
    std::fs::write(&file, cases).unwrap();
    let check = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/networkx/check.py");
    let output = Command::new("python3").arg(check).arg(&file).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    println!("{text}");
}

/// Returns graphs of several shapes. Weights are multiples of a quarter, so that sums are exact.
fn shapes() -> Vec<(&'static str, u32, Vec<Edge>)> {
    let mut random = Rng::with_seed(11);
    let mut weigh = |pairs: Vec<(u32, u32)>| -> Vec<Edge> {
        let weight = |random: &mut Rng| f64::from(random.u32(1..20)) * 0.25;
        pairs.into_iter().map(|(from, to)| Edge { from, to, weight: weight(&mut random) }).collect()
    };
    let mut random = Rng::with_seed(12);
    let mut pairs = |vertices: u32, edges: usize| -> Vec<(u32, u32)> {
        (0..edges).map(|_| (random.u32(..vertices), random.u32(..vertices))).collect()
    };
    let simple = |mut pairs: Vec<(u32, u32)>| {
        pairs.retain(|(from, to)| from != to);
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    };
    let both = |pairs: Vec<(u32, u32)>| {
        let back: Vec<(u32, u32)> = pairs.iter().map(|(from, to)| (*to, *from)).collect();
        simple([pairs, back].concat())
    };
    let components = (0..12).flat_map(|part| {
        pairs(6, part as usize).into_iter().map(move |(from, to)| (part * 6 + from, part * 6 + to))
    });
    let components = components.collect();
    let even = pairs(40, 60).into_iter().map(|(from, to)| (from / 2 * 2, to / 2 * 2 + 1)).collect();
    let acyclic = pairs(60, 150).into_iter().filter(|(from, to)| from < to).collect();
    vec![
        ("one vertex", 1, Vec::new()),
        ("one loop", 1, weigh(vec![(0, 0)])),
        ("no edges", 5, Vec::new()),
        ("path", 30, weigh((1..30).map(|vertex| (vertex - 1, vertex)).collect())),
        ("ring", 30, weigh((0..30).map(|vertex| (vertex, (vertex + 1) % 30)).collect())),
        ("star", 30, weigh((1..30).map(|leaf| (leaf, 0)).collect())),
        ("sparse", 100, weigh(simple(pairs(100, 150)))),
        ("random directed", 80, weigh(simple(pairs(80, 400)))),
        ("random undirected", 80, weigh(both(pairs(80, 250)))),
        ("dense", 30, weigh(simple(pairs(30, 500)))),
        ("preferential attachment", 120, weigh(preferential_attachment(120, 3))),
        ("communities", 90, weigh(communities())),
        ("components", 80, weigh(components)),
        ("loops and parallel edges", 40, weigh(pairs(40, 400))),
        ("few parallel edges", 60, weigh(pairs(60, 80))),
        ("two sides", 40, weigh(even)),
        ("acyclic", 60, weigh(acyclic)),
    ]
}

/// Each vertex gets edges to earlier ones in proportion to their degrees (Barabási, Albert 1999).
fn preferential_attachment(vertices: u32, edges: u32) -> Vec<(u32, u32)> {
    let mut random = Rng::with_seed(13);
    let mut ends: Vec<u32> = (0..edges).collect();
    let mut pairs = Vec::new();
    for vertex in edges..vertices {
        for _ in 0..edges {
            let other = ends[random.usize(..ends.len())];
            if other != vertex && !pairs.contains(&(vertex, other)) {
                pairs.push((vertex, other));
            }
        }
        ends.extend(pairs.iter().filter(|pair| pair.0 == vertex).flat_map(|pair| [pair.0, pair.1]));
    }
    pairs
}

/// Six groups of fifteen vertices with many edges inside and few between.
fn communities() -> Vec<(u32, u32)> {
    let mut random = Rng::with_seed(14);
    let inside = |random: &mut Rng| {
        let group = random.u32(..6) * 15;
        (group + random.u32(..15), group + random.u32(..15))
    };
    let mut pairs: Vec<(u32, u32)> = (0..400).map(|_| inside(&mut random)).collect();
    pairs.extend((0..60).map(|_| (random.u32(..90), random.u32(..90))));
    pairs
}

/// Writes a graph and its results in JSON, with NaN and Infinity as Python reads them.
fn write_case(out: &mut String, name: &str, vertices: u32, edges: &[Edge], is_weighted: bool) {
    let work =
        Work::new(Owner { interrupt: Interrupt::new(), memory: Arc::new(MemoryAccount::new(None, None)) });
    let graph = Graph::from_edges(&work, vertices as usize, edges, is_weighted).unwrap();
    write!(out, r#"{{"name": "{name}", "vertices": {vertices}, "isWeighted": {is_weighted}, "edges": ["#)
        .unwrap();
    for (i, edge) in edges.iter().enumerate() {
        let weight = if is_weighted { edge.weight } else { 1.0 };
        let comma = if i == 0 { "" } else { ", " };
        write!(out, "{comma}[{}, {}, {weight}]", edge.from, edge.to).unwrap();
    }
    out.push_str("], \"results\": [");
    let weighted_runs = WEIGHTED_RUNS.iter().filter(|_| is_weighted);
    for (i, (algorithm, parameters)) in RUNS.iter().chain(weighted_runs).enumerate() {
        let table = run(&work, &graph, algorithm, parameters);
        let comma = if i == 0 { "" } else { ",\n" };
        write!(out, r#"{comma}{{"algorithm": "{algorithm}", "parameters": {parameters}, "#).unwrap();
        write_table(out, &table);
    }
    out.push_str("]}");
}

fn run(work: &Work, graph: &Graph, name: &str, parameters: &str) -> Table {
    let algorithm = find(name).unwrap();
    let mut given = Builder::new();
    velocypack::json::parse(parameters.as_bytes(), &Limits::default(), &mut given).unwrap();
    let resolve = |value: Slice<'_>| value.as_u64().map(|vertex| vertex as u32);
    let parameters = Parameters::parse(algorithm.parameters, given.as_slice(), &resolve).unwrap();
    algorithm.run(graph, &parameters, work).unwrap()
}

fn write_table(out: &mut String, table: &Table) {
    let columns = table.columns().iter().map(|(name, column)| {
        let values = match column {
            Column::Number(values) => values.iter().map(number).collect::<Vec<String>>().join(", "),
            Column::Count(values) => joined(values),
            Column::Flag(values) => joined(values),
            Column::Vertex(values) => joined(values),
            Column::Vertices(lists) | Column::LabelSets(lists, _) => of_lists(lists),
            Column::Label(labels) => joined(&labels.codes),
        };
        format!(r#""{name}": [{values}]"#)
    });
    let columns: Vec<String> = columns.collect();
    let statistics = table.statistics().iter().map(|(name, statistic)| match statistic {
        Statistic::Count(value) => format!(r#""{name}": {value}"#),
        Statistic::Number(value) => format!(r#""{name}": {}"#, number(value)),
        Statistic::Flag(value) => format!(r#""{name}": {value}"#),
    });
    let statistics: Vec<String> = statistics.collect();
    let (columns, statistics) = (columns.join(", "), statistics.join(", "));
    write!(out, r#""columns": {{{columns}}}, "statistics": {{{statistics}}}}}"#).unwrap();
}

fn number(value: &f64) -> String {
    match value {
        value if value.is_nan() => "NaN".to_owned(),
        value if *value == f64::INFINITY => "Infinity".to_owned(),
        value if *value == f64::NEG_INFINITY => "-Infinity".to_owned(),
        value => format!("{value:?}"),
    }
}

fn joined(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<String>>().join(", ")
}

fn of_lists(lists: &Lists) -> String {
    let lists: Vec<String> = (0..lists.len()).map(|i| format!("[{}]", joined(lists.get(i)))).collect();
    lists.join(", ")
}
