//! A random search: queries, schemas, computed values, Analyzers and patterns of users with few
//! rights, under deadlines.
//!
//! Several actions run at once, each with a seed of its own, which a failure names. A query must
//! end within [`END_TIME`] of its `maxRuntime` or its kill. A request for a definition is left by
//! its client, and the removal of what it defined must be answered soon.

mod definition;
mod query;

use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use harness::PASSWORD;
use harness::http1::{Connection, Request};
use serde_json::{Value, json};

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::target::Target;

/// The database of the attack.
const DATABASE: &str = "attacked";

/// The user who may read.
const READER: &str = "reader";

/// The user who may write and define.
const AUTHOR: &str = "author";

/// Actions that run at once.
const AT_ONCE: usize = 3;

/// Rounds of a pass.
const ROUNDS: usize = 30;

/// Maximum time from the kill or the end of `maxRuntime` to the reply, besides the floor.
const END_TIME: Duration = Duration::from_millis(300);

/// Time between two attempts to kill a query.
const KILL_AGAIN: Duration = Duration::from_millis(10);

/// Maximum wait for a reply.
const PATIENCE: Duration = Duration::from_secs(20);

/// Characters of a query that a failure shows.
const SHOWN: usize = 600;

/// See the module.
pub(crate) struct Random;

impl Attack for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn summary(&self) -> &'static str {
        "random queries and definitions of users with few rights"
    }

    /// No query waits for a thread, as that is no part of its run: one user gets three of four.
    fn threads(&self) -> Option<usize> {
        Some(AT_ONCE + 1)
    }

    fn prepare(&self, target: &Target) -> Result<(), String> {
        target.call("POST", "/_api/database", &json!({"name": DATABASE}).to_string())?;
        for (user, grant) in [(READER, "ro"), (AUTHOR, "rw")] {
            target.call("POST", "/_api/user", &json!({"user": user, "passwd": PASSWORD}).to_string())?;
            let path = format!("/_api/user/{user}/database/{DATABASE}");
            target.call("PUT", &path, &json!({"grant": grant}).to_string())?;
            let path = format!("/_api/user/{user}/database/{DATABASE}/*");
            target.call("PUT", &path, &json!({"grant": grant}).to_string())?;
        }
        target.call("POST", &path("/_api/collection"), r#"{"name": "texts"}"#)?;
        let document = |number: usize| {
            let words: Vec<String> = (0..50).map(|word| format!("w{}", (number * 7 + word) % 500)).collect();
            json!({"word": format!("{number:x}").repeat(20), "text": words.join(" ")})
        };
        let documents: Vec<Value> = (0..2_000).map(document).collect();
        target.call("POST", &path("/_api/document/texts"), &json!(documents).to_string())?;
        let fields = json!({"word": {}, "text": {"analyzers": ["text_en", "identity"]}});
        let links = json!({"texts": {"fields": fields}});
        let view = json!({"name": "searched", "type": "arangosearch", "links": links});
        target.call("POST", &path("/_api/view"), &view.to_string()).map(|_| ())
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let round = |target: &Target, rng: &mut Rng| {
            let seeds: Vec<u64> = (0..AT_ONCE).map(|_| rng.u64(..)).collect();
            thread::scope(|scope| {
                let actions: Vec<_> =
                    seeds.into_iter().map(|seed| scope.spawn(move || act(target, seed))).collect();
                let ended = |action: thread::ScopedJoinHandle<'_, Result<(), String>>| {
                    action.join().unwrap_or_else(|_| Err("the thread of an action has ended".to_owned()))
                };
                // All of them end before the first failure is reported.
                let outcomes: Vec<Result<(), String>> = actions.into_iter().map(ended).collect();
                outcomes.into_iter().collect()
            })
        };
        let rounds = (0..ROUNDS).map(|number| Case::new(format!("round {number}"), round));
        run_cases(target, rng, rounds.collect())
    }
}

/// Returns a path in the attack's database.
fn path(path: &str) -> String {
    format!("/_db/{DATABASE}{path}")
}

