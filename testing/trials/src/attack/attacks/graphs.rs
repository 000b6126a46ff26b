//! Algorithms over whole graphs that take long or much memory, and graphs that fill the memory.

use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};

use super::Attack;
use super::hostile::Hostile;
use super::killed::{run_and_kill, run_for};
use crate::attack::case::{Case, run_cases};
use crate::attack::target::Target;

/// Vertices of the graph.
const VERTICES: usize = 20_000;

/// Vertices that one query writes, with their edges.
const VERTICES_AT_ONCE: usize = 2_000;

/// Edges of each vertex, to vertices that its number decides.
const DEGREE: usize = 10;

/// Times after which runs are killed: while they load, and while they compute.
const KILL_AFTER: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(500)];

/// Projections that one case asks for.
const PROJECTIONS: usize = 50;

/// The collections, as a request names them.
const COLLECTIONS: &str = r#""vertexCollections": ["places"], "edgeCollections": ["ways"]"#;

/// See the module.
pub(crate) struct Graphs;

impl Attack for Graphs {
    fn name(&self) -> &'static str {
        "graphs"
    }

    fn summary(&self) -> &'static str {
        "algorithms over whole graphs, and graphs that fill the memory"
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        target.call("POST", "/_api/collection", r#"{"name": "places"}"#)?;
        target.call("POST", "/_api/collection", r#"{"name": "ways", "type": 3}"#)?;
        for first in (1..VERTICES).step_by(VERTICES_AT_ONCE) {
            let some = format!("FOR i IN {first}..{}", first + VERTICES_AT_ONCE - 1);
            let vertices = format!("{some} INSERT {{_key: TO_STRING(i)}} INTO places");
            let edges = format!(
                "{some} FOR j IN 1..{DEGREE} INSERT {{
                     _from: CONCAT('places/', i), _to: CONCAT('places/', 1 + (i * 7919 + j * j * 104729) % {VERTICES})
                 }} INTO ways"
            );
            target.call("POST", "/_api/cursor", &json!({ "query": vertices }).to_string())?;
            target.call("POST", "/_api/cursor", &json!({ "query": edges }).to_string())?;
        }
        Ok(())
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let mut cases = Vec::new();
        for query in runs() {
            for after in KILL_AFTER {
                let (name, query) = (format!("{} killed after {after:?}", query.name), query.clone());
                cases.push(Case::new(name, move |target, rng| run_and_kill(target, rng, &query, after)));
            }
            let name = format!("{} with maxRuntime", query.name);
            cases.push(Case::new(name, move |target, _| run_for(target, &query)));
        }
        cases.push(Case::new("projections that fill the memory", |target, _| fill(target)));
        run_cases(target, rng, cases)
    }
}

/// Runs that take seconds to hours, or more memory than the server has.
fn runs() -> Vec<Hostile> {
    let run = |algorithm: &str, parameters: Value| Hostile {
        name: algorithm.to_owned(),
        text: format!("RETURN LENGTH(GRAPH_ALGORITHM(@algorithm, {{{COLLECTIONS}}}, @parameters))"),
        bind: json!({"algorithm": algorithm, "parameters": parameters}),
    };
    vec![
        run("betweenness", json!({"direction": "any"})),
        run("closeness", json!({"direction": "any"})),
        run("pageRank", json!({"maxIterations": 1_000_000, "tolerance": 0})),
        run("labelPropagation", json!({"maxIterations": 1_000_000, "randomTieBreak": true})),
        run("louvain", json!({"resolution": 1_000_000})),
        run("leiden", json!({"resolution": 0.000_1})),
        run("nodeSimilarity", json!({"topK": 1_000_000, "maxDegree": 1_000_000})),
        run("randomWalks", json!({"walksPerVertex": 1_000_000, "length": 1_000_000})),
        run("node2vecWalks", json!({"returnFactor": 0.001, "inOutFactor": 1_000, "length": 10_000})),
        run("slpa", json!({"maxIterations": 10_000, "maxCommunities": 10_001})),
        run("triangles", json!({})),
    ]
}

/// Loads projections until the memory or their number is used up, and removes them.
fn fill(target: &Target) -> Result<(), String> {
    let mut ids = Vec::new();
    for _ in 0..PROJECTIONS {
        if target.is_over() {
            break;
        }
        let request = target.request("POST", "/_api/analytics/projections");
        let reply =
            target.ask(&request.body(format!("{{{COLLECTIONS}}}"))).map_err(|error| error.to_string())?;
        match reply.status {
            201 => ids.push(reply.json()["id"].as_str().unwrap_or_default().to_owned()),
            _ if reply.json()["errorNum"] == 32 => break,
            status => return Err(format!("a projection was answered with {status}: {}", reply.text())),
        }
    }
    for id in ids {
        target.call("DELETE", &format!("/_api/analytics/projections/{id}"), "")?;
    }
    Ok(())
}
