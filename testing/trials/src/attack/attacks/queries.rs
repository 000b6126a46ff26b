//! Hostile queries. Each must end with a reply, or soon after it is killed.

use std::time::Duration;

use fastrand::Rng;
use harness::http1::Connection;
use serde_json::json;

use super::Attack;
use super::hostile::{hostile_queries, prepare_graph};
use super::killed::{run_and_kill, run_for};
use crate::attack::case::{Case, run_cases};
use crate::attack::target::Target;

/// Times after which queries are killed: in the middle of their work, and when they have much
/// memory.
const KILL_AFTER: [Duration; 2] = [Duration::from_millis(150), Duration::from_secs(4)];

/// Streams that nobody reads.
const STREAMS: usize = 50;

/// See the module.
pub(crate) struct Queries;

impl Attack for Queries {
    fn name(&self) -> &'static str {
        "queries"
    }

    fn summary(&self) -> &'static str {
        "queries that take all memory or never end, and are killed"
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        prepare_graph(target)
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let queries = hostile_queries();
        let mut cases = Vec::new();
        for query in &queries {
            for after in KILL_AFTER {
                let name = format!("{} killed after {after:?}", query.name);
                cases.push(Case::new(name, move |target, rng| run_and_kill(target, rng, query, after)));
            }
            let name = format!("{} with maxRuntime", query.name);
            cases.push(Case::new(name, move |target, _| run_for(target, query)));
        }
        cases.push(Case::new("streams that nobody reads", |target, _| leave_streams(target)));
        run_cases(target, rng, cases)
    }
}

/// Opens streams of many rows and leaves them.
fn leave_streams(target: &Target) -> Result<(), String> {
    let options = json!({"stream": true});
    let query = "FOR i IN 1..100000000 SORT i % 10 RETURN {i, text: REPEAT('a', 1000)}";
    let body = json!({"query": query, "options": options, "ttl": 1}).to_string();
    for _ in 0..STREAMS {
        // Errors: it is refused.
        let _ = Connection::open(target.address(), Duration::from_millis(200))
            .and_then(|mut connection| connection.ask(&target.request("POST", "/_api/cursor").body(&*body)));
    }
    Ok(())
}
