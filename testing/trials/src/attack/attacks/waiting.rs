//! Writers that wait for a locked collection, more of them than the server has threads, while the
//! owner of the lock takes its time. Others go on meanwhile: scans, definitions, sign-ins, kills.

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::http1::{Connection, Request};
use harness::{PASSWORD, wait_within};
use serde_json::{Value, json};

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::target::{TIMEOUT, Target};

/// The collection that is locked.
const LOCKED: &str = "locked";

/// The user whose writers wait in the second case.
const USER: &str = "writer";

/// Writers that wait.
const WRITERS: [(usize, &str); 2] = [(60, "root"), (400, USER)];

/// Maximum time of a request of somebody else, besides the floor.
const OTHERS_TIME: Duration = Duration::from_millis(500);

/// Rounds of requests of somebody else, while the writers wait.
const ROUNDS: usize = 5;

/// Maximum wait for the writers to wait.
const ARRIVAL: Duration = Duration::from_secs(20);

/// See the module.
pub(crate) struct Waiting;

impl Attack for Waiting {
    fn name(&self) -> &'static str {
        "waiting"
    }

    fn summary(&self) -> &'static str {
        "writers that wait for a lock, more of them than threads"
    }

    fn options(&self, _folder: &Path) -> Result<Vec<String>, String> {
        Ok(["--javascript.allow-admin-execute", "true"].map(str::to_owned).to_vec())
    }

    /// The writers must be more than the threads, and fewer than those that may wait.
    fn threads(&self) -> Option<usize> {
        None
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        for name in [LOCKED, "scanned"] {
            target.call("POST", "/_api/collection", &json!({"name": name}).to_string())?;
        }
        let documents: Vec<Value> = (0..1_000).map(|n| json!({"n": n})).collect();
        target.call("POST", "/_api/document/scanned", &json!(documents).to_string())?;
        target.call("POST", "/_api/user", &json!({"user": USER, "passwd": PASSWORD}).to_string())?;
        target.call("PUT", &format!("/_api/user/{USER}/database/_system"), r#"{"grant": "rw"}"#)?;
        Ok(())
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let case = |(writers, user): (usize, &'static str)| {
            let name = format!("{writers} writers of {user} wait for a lock");
            Case::new(name, move |target: &Target, _| lock_out(target, writers, user))
        };
        run_cases(target, rng, WRITERS.into_iter().map(case).collect())
    }
}

/// Locks a collection, lets writers wait for it, and does other work. Errors: the server's failure.
fn lock_out(target: &Target, writers: usize, user: &str) -> Result<(), String> {
    let authorization = format!("bearer {}", sign_in(target, user).map_err(|error| error.to_string())?);
    let begin = json!({"collections": {"exclusive": LOCKED}}).to_string();
    let begun = target.call("POST", "/_api/transaction/begin", &begin)?.json();
    let lock = begun["result"]["id"].as_str().unwrap_or_default().to_owned();
    let authorization = &authorization;
    thread::scope(|scope| {
        let waiting: Vec<_> =
            (0..writers).map(|number| scope.spawn(move || write(target, authorization, number))).collect();
        let others = until_queries_wait(target).and_then(|()| work_of_others(target));
        // The lock goes in any case, or the writers would wait for a minute.
        let aborted = abort(target, &lock);
        let written = waiting.into_iter().map(|writer| match writer.join() {
            // Scripts of users who are no administrators are refused.
            Ok(Ok(status)) if status < 300 || matches!(status, 403 | 410 | 503) => Ok(()),
            Ok(Ok(status)) => Err(format!("a writer that waited was answered {status}")),
            Ok(Err(error)) => Err(format!("a writer that waited had no reply: {error}")),
            Err(_) => Err("the thread of a writer has ended".to_owned()),
        });
        others.and(aborted).and(written.collect())
    })
}

