//! Clients that ask for long replies and do not read them.

use std::io::Read;
use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::http1::{Connection, Request};
use serde_json::json;

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::target::{COLLECTION, Target};

/// Number of concurrent clients.
const CLIENTS: usize = 200;

/// Time for which they hold their connections.
const HOLD: Duration = Duration::from_secs(6);

/// Documents in the collection, and bytes of each.
const DOCUMENTS: (usize, usize) = (20_000, 1_000);

/// Documents that are written in one request.
const AT_ONCE: usize = 1_000;

/// See the module.
pub(crate) struct SlowReaders;

impl Attack for SlowReaders {
    fn name(&self) -> &'static str {
        "slow-readers"
    }

    fn summary(&self) -> &'static str {
        "200 clients that request long replies and hardly read them"
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        let text = "a".repeat(DOCUMENTS.1);
        for first in (0..DOCUMENTS.0).step_by(AT_ONCE) {
            let documents: Vec<_> =
                (first..first + AT_ONCE).map(|key| json!({"_key": key.to_string(), "text": text})).collect();
            target.call("POST", &format!("/_api/document/{COLLECTION}"), &json!(documents).to_string())?;
        }
        Ok(())
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let mut cases = Vec::new();
        for (name, request) in requests(target) {
            for reads in [false, true] {
                let how = if reads { "a byte a second" } else { "nothing" };
                let request = request.clone();
                cases.push(Case::new(format!("{name}, read {how}"), move |target, _| {
                    ask_and_hold(target, &request, reads);
                    Ok(())
                }));
            }
        }
        run_cases(target, rng, cases)
    }
}

fn requests(target: &Target) -> Vec<(&'static str, Request)> {
    let keys: Vec<String> = (0..DOCUMENTS.0).map(|key| key.to_string()).collect();
    let cursor = |query: &str, stream: bool| {
        let body = json!({"query": query, "batchSize": 10_000_000, "options": {"stream": stream}});
        target.request("POST", "/_api/cursor").body(body.to_string())
    };
    let documents = format!("FOR d IN {COLLECTION} RETURN d");
    let export = target
        .request("POST", &format!("/_api/export?collection={COLLECTION}"))
        .body("{\"batchSize\":1000000}");
    let made = "FOR i IN 1..100000 RETURN {i, text: REPEAT('a', 500)}";
    vec![
        ("a cursor of documents", cursor(&documents, false)),
        ("a stream of documents", cursor(&documents, true)),
        ("a cursor of made rows", cursor(made, false)),
        ("a stream of made rows", cursor(made, true)),
        ("an export in one reply", export.clone().header("accept", "application/x-ndjson")),
        ("an export in batches", export),
        (
            "documents by list",
            target
                .request("PUT", &format!("/_api/document/{COLLECTION}?onlyget=true"))
                .body(json!(keys).to_string()),
        ),
        (
            "all documents",
            target.request("PUT", "/_api/simple/all").body(json!({"collection": COLLECTION}).to_string()),
        ),
    ]
}

/// Sends the request on many connections, which are held for some time.
fn ask_and_hold(target: &Target, request: &Request, reads: bool) {
    let start = Instant::now();
    let open = || {
        let mut connection = target.connect()?;
        connection.send(request)?;
        std::io::Result::Ok(connection)
    };
    // Errors: no more connections are accepted, or they are ended.
    let held: Vec<Connection> = (0..CLIENTS).filter_map(|_| open().ok()).collect();
    while start.elapsed() < HOLD {
        // A byte a second is what makes the readers slow.
        std::thread::sleep(Duration::from_secs(1));
        for connection in held.iter().filter(|_| reads) {
            let mut socket = connection.socket();
            // Errors: nothing is there yet, or the connection has ended.
            let _ = socket.set_read_timeout(Some(Duration::from_millis(1)));
            let _ = socket.read(&mut [0]);
        }
    }
}
