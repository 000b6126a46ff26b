//! Persea is taken over by Persea while it is written, and both are killed.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{collections, documents, order, state, wait_for_phase};
use crate::support::tool::{self, Said};
use crate::support::{Raise, Server, post};

/// Writes documents, transactions over two collections and definitions, until told to stop.
fn write(server: &Server, stop: &AtomicBool) {
    let mut client = server.connect();
    for round in 0.. {
        let bind = json!({"n": round});
        for text in [
            "FOR i IN 1..20 INSERT {_key: CONCAT(@n, '-', i), n: @n} INTO docs",
            "INSERT {_key: TO_STRING(@n)} INTO left INSERT {_key: TO_STRING(@n)} INTO right",
            "FOR i IN 1..5 REMOVE CONCAT(@n, '-', i) IN docs",
        ] {
            post(&mut client, "/_api/cursor", &json!({"query": text, "bindVars": bind}));
        }
        let name = format!("passing{}", round % 3);
        post(&mut client, "/_api/collection", &json!({"name": name}));
        post(&mut client, &format!("/_api/document/{name}"), &json!({"n": round}));
        if stop.load(Ordering::Relaxed) {
            return;
        }
        assert_eq!(client.json("DELETE", &format!("/_api/collection/{name}"), "").status, 200);
    }
}

fn migrate(server: &Server, source: &Server, arguments: &[&str]) -> Said {
    let endpoint = format!("--source.endpoint={}", source.endpoint());
    let options = [endpoint.as_str(), "--source.password=", "--progress=false"];
    tool::run(server, "migrate", &[arguments, &options].concat())
}

fn all(server: &Server) -> Vec<(String, Value)> {
    let names = collections(server, "_system");
    names.into_iter().map(|name| (name.clone(), json!(documents(server, "_system", &name)))).collect()
}

/// Waits until the copy has begun or is done.
fn wait_for_begin(server: &Server) {
    let has_begun = || state(server)["phase"] != "none";
    harness::wait_until("the copy has not begun", has_begun).unwrap();
}

#[test]
fn a_server_under_writes_is_taken_over_through_kills() {
    let folder = tempfile::tempdir().unwrap();
    let source_data = folder.path().join("source");
    let source = Server::start(&source_data, &["--changes.log", "always"]);
    for name in ["docs", "left", "right"] {
        post(&mut source.connect(), "/_api/collection", &json!({"name": name}));
    }
    let load = "FOR i IN 1..20000 INSERT {_key: CONCAT('load', i), text: REPEAT('x', 100)} INTO docs";
    post(&mut source.connect(), "/_api/cursor", &json!({"query": load}));
    let stop = AtomicBool::new(false);
    let data = folder.path().join("server");
    let server = std::thread::scope(|threads| {
        let writers = Raise(&stop);
        threads.spawn(|| write(&source, &stop));
        let server = Server::start(&data, &[]);
        // The tool may end at any time: the server works.
        let endpoint = format!("--source.endpoint={}", source.endpoint());
        let options = ["start", "--wait", &endpoint, "--source.password=", "--progress=false"];
        let mut waiting = tool::command(&server, "migrate", &options).spawn().unwrap();
        wait_for_begin(&server);
        waiting.kill().unwrap();
        waiting.wait().unwrap();
        // The server is killed within the copy, and within the log.
        server.kill();
        let server = Server::start(&data, &[]);
        wait_for_phase(&server, "following");
        server.kill();
        let server = Server::start(&data, &[]);
        wait_for_phase(&server, "following");
        drop(writers);
        server
    });
    migrate(&server, &source, &["cut-over", "--wait"]).success();
    assert_eq!(all(&server), all(&source));
    migrate(&server, &source, &["compare"]).success();
    let refused = source.connect().json("POST", "/_api/document/docs", "{}");
    assert_eq!(refused.status, 403, "{}", refused.text());
    let accepted = server.connect().json("POST", "/_api/document/docs", "{}");
    assert_eq!(accepted.status, 202, "{}", accepted.text());
}

#[test]
fn a_source_that_is_gone_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("server");
    let source = Server::start(&folder.path().join("source"), &["--changes.log", "always"]);
    post(&mut source.connect(), "/_api/collection", &json!({"name": "docs"}));
    let server = Server::start(&data, &[]);
    migrate(&server, &source, &["start", "--wait"]).success();
    assert!(order(&server, "pause").status < 300);
    wait_for_phase(&server, "paused");
    source.kill();
    server.kill();
    let server = Server::start(&data, &[]);
    assert_eq!(state(&server)["phase"], "paused");
    assert!(order(&server, "resume").status < 300);
    let is_away = || state(&server)["error"]["errorNum"].as_u64() > Some(0);
    harness::wait_until("no error is told", is_away).unwrap();
    assert_ne!(state(&server)["phase"], "failed");
    assert!(order(&server, "abort").status < 300);
    wait_for_phase(&server, "none");
}
