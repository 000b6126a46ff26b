//! Queries that are killed, or whose `maxRuntime` ends, and the time that they take then.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::http1::{Connection, Reply};
use serde_json::{Value, json};

use super::hostile::Hostile;
use crate::attack::target::Target;

/// Maximum time from a kill to the query's reply, besides the floor.
const KILL_TIME: Duration = Duration::from_millis(100);

/// Maximum wait for the reply of a killed query.
const PATIENCE: Duration = Duration::from_secs(15);

/// `maxRuntime` of queries that end by themselves.
const MAX_RUNTIME: Duration = Duration::from_millis(300);

/// The reply to a query, or the error of its connection.
type Outcome = io::Result<Reply>;

/// Runs a query and kills it unless it has ended by then. Errors: the server's failure.
pub(super) fn run_and_kill(
    target: &Target,
    rng: &mut Rng,
    query: &Hostile,
    after: Duration,
) -> Result<(), String> {
    let marker = format!("attack {}", rng.u64(..));
    let text = format!("{} // {marker}", query.text);
    let body = json!({"query": text, "bindVars": query.bind}).to_string();
    run_concurrently(target, body, after + PATIENCE, |outcome| match outcome.recv_timeout(after) {
        Ok(reply) => judge(reply),
        Err(_) => {
            let start = Instant::now();
            kill(target, &marker)?;
            judge_end(target, outcome, start, "the kill")
        }
    })
}

/// Runs a query with `maxRuntime`. Errors: the server's failure.
pub(super) fn run_for(target: &Target, query: &Hostile) -> Result<(), String> {
    let options = json!({"maxRuntime": MAX_RUNTIME.as_secs_f64()});
    let body = json!({"query": query.text, "bindVars": query.bind, "options": options}).to_string();
    run_concurrently(target, body, MAX_RUNTIME + PATIENCE, |outcome| {
        match outcome.recv_timeout(MAX_RUNTIME) {
            Ok(reply) => judge(reply),
            Err(_) => judge_end(target, outcome, Instant::now(), "maxRuntime"),
        }
    })
}

/// Sends a query on a thread of its own, while `judge` waits for the outcome.
fn run_concurrently(
    target: &Target,
    body: String,
    timeout: Duration,
    judge: impl FnOnce(&Receiver<Outcome>) -> Result<(), String>,
) -> Result<(), String> {
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            target.count(1);
            let request = target.request("POST", "/_api/cursor").body(body);
            let outcome = Connection::open(target.address(), timeout)
                .and_then(|mut connection| connection.ask(&request));
            // Errors: nobody waits any more.
            let _ = sender.send(outcome);
        });
        judge(&receiver)
    })
}

/// Errors: there is neither a result nor an error of ArangoDB's.
fn judge(outcome: Outcome) -> Result<(), String> {
    match outcome {
        Ok(reply) if reply.status < 300 || reply.error_number() > 0 => Ok(()),
        Ok(reply) => Err(format!("the reply is {} {}", reply.status, reply.text())),
        Err(error) => Err(format!("there is no reply: {error}")),
    }
}

fn judge_end(
    target: &Target,
    outcome: &Receiver<Outcome>,
    start: Instant,
    cause: &str,
) -> Result<(), String> {
    let reply = outcome.recv_timeout(PATIENCE);
    let (time, bound) = (start.elapsed(), KILL_TIME + target.limits().floor * 5);
    match reply {
        Err(RecvTimeoutError::Timeout) => Err(format!("it runs {time:.1?} after {cause}")),
        Err(RecvTimeoutError::Disconnected) => Err("the thread has ended".to_owned()),
        Ok(_) if time > bound => Err(format!("it ended {time:.1?} after {cause}, the bound is {bound:?}")),
        Ok(reply) => judge(reply),
    }
}

/// Kills the query with a marker in its text. A query that has already ended is not a failure.
fn kill(target: &Target, marker: &str) -> Result<(), String> {
    let running = target.call("GET", "/_api/query/current", "")?.json();
    let is_it = |query: &&Value| query["query"].as_str().is_some_and(|text| text.contains(marker));
    let Some(query) = running.as_array().into_iter().flatten().find(is_it) else { return Ok(()) };
    let id = query["id"].as_str().unwrap_or_default();
    target
        .ask(&target.request("DELETE", &format!("/_api/query/{id}")))
        .map(|_| ())
        .map_err(|error| format!("the kill was not answered: {error}"))
}