/// Does what a seed says. Errors: the failure, with the seed.
fn act(target: &Target, seed: u64) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let outcome = match rng.u8(..4) {
        0 => definition::define(target, &mut rng),
        _ => run_query(target, &mut rng),
    };
    outcome.map_err(|failure| format!("seed {seed}: {failure}"))
}

/// Runs a random query with `maxRuntime`, or kills it. Errors: the server's failure.
fn run_query(target: &Target, rng: &mut Rng) -> Result<(), String> {
    let (text, bind) = query::random(rng);
    let shown: String = format!("{text} with {bind}").chars().take(SHOWN).collect();
    let runtime = Duration::from_millis(rng.u64(20..400));
    let memory: u64 = [1 << 20, 16 << 20, 128 << 20][rng.usize(..3)];
    let is_killed = rng.bool();
    let mut options = json!({});
    if !is_killed {
        options["maxRuntime"] = json!(runtime.as_secs_f64());
    }
    // The list of running queries shows the beginning of a long text.
    let marker = format!("/* attack {} */", rng.u64(..));
    let marked = format!("{marker} {text}");
    let body = json!({"query": marked, "bindVars": bind, "options": options, "memoryLimit": memory});
    let request = as_user(READER, "POST", &path("/_api/cursor")).body(body.to_string());
    target.count(1);
    let start = Instant::now();
    thread::scope(|scope| {
        let reply = scope.spawn(|| {
            let reply =
                Connection::open(target.address(), PATIENCE).and_then(|mut client| client.ask(&request));
            (reply, start.elapsed())
        });
        let mut end = runtime;
        if is_killed {
            thread::sleep(runtime);
            // On a busy machine, the query may not have begun.
            end = start.elapsed();
            while !reply.is_finished() && !kill(target, &marker)? {
                thread::sleep(KILL_AGAIN);
                end = start.elapsed();
            }
        }
        let (reply, took) = reply.join().map_err(|_| "the client has ended".to_owned())?;
        let late = took.saturating_sub(end);
        let bound = END_TIME + target.limits().floor * 5;
        match reply {
            Err(error) => Err(format!("no reply after {took:.1?}: {error}: {shown}")),
            Ok(_) if late > bound => {
                let end = if is_killed { "kill" } else { "maxRuntime" };
                Err(format!("it ended {late:.1?} after its {end}, the bound is {bound:?}: {shown}"))
            }
            Ok(reply) if reply.status >= 500 && reply.error_number() == 4 => {
                Err(format!("an internal error: {}: {shown}", reply.text()))
            }
            Ok(_) => Ok(()),
        }
    })
}

/// Kills the query whose text begins with this. Returns false if it does not run.
fn kill(target: &Target, marker: &str) -> Result<bool, String> {
    let running = target.call("GET", "/_api/query/current?all=true", "")?.json();
    let is_it = |query: &&Value| query["query"].as_str().is_some_and(|text| text.starts_with(marker));
    let Some(query) = running.as_array().into_iter().flatten().find(is_it) else { return Ok(false) };
    let id = query["id"].as_str().unwrap_or_default();
    let request = target.request("DELETE", &format!("/_api/query/{id}?all=true"));
    target.ask(&request).map(|_| true).map_err(|error| format!("the kill was not answered: {error}"))
}

/// Returns a request of a user.
fn as_user(user: &str, method: &str, path: &str) -> Request {
    Request::new(method, path).header("authorization", &format!("Basic {}", basic(user)))
}

/// Returns the credentials of a user in base64.
fn basic(user: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = format!("{user}:{PASSWORD}");
    let mut encoded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bytes = [chunk.first(), chunk.get(1), chunk.get(2)].map(|byte| byte.copied().map(u32::from));
        let bits = bytes.iter().fold(0, |bits, byte| (bits << 8) | byte.unwrap_or(0));
        for (number, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let letter = LETTERS[(bits >> shift) as usize & 63] as char;
            encoded.push(if number > chunk.len() { '=' } else { letter });
        }
    }
    encoded
}
