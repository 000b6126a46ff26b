//! What cannot be answered.

use crate::common::Query;
use crate::rail::{POINTS, Rail, query_of};
use aql_value::{Interrupt, NoEnvironment};

/// A call of each function that follows the rays of the star, or the edges of another graph.
fn calls() -> Vec<(&'static str, String)> {
    let over_star = [
        ("EDGES", r#""rays", "s/0", "any""#),
        ("NEIGHBORS", r#""s", "rays", "0", "any""#),
        ("PATHS", r#""s", "rays""#),
        ("TRAVERSAL", r#""s", "rays", "0", "any""#),
        ("TRAVERSAL_TREE", r#""s", "rays", "0", "any", "next""#),
        ("GRAPH_TRAVERSAL_TREE", r#""star", {}, "any", "next""#),
        ("GRAPH_COMMON_NEIGHBORS", r#""star", {}, {}"#),
        ("GRAPH_SHORTEST_PATH", r#""star", {}, "s/far""#),
        ("GRAPH_DISTANCE_TO", r#""star", {}, "s/far""#),
    ];
    let with_vertices = [
        "GRAPH_ABSOLUTE_CLOSENESS",
        "GRAPH_ABSOLUTE_ECCENTRICITY",
        "GRAPH_EDGES",
        "GRAPH_NEIGHBORS",
        "GRAPH_TRAVERSAL",
    ];
    let of_all = [
        "GRAPH_ABSOLUTE_BETWEENNESS",
        "GRAPH_BETWEENNESS",
        "GRAPH_CLOSENESS",
        "GRAPH_DIAMETER",
        "GRAPH_ECCENTRICITY",
        "GRAPH_PATHS",
        "GRAPH_RADIUS",
    ];
    let mut calls: Vec<(&str, String)> =
        over_star.map(|(name, arguments)| (name, arguments.to_owned())).into();
    calls.extend(with_vertices.map(|name| (name, r#""star", {}"#.to_owned())));
    calls.extend(of_all.map(|name| (name, r#""star""#.to_owned())));
    calls
}

/// Those that read vertices only.
const OF_VERTICES: [(&str, &str); 2] =
    [("GRAPH_VERTICES", r#""star", {}"#), ("GRAPH_COMMON_PROPERTIES", r#""star", {}, {}"#)];

#[test]
fn every_function_is_called_here() {
    let mut names: Vec<&str> =
        calls().into_iter().map(|(name, _)| name).chain(OF_VERTICES.map(|(name, _)| name)).collect();
    names.sort_unstable();
    let mut all: Vec<&str> = aql_functions::all()
        .filter(|function| function.reads_documents && function.name != "DOCUMENT")
        .map(|function| function.name)
        .collect();
    all.sort_unstable();
    assert_eq!(names, all);
}

#[test]
fn memory_is_limited() {
    let rail = Rail::new();
    for (name, arguments) in calls() {
        let answer = rail.call_in(query_of(1 << 20), name, &arguments);
        assert_eq!(answer.result.map_err(|error| error.number), Err(32), "{name}");
    }
    let edges = rail.value("EDGES", r#""rays", "s/0", "any""#);
    assert_eq!(edges.len(), POINTS);
}

#[test]
fn a_killed_query_ends() {
    let rail = Rail::new();
    let interrupt = Interrupt::new();
    interrupt.kill();
    for (name, arguments) in calls() {
        let query = Query { interrupt: interrupt.clone(), ..Query::default() };
        let answer = rail.call_in(query, name, &arguments);
        assert_eq!(answer.result.map_err(|error| error.number), Err(1500), "{name}");
    }
}

#[test]
fn nothing_is_computed_for_a_plan() {
    for (name, arguments) in calls() {
        let function = aql_functions::lookup(name).unwrap();
        let arguments: Vec<_> = crate::common::parse(&format!("[{arguments}]")).elements().collect();
        let query = Query { environment: &NoEnvironment, ..Query::default() };
        let answer = query.call(function, &arguments);
        assert!(answer.result.unwrap_err().is_not_constant(), "{name}");
        assert!(!function.deterministic && !function.cacheable);
    }
}

#[test]
fn iterations_are_limited() {
    let rail = Rail::new();
    for (name, arguments) in [
        ("GRAPH_EDGES", r#""rail", "stop/a", "#),
        ("GRAPH_NEIGHBORS", r#""rail", "stop/a", "#),
        ("GRAPH_COMMON_NEIGHBORS", r#""rail", "stop/a", "stop/b", "#),
        ("TRAVERSAL", r#""stop", "lines", "a", "outbound", "#),
        ("TRAVERSAL_TREE", r#""stop", "lines", "a", "outbound", "next", "#),
        ("GRAPH_TRAVERSAL", r#""rail", "stop/a", "outbound", "#),
        ("GRAPH_TRAVERSAL_TREE", r#""rail", "stop/a", "outbound", "next", "#),
    ] {
        let few = format!(r#"{arguments} {{"maxIterations": 2}}"#);
        assert_eq!(rail.error(name, &few), 1909, "{name}");
        let breadth = format!(r#"{arguments} {{"maxIterations": 2, "strategy": "breadthfirst"}}"#);
        assert_eq!(rail.error(name, &breadth), 1909, "{name}");
        rail.value(name, &format!(r#"{arguments} {{"maxIterations": 1000}}"#));
    }
    // The start and its two neighbors.
    rail.value("GRAPH_EDGES", r#""rail", "stop/a", {"maxIterations": 3}"#);
}

#[test]
fn unknown_graphs_collections_and_functions() {
    let rail = Rail::new();
    for (name, arguments, number) in [
        ("GRAPH_VERTICES", r#""no", {}"#, 1924),
        ("GRAPH_RADIUS", r#""no""#, 1924),
        ("EDGES", r#""no", "stop/a", "any""#, 1203),
        ("EDGES", r#""stop", "stop/a", "any""#, 1218),
        ("PATHS", r#""no", "lines""#, 1203),
        ("NEIGHBORS", r#""stop", "no", "a", "any""#, 1203),
        ("TRAVERSAL", r#""stop", "depot", "a", "any""#, 1218),
        ("TRAVERSAL", r#""stop", "lines", "a", "any", {"visitor": "my::visitor"}"#, 1582),
        ("TRAVERSAL", r#""stop", "lines", "a", "any", {"visitor": "_AQL::OTHER"}"#, 1582),
        ("TRAVERSAL", r#""stop", "lines", "a", "any", {"followEdges": "my::edges"}"#, 1582),
        ("TRAVERSAL_TREE", r#""stop", "lines", "a", "any", "x", {"filterVertices": "my::vertices"}"#, 1582),
        ("GRAPH_TRAVERSAL", r#""rail", {}, "any", {"filterVertices": "my::vertices"}"#, 1582),
        ("GRAPH_SHORTEST_PATH", r#""rail", {}, {}, {"distance": "my::distance"}"#, 1582),
    ] {
        assert_eq!(rail.error(name, arguments), number, "{name}({arguments})");
    }
}

#[test]
fn wrong_types_warn() {
    let rail = Rail::new();
    for (name, arguments) in [
        ("EDGES", r#"1, "stop/a", "any""#),
        ("EDGES", r#""lines", 1, "any""#),
        ("EDGES", r#""lines", "stop/a", "up""#),
        ("EDGES", r#""lines", "stop/a", "any", 5"#),
        ("EDGES", r#""lines", "stop/a", "any", [{}, true]"#),
        ("EDGES", r#""lines", "stop/a", "any", null, "x""#),
        ("NEIGHBORS", r#""stop", null, "a", "any""#),
        ("NEIGHBORS", r#""stop", "lines", null, "any""#),
        ("PATHS", r#""stop", "lines", 1"#),
        ("PATHS", r#""stop", "lines", "any", {"minLength": "1"}"#),
        ("TRAVERSAL", r#""stop", "lines", [], "any""#),
        ("TRAVERSAL", r#""stop", "lines", "a", "any", {"strategy": "best"}"#),
        ("TRAVERSAL", r#""stop", "lines", "a", "any", {"uniqueness": {"edges": 1}}"#),
        ("TRAVERSAL", r#""stop", "lines", "a", "any", {"visitor": 1}"#),
        ("TRAVERSAL", r#""stop", "lines", "a", "any", {"vertexFilterMethod": 1}"#),
        ("TRAVERSAL_TREE", r#""stop", "lines", "a", "any", 7"#),
        ("GRAPH_VERTICES", "5, {}"),
        ("GRAPH_VERTICES", r#""rail", 5"#),
        ("GRAPH_VERTICES", r#""rail", {}, {"vertexCollectionRestriction": [1]}"#),
        ("GRAPH_EDGES", r#""rail", {}, {"maxIterations": "x"}"#),
        ("GRAPH_SHORTEST_PATH", r#""rail", {}, {}, {"weight": 1}"#),
        ("GRAPH_RADIUS", r#""rail", {"defaultWeight": "x"}"#),
        ("GRAPH_BETWEENNESS", r#""rail", []"#),
    ] {
        let answer = rail.call(name, arguments);
        assert!(answer.result.is_ok_and(|value| value.is_null()), "{name}({arguments})");
        assert_eq!(answer.warnings, [1542], "{name}({arguments})");
    }
}
