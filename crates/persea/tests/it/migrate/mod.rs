//! A server takes another one over: a mock of ArangoDB, or Persea.

mod applier;
mod bad_input;
mod compare;
mod entries;
mod faults;
mod from_persea;
mod sync;
mod tls;

use std::collections::BTreeMap;

use arangodb_mock::Mock;
use harness::wait_until;
use serde_json::{Value, json};

use crate::support::tool::{self, Said};
use crate::support::{Reply, Server, query};

/// Returns the members by which Persea reaches the mock as root.
fn source_of(mock: &Mock) -> Value {
    json!({"endpoint": mock.endpoint(), "username": "root", "password": "secret"})
}

/// Returns the tool's options of the mock.
fn options_of(mock: &Mock) -> [String; 2] {
    [format!("--source.endpoint={}", mock.endpoint()), "--source.password=secret".to_owned()]
}

/// Runs `persea migrate`.
fn migrate(server: &Server, mock: Option<&Mock>, arguments: &[&str]) -> Said {
    let options = mock.map(options_of).into_iter().flatten().collect::<Vec<_>>();
    let options = options.iter().map(String::as_str);
    let all: Vec<&str> = arguments.iter().copied().chain(options).chain(["--progress", "false"]).collect();
    tool::run(server, "migrate", &all)
}

/// Sends a request that a follower answers too.
fn read(server: &Server, method: &str, path: &str, body: &Value) -> Reply {
    let header = ("x-arango-allow-dirty-read".to_owned(), "true".to_owned());
    let body = if body.is_null() { String::new() } else { body.to_string() };
    server.connect().send(method, path, &[header], body.as_bytes())
}

/// Sends an order without settings.
fn order(server: &Server, name: &str) -> Reply {
    server.connect().json("POST", &format!("/_api/follow/{name}"), "{}")
}

fn state(server: &Server) -> Value {
    server.connect().json("GET", "/_api/follow", "").json()
}

/// Waits until a phase is reached. Panics where the work has failed instead.
#[track_caller]
fn wait_for_phase(server: &Server, phase: &str) -> Value {
    let mut last = Value::Null;
    let is_reached = || {
        last = state(server);
        assert!(last["phase"] != "failed" || phase == "failed", "{last}");
        last["phase"] == phase
    };
    wait_until(&format!("the phase is not {phase}"), is_reached).unwrap();
    last
}

/// Waits until everything that the mock's log has by now is applied.
#[track_caller]
fn wait_for_log(server: &Server, mock: &Mock) {
    let last = mock.read(|model| model.last_tick());
    let is_applied = || {
        let state = state(server);
        assert_ne!(state["phase"], "failed", "{state}");
        let applied = state["log"]["applied"].as_str().and_then(|tick| tick.parse::<u64>().ok());
        state["phase"] == "following" && applied.is_some_and(|applied| applied >= last)
    };
    wait_until("the log is not applied", is_applied).unwrap();
}

/// Returns the documents of a collection by key.
fn documents(server: &Server, database: &str, collection: &str) -> BTreeMap<String, Value> {
    let body =
        json!({"query": "FOR d IN @@c RETURN d", "bindVars": {"@c": collection}, "batchSize": 1_000_000});
    let reply = read(server, "POST", &format!("/_db/{database}/_api/cursor"), &body);
    assert_eq!(reply.status, 201, "{database}/{collection}: {}", reply.text());
    by_key(reply.json()["result"].as_array().unwrap().clone())
}

fn by_key(documents: Vec<Value>) -> BTreeMap<String, Value> {
    documents.into_iter().map(|document| (document["_key"].as_str().unwrap().to_owned(), document)).collect()
}

/// Returns the names of the user's collections in a database.
fn collections(server: &Server, database: &str) -> Vec<String> {
    let path = format!("/_db/{database}/_api/collection?excludeSystem=true");
    let reply = read(server, "GET", &path, &Value::Null).json();
    let list = reply["result"].as_array().unwrap_or_else(|| panic!("{reply}")).iter();
    let mut names: Vec<String> = list.map(|one| one["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// Checks that the server has the documents of the mock, with their revisions.
#[track_caller]
fn check_documents(server: &Server, mock: &Mock, database: &str, names: &[&str]) {
    for name in names {
        let expected = by_key(mock.read(|model| model.documents(database, name)));
        assert_eq!(documents(server, database, name), expected, "{database}/{name}");
    }
}

/// Returns true if the server accepts a write.
fn accepts_writes(server: &Server) -> bool {
    let mut client = server.connect();
    client.json("POST", "/_api/collection", r#"{"name": "written"}"#).status == 200
        && query(&mut client, "INSERT {} INTO written RETURN 1") == json!([1])
}