/// Writes one document, by an insert, a query or a script. Returns the status.
fn write(target: &Target, authorization: &str, number: usize) -> io::Result<u16> {
    target.count(1);
    let (path, body) = match number % 3 {
        // The script waits for its transaction, or for a query that it sends.
        0 if number.is_multiple_of(6) => ("/_api/transaction".to_owned(), transaction(number)),
        0 => ("/_admin/execute".to_owned(), json!(script(number))),
        1 => (format!("/_api/document/{LOCKED}"), json!({"n": number})),
        _ => ("/_api/cursor".to_owned(), json!({"query": format!("INSERT {{n: {number}}} INTO {LOCKED}")})),
    };
    // A script is sent as it is.
    let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
    let request = Request::new("POST", &path).header("authorization", authorization).body(body);
    let reply = Connection::open(target.address(), TIMEOUT)?.ask(&request)?;
    // The memory for the isolates of scripts is limited.
    Ok(if reply.error_number() == 32 { 503 } else { reply.status })
}

/// Returns a script that writes into the locked collection.
fn script(number: usize) -> String {
    format!("require('@arangodb').db._query('INSERT {{n: {number}}} INTO {LOCKED}');")
}

fn transaction(number: usize) -> Value {
    json!({"collections": {"write": LOCKED}, "action": format!("() => {{ {} }}", script(number))})
}

/// Waits until some queries of the writers wait. Errors: they do not.
fn until_queries_wait(target: &Target) -> Result<(), String> {
    let is_there = || {
        let current = target.call("GET", "/_api/query/current?all=true", "").ok()?.json();
        (current.as_array()?.len() >= 20).then_some(())
    };
    wait_within(ARRIVAL, "queries wait for the lock", is_there)
}

/// Errors: a request of somebody else fails or takes too long.
fn work_of_others(target: &Target) -> Result<(), String> {
    let scan = json!({"query": "FOR d IN scanned FILTER d.n >= 0 SORT d.n RETURN d"}).to_string();
    for round in 0..ROUNDS {
        let name = format!("defined{round}");
        let collection = json!({"name": name}).to_string();
        let index = json!({"type": "persistent", "fields": ["n"]}).to_string();
        in_time(target, "a scan", || target.call("POST", "/_api/cursor", &scan).map(|_| ()))?;
        in_time(target, "a new collection", || {
            target.call("POST", "/_api/collection", &collection).map(|_| ())
        })?;
        in_time(target, "a new index", || {
            target.call("POST", &format!("/_api/index?collection={name}"), &index).map(|_| ())
        })?;
        in_time(target, "the removal of a collection", || {
            target.call("DELETE", &format!("/_api/collection/{name}"), "").map(|_| ())
        })?;
        in_time(target, "a sign-in", || sign_in(target, "root").map(|_| ()).map_err(|e| e.to_string()))?;
        in_time(target, "a list of transactions", || {
            target.call("GET", "/_api/transaction", "").map(|_| ())
        })?;
        in_time(target, "a kill", || kill_one(target))?;
    }
    Ok(())
}

/// Kills one query that waits. Errors: text, also if there is none.
fn kill_one(target: &Target) -> Result<(), String> {
    let current = target.call("GET", "/_api/query/current?all=true", "")?.json();
    let text = |query: &Value| query["query"].as_str().unwrap_or_default().to_owned();
    let waiting = current.as_array().into_iter().flatten().find(|query| text(query).contains(LOCKED));
    let id = waiting.and_then(|query| query["id"].as_str()).ok_or("no query waits for the lock")?;
    target.call("DELETE", &format!("/_api/query/{id}?all=true"), "").map(|_| ())
}

fn abort(target: &Target, transaction: &str) -> Result<(), String> {
    in_time(target, "the end of the lock", || {
        target.call("DELETE", &format!("/_api/transaction/{transaction}"), "").map(|_| ())
    })
}

/// Errors: those of the work, and that it takes too long.
fn in_time(target: &Target, name: &str, work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let start = Instant::now();
    work().map_err(|error| format!("{name}: {error}"))?;
    let (time, bound) = (start.elapsed(), OTHERS_TIME + target.limits().floor * 10);
    if time <= bound { Ok(()) } else { Err(format!("{name} took {time:.1?}, the bound is {bound:?}")) }
}

/// Signs a user in and returns the token.
fn sign_in(target: &Target, user: &str) -> io::Result<String> {
    let body = json!({"username": user, "password": PASSWORD}).to_string();
    let reply = target.ask(&Request::new("POST", "/_open/auth").body(body))?;
    let token = reply.json()["jwt"].as_str().map(str::to_owned);
    token.ok_or_else(|| io::Error::other(format!("{} {}", reply.status, reply.text())))
}
