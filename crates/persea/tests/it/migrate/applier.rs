//! A follower by the routes of ArangoDB 3.11.

use serde_json::{Value, json};

use super::{documents, order, wait_for_phase};
use crate::support::{Server, post};

fn put(server: &Server, path: &str, body: &Value) -> Value {
    let reply = server.connect().json("PUT", &format!("/_api/replication/{path}"), &body.to_string());
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()
}

#[test]
fn make_follower_copies_and_the_applier_can_be_stopped_and_started() {
    let folder = tempfile::tempdir().unwrap();
    let leader = Server::start(&folder.path().join("leader"), &["--changes.log", "always"]);
    post(&mut leader.connect(), "/_api/collection", &json!({"name": "docs"}));
    post(&mut leader.connect(), "/_api/document/docs", &json!({"_key": "first"}));
    let server = Server::start(&folder.path().join("follower"), &[]);
    let endpoint = leader.endpoint().replace("http://", "tcp://");
    let made =
        put(&server, "make-follower?global=true", &json!({"endpoint": endpoint, "includeSystem": true}));
    assert_eq!((&made["state"]["running"], &made["state"]["phase"]), (&json!(true), &json!("running")));
    assert!(documents(&server, "_system", "docs").contains_key("first"));
    let config = server.connect().json("GET", "/_api/replication/applier-config", "").json();
    assert_eq!(config["endpoint"], endpoint, "{config}");
    let stopped = put(&server, "applier-stop?global=true", &json!({}));
    assert_eq!(stopped["state"]["running"], false, "{stopped}");
    post(&mut leader.connect(), "/_api/document/docs", &json!({"_key": "second"}));
    assert!(!documents(&server, "_system", "docs").contains_key("second"));
    put(&server, "applier-start?global=true", &json!({}));
    let has_second = || documents(&server, "_system", "docs").contains_key("second");
    harness::wait_until("the applier does not go on", has_second).unwrap();
    let is_in_sync = || {
        let state = server.connect().json("GET", "/_api/replication/applier-state", "").json();
        state["state"]["ticksBehind"] == 0
    };
    harness::wait_until("the applier is behind", is_in_sync).unwrap();
    assert!(order(&server, "promote").status < 300);
    wait_for_phase(&server, "ended");
    post(&mut server.connect(), "/_api/document/docs", &json!({"_key": "own"}));
    let state = server.connect().json("GET", "/_api/replication/applier-state", "").json();
    assert_eq!(state["state"]["running"], false, "{state}");
}

#[test]
fn a_server_that_was_copied_once_is_followed_from_there_on() {
    let folder = tempfile::tempdir().unwrap();
    let leader = Server::start(&folder.path().join("leader"), &["--changes.log", "always"]);
    post(&mut leader.connect(), "/_api/collection", &json!({"name": "docs"}));
    post(&mut leader.connect(), "/_api/document/docs", &json!({"_key": "first"}));
    let server = Server::start(&folder.path().join("copy"), &[]);
    let source = json!({"endpoint": leader.endpoint().replace("http://", "tcp://")});
    let copied = put(&server, "sync?global=true", &source);
    let names: Vec<&Value> =
        copied["collections"].as_array().unwrap().iter().map(|collection| &collection["name"]).collect();
    assert!(names.contains(&&json!("docs")), "{copied}");
    // It is a server of its own now.
    post(&mut server.connect(), "/_api/collection", &json!({"name": "own"}));
    post(&mut leader.connect(), "/_api/document/docs", &json!({"_key": "second"}));
    let status = |path: &str, method: &str| {
        server.connect().json(method, &format!("/_api/replication/{path}"), "{}").status
    };
    put(&server, "applier-config?global=true", &source);
    let tick: u64 = copied["lastLogTick"].as_str().unwrap().parse().unwrap();
    assert_eq!(status(&format!("applier-start?from={}", tick + 1), "PUT"), 400);
    put(&server, &format!("applier-start?from={tick}"), &json!({}));
    let has_second = || documents(&server, "_system", "docs").contains_key("second");
    harness::wait_until("the log is not applied", has_second).unwrap();
    assert_eq!((status("applier-state", "DELETE"), status("applier-config", "PUT")), (400, 400));
    put(&server, "applier-stop", &json!({}));
    assert_eq!(status("applier-state", "DELETE"), 200);
    post(&mut server.connect(), "/_api/document/own", &json!({"_key": "a"}));
    wait_for_phase(&server, "none");
}
