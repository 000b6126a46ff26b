//! Algorithms over whole graphs: what they read, what ends them, and what they leave in memory.

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use database::analytics::{ALGORITHMS, AnalyticsOptions, Job, JobRequest, JobState, JobWork, Kind};
use database::query::request::QueryRequest;
use database::{Format, InstanceOptions, Interrupt, Session};
use serde_json::{Value, json};
use velocypack::Slice;

use crate::common::{create, query, rows, session, session_with, value};

/// Waits for a condition.
fn wait_until(what: &str, is_met: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_met() {
        assert!(Instant::now() < deadline, "it took too long until {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The collections of a random graph. One name begins with the other, so that their vertices' order
/// differs from that of the names.
const VERTICES: [&str; 2] = ["v", "v-x"];
const EDGES: [&str; 2] = ["e", "f"];

/// Makes a random graph of both collections, with loops, parallel edges and edges to nowhere.
fn random_graph(session: &Session, vertices: usize, edges: usize, seed: u64) -> Vec<(String, String)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut any = |miss: bool| {
        let key = random.usize(..if miss { vertices + vertices / 10 + 1 } else { vertices });
        format!("{}/{key}", VERTICES[random.usize(..2)])
    };
    let all: Vec<(String, String)> = (0..edges).map(|_| (any(true), any(true))).collect();
    for name in VERTICES {
        create(session, &format!(r#"{{"name": "{name}"}}"#));
        query(session, &format!("FOR i IN 0..{} INSERT {{_key: TO_STRING(i)}} INTO `{name}`", vertices - 1))
            .unwrap();
    }
    for (position, name) in EDGES.iter().enumerate() {
        create(session, &format!(r#"{{"name": "{name}", "type": 3}}"#));
        let half: Vec<Value> =
            all.iter().skip(position).step_by(2).map(|(from, to)| json!([from, to])).collect();
        let text = format!("FOR e IN @edges INSERT {{_from: e[0], _to: e[1], w: 1}} INTO {name}");
        let bind_variables = value(&json!({ "edges": half }).to_string());
        session.query(&QueryRequest { bind_variables, ..QueryRequest::new(text) }, Format::Json).unwrap();
    }
    all
}

const GRAPH: &str = r#"{vertexCollections: ["v", "v-x"], edgeCollections: ["e", "f"]}"#;
const WEIGHTED: &str =
    r#"{vertexCollections: ["v", "v-x"], edgeCollections: ["e", "f"], weightAttribute: "w"}"#;

/// Returns the number of edges that leave each vertex of the graph.
fn degrees(edges: &[(String, String)], vertices: usize) -> HashMap<String, u64> {
    let is_there = |id: &str| id.split_once('/').unwrap().1.parse::<usize>().unwrap() < vertices;
    let mut degrees = HashMap::new();
    for (from, _) in edges.iter().filter(|(from, to)| is_there(from) && is_there(to)) {
        *degrees.entry(from.clone()).or_default() += 1;
    }
    degrees
}

#[test]
fn a_load_finds_every_edge_whose_vertices_are_there() {
    // More vertices than the parts of all threads, so that ranges divide them.
    for (vertices, edges, seed) in [(1, 5, 1), (40, 300, 2), (700, 3_000, 3)] {
        let session = session_with(InstanceOptions {
            analytics: AnalyticsOptions { threads: 3, ..AnalyticsOptions::default() },
            ..InstanceOptions::default()
        });
        let expected = degrees(&random_graph(&session, vertices, edges, seed), vertices);
        for graph in [GRAPH, WEIGHTED] {
            let text =
                format!("FOR r IN GRAPH_ALGORITHM('degree', {graph}) RETURN [r.vertex, r.degree, r.weight]");
            let result =
                session.query(&QueryRequest { batch_size: 10_000, ..QueryRequest::new(text) }, Format::Json);
            let result = crate::common::body(&result.unwrap())["result"].clone();
            let found = result.as_array().unwrap();
            assert_eq!(found.len(), 2 * vertices);
            for row in found {
                let expected = expected.get(row[0].as_str().unwrap()).copied().unwrap_or_default();
                assert_eq!(row[1], expected, "{row} in {graph}");
                assert_eq!(row[2].as_f64(), Some(expected as f64), "{row} in {graph}");
            }
        }
    }
}

#[test]
fn a_result_does_not_depend_on_the_number_of_threads() {
    let run = |threads| {
        let session = session_with(InstanceOptions {
            analytics: AnalyticsOptions { threads, ..AnalyticsOptions::default() },
            ..InstanceOptions::default()
        });
        random_graph(&session, 300, 2_000, 7);
        ["pageRank", "wcc", "louvain", "labelPropagation"]
            .map(|name| rows(&session, &format!("RETURN GRAPH_ALGORITHM('{name}', {GRAPH})")))
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn a_kill_ends_an_algorithm_soon() {
    let session = session();
    random_graph(&session, 10_000, 60_000, 4);
    let text = format!("RETURN GRAPH_ALGORITHM('betweenness', {GRAPH}, {{direction: 'any'}})");
    let interrupt = Interrupt::new();
    let of_thread = session.clone().ended_by(interrupt.clone());
    let worker = thread::spawn(move || (query(&of_thread, &text).map(drop), Instant::now()));
    wait_until("the query runs", || session.instance().query_memory_used_bytes() >= 1 << 20);
    let killed = Instant::now();
    interrupt.kill();
    let (result, ended) = worker.join().unwrap();
    assert_eq!(result.unwrap_err().number(), 1500);
    assert!(ended - killed < Duration::from_secs(5), "it took {:?}", ended - killed);
    assert_eq!(session.instance().query_memory_used_bytes(), 0);
}

#[test]
fn a_graph_beyond_the_memory_is_refused_and_leaves_nothing() {
    let session =
        session_with(InstanceOptions { query_memory_limit_bytes: 100_000, ..InstanceOptions::default() });
    random_graph(&session, 2_000, 4_000, 5);
    let text = format!("RETURN LENGTH(GRAPH_ALGORITHM('degree', {GRAPH}))");
    assert_eq!(query(&session, &text).map(drop).unwrap_err().number(), 32);
    let estimate = format!("RETURN GRAPH_ALGORITHM('degree', {GRAPH}, null, {{mode: 'estimate'}})[0].fits");
    assert_eq!(rows(&session, &estimate), json!([false]));
    assert_eq!(session.instance().query_memory_used_bytes(), 0);
}

#[test]
fn too_many_vertices_are_refused() {
    let session = session_with(InstanceOptions {
        analytics: AnalyticsOptions { vertices_max: 30, ..AnalyticsOptions::default() },
        ..InstanceOptions::default()
    });
    random_graph(&session, 20, 10, 6);
    let error = query(&session, &format!("RETURN GRAPH_ALGORITHM('degree', {GRAPH})")).map(drop).unwrap_err();
    assert_eq!(error.number(), 10);
    assert!(error.message().contains("at most 30 are accepted"), "{error}");
}

/// Loads a projection of the random graph.
fn project(session: &Session, members: &str) -> String {
    let body = format!(r#"{{"vertexCollections": ["v", "v-x"], "edgeCollections": ["e", "f"]{members}}}"#);
    session.create_projection(Slice::new(&value(&body))).unwrap().name
}

#[test]
fn an_unused_projection_leaves_the_memory() {
    let session = session();
    random_graph(&session, 100, 300, 8);
    let kept = project(&session, r#", "name": "kept""#);
    project(&session, r#", "name": "short", "ttl": 0"#);
    wait_until("the projection is gone", || session.projection("short").is_err());
    assert!(session.instance().query_memory_used_bytes() > 0);
    session.remove_projection(&kept).unwrap();
    assert_eq!(session.instance().query_memory_used_bytes(), 0);
}

#[test]
fn a_projection_does_not_change_with_its_collections() {
    let session = session();
    random_graph(&session, 50, 200, 9);
    project(&session, r#", "name": "then""#);
    let edges = "RETURN GRAPH_ALGORITHM('degree', {projection: 'then'}, null, {mode: 'stats'})[0].edges";
    let before = rows(&session, edges);
    query(&session, "FOR e IN e REMOVE e IN e").unwrap();
    assert_eq!(rows(&session, edges), before);
}

#[test]
fn results_of_one_algorithm_are_the_input_of_the_next() {
    let session = session();
    random_graph(&session, 60, 90, 10);
    project(&session, r#", "name": "steps""#);
    rows(
        &session,
        "RETURN GRAPH_ALGORITHM('wcc', {projection: 'steps'}, null, {mode: 'mutate', attribute: 'part'})",
    );
    // Labels that begin as components do not change.
    let same = "LET parts = MERGE(FOR r IN GRAPH_ALGORITHM('wcc', {projection: 'steps'}) RETURN {[r.vertex]: r.component})
        FOR r IN GRAPH_ALGORITHM('labelPropagation', {projection: 'steps'}, {startAttribute: 'part'})
          COLLECT same = parts[r.vertex] == r.label RETURN same";
    assert_eq!(rows(&session, same), json!([true]));
}

/// Waits for the end of a job.
fn wait(job: &Job) -> JobState {
    wait_until("the job ends", || job.status().state.is_final());
    job.status().state
}

#[test]
fn a_job_loads_computes_and_writes() {
    let session = session();
    random_graph(&session, 80, 200, 11);
    let graph = value(r#"{"vertexCollections": ["v", "v-x"], "edgeCollections": ["e", "f"]}"#);
    let job = |columns: &[(&str, &str)], is_stored| {
        let columns =
            columns.iter().map(|(column, name)| ((*column).to_owned(), (*name).to_owned())).collect();
        let work = JobWork::Whole {
            graph: graph.clone(),
            algorithm: "wcc".to_owned(),
            parameters: value("{}"),
            columns,
            is_stored,
        };
        session.start_analytics(JobRequest::new("wcc", work))
    };
    let stored = job(&[("component", "part")], true).unwrap();
    assert!(matches!(wait(&stored), JobState::Done), "{:?}", stored.status());
    assert_eq!(stored.status().written, 160);
    let written = rows(&session, "FOR d IN v SORT d._key RETURN d.part");
    let kept = job(&[("component", "part")], false).unwrap();
    assert!(matches!(wait(&kept), JobState::Done));
    let text = format!(
        "FOR r IN PREGEL_RESULT('{}', true) FILTER r._id LIKE 'v/%' SORT r._key RETURN r.part",
        kept.id()
    );
    assert_eq!(rows(&session, &text), written);
    assert_eq!(job(&[("rank", "part")], true).unwrap_err().number(), 10);
    session.remove_analytics(kept.id()).unwrap();
    assert_eq!(query(&session, &text).map(drop).unwrap_err().number(), 1202);
}

#[test]
fn a_cancelled_job_ends() {
    let session = session();
    random_graph(&session, 10_000, 60_000, 12);
    let work = JobWork::Whole {
        graph: value(r#"{"vertexCollections": ["v", "v-x"], "edgeCollections": ["e", "f"]}"#),
        algorithm: "betweenness".to_owned(),
        parameters: value(r#"{"direction": "any"}"#),
        columns: Vec::new(),
        is_stored: false,
    };
    let job = session.start_analytics(JobRequest::new("long", work)).unwrap();
    session.cancel_analytics(job.id()).unwrap();
    assert!(matches!(wait(&job), JobState::Canceled));
    wait_until("the job uses no memory", || session.instance().query_memory_used_bytes() == 0);
}

#[test]
fn a_killed_run_says_how_many_documents_it_has_written() {
    let session = session();
    random_graph(&session, 40_000, 10, 13);
    let interrupt = Interrupt::new();
    let of_thread = session.clone().ended_by(interrupt.clone());
    let text = format!("RETURN GRAPH_ALGORITHM('wcc', {GRAPH}, null, {{mode: 'write', attribute: 'part'}})");
    let worker = thread::spawn(move || query(&of_thread, &text).map(drop));
    let written = || {
        let of = |name: &str| {
            rows(&session, &format!("RETURN COUNT(FOR d IN `{name}` FILTER d.part != null RETURN 1)"))[0]
                .as_u64()
                .unwrap()
        };
        of("v") + of("v-x")
    };
    wait_until("something is written", || written() > 0);
    interrupt.kill();
    match worker.join().unwrap() {
        Err(error) => {
            assert_eq!(error.number(), 1500);
            let said = format!("{} documents were written before", written());
            assert!(error.message().contains(&said), "{error}; expected: {said}");
        }
        // The run was faster than the kill.
        Ok(()) => assert_eq!(written(), 80_000),
    }
}

#[test]
fn a_graph_without_vertices_has_results_without_rows() {
    let session = session();
    create(&session, r#"{"name": "none"}"#);
    create(&session, r#"{"name": "edges", "type": 3}"#);
    for algorithm in ALGORITHMS {
        let needs = |kind| {
            algorithm.parameters.iter().any(|parameter| std::mem::discriminant(&parameter.kind) == kind)
        };
        if needs(std::mem::discriminant(&Kind::Vertex)) || algorithm.name == "attributePropagation" {
            continue;
        }
        let text = format!(
            "FOR r IN GRAPH_ALGORITHM('{}', {{vertexCollections: ['none'], edgeCollections: ['edges']}}) RETURN r",
            algorithm.name
        );
        assert_eq!(rows(&session, &text), json!([]), "{}", algorithm.name);
    }
}

#[test]
fn every_algorithm_has_statistics_and_an_estimate() {
    let session = session();
    random_graph(&session, 30, 90, 14);
    project(&session, r#", "name": "all""#);
    rows(
        &session,
        "RETURN GRAPH_ALGORITHM('wcc', {projection: 'all'}, null, {mode: 'mutate', attribute: 'part'})",
    );
    for algorithm in ALGORITHMS {
        let mut parameters = serde_json::Map::new();
        for parameter in algorithm.parameters {
            match parameter.kind {
                Kind::Vertex => parameters.insert(parameter.name.to_owned(), json!("v/1")),
                Kind::Attribute => parameters.insert(parameter.name.to_owned(), json!("part")),
                _ => None,
            };
        }
        for mode in ["stats", "estimate", "stream"] {
            let text = format!(
                "RETURN LENGTH(GRAPH_ALGORITHM('{}', {{projection: 'all'}}, {}, {{mode: '{mode}'}}))",
                algorithm.name,
                Value::Object(parameters.clone())
            );
            let length = rows(&session, &text)[0].as_u64().unwrap();
            assert!(mode == "stream" || length == 1, "{} in mode {mode}", algorithm.name);
        }
    }
}
