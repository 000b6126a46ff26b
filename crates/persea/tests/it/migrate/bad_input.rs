//! Sources that cannot be taken over, and orders at the wrong time: a clear error, and nothing is
//! changed on either side.

use std::io::{Read, Write};
use std::net::TcpListener;

use arangodb_mock::{Mock, Model, Role, Version};
use serde_json::{Value, json};

use super::{accepts_writes, migrate, order, source_of, state, wait_for_phase};
use crate::support::{Reply, Server};

fn put(server: &Server, body: &Value) -> Reply {
    server.connect().json("PUT", "/_api/follow", &body.to_string())
}

/// Checks that a source is refused with an error whose message has a text, and that nothing has
/// begun.
#[track_caller]
fn refuse(server: &Server, body: &Value, number: u64, text: &str) {
    let reply = put(server, body);
    assert!(reply.status >= 400, "{body}: {}", reply.text());
    let error = reply.json();
    assert_eq!(error["errorNum"], number, "{body}: {error}");
    assert!(error["errorMessage"].as_str().unwrap().contains(text), "{body}: {error}");
    assert_eq!(state(server)["phase"], "none");
}

/// Starts a server that answers every request in this way.
fn other_program(reply: &'static str) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(reply.as_bytes());
        }
    });
    endpoint
}

#[test]
fn a_source_that_cannot_be_followed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mock = Mock::start(Version::V312).unwrap();
    mock.write(|model| model.create_user("reader", "r", &[("_system", "ro")]));
    let with = |name: &str, value: Value| {
        let mut body = source_of(&mock);
        body[name] = value;
        body
    };
    refuse(&server, &with("password", json!("wrong")), 1402, "401");
    refuse(
        &server,
        &json!({"endpoint": mock.endpoint(), "username": "reader", "password": "r"}),
        1402,
        "403",
    );
    refuse(&server, &with("databases", json!(["nowhere"])), 10, "nowhere");
    refuse(&server, &with("endpoint", json!("tcp://127.0.0.1:1")), 1400, "127.0.0.1:1");
    let html = other_program("HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>");
    refuse(&server, &with("endpoint", json!(html)), 1401, "");
    let json = other_program(
        "HTTP/1.1 200 OK\r\ncontent-length: 21\r\nconnection: close\r\n\r\n{\"server\": \"couchdb\"}",
    );
    refuse(&server, &with("endpoint", json!(json)), 1401, "neither ArangoDB nor Persea");
    for version in [Version::V39, Version::V40] {
        let mock = Mock::start(version).unwrap();
        refuse(&server, &source_of(&mock), 1403, version.number());
    }
    mock.configure(|model| model.set_role(Role::Coordinator));
    refuse(&server, &source_of(&mock), 1403, "cluster");
    let probe = migrate(&server, Some(&mock), &["probe"]).failure();
    assert!(probe.contains("persea migrate compare"), "{probe}");
    assert!(accepts_writes(&server));
}

#[test]
fn bodies_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mock = Mock::start(Version::V312).unwrap();
    for (name, value) in [
        ("endpoint", Value::Null),
        ("endpoint", json!(1)),
        ("endpoint", json!("vst://a")),
        ("endpoint", json!("nothing")),
        ("password", json!(1)),
        ("databases", json!("shop")),
        ("databases", json!([1])),
        ("kind", json!("other")),
        ("threads", json!(-1)),
        ("threads", json!(100_000)),
        ("tls", json!({"caFile": "/nowhere/ca.pem"})),
    ] {
        let mut body = source_of(&mock);
        if name == "tls" {
            body["endpoint"] = json!(mock.endpoint().replace("http://", "ssl://"));
        }
        body[name] = value;
        let reply = put(&server, &body);
        assert_eq!(reply.status, 400, "{body}: {}", reply.text());
        assert_eq!(state(&server)["phase"], "none");
    }
    let changes: Vec<String> = mock.requests().into_iter().filter(|one| !one.starts_with("GET")).collect();
    assert!(changes.is_empty(), "{changes:?}");
}

#[test]
fn a_server_with_data_of_its_own_takes_nothing_over() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mock = Mock::start(Version::V312).unwrap();
    let mut client = server.connect();
    assert_eq!(client.json("POST", "/_api/database", r#"{"name": "own"}"#).status, 201);
    refuse(&server, &source_of(&mock), 10, "own");
    assert_eq!(client.json("DELETE", "/_api/database/own", "").status, 200);
    assert_eq!(client.json("POST", "/_api/collection", r#"{"name": "mine"}"#).status, 200);
    refuse(&server, &source_of(&mock), 10, "mine");
}

#[test]
fn orders_at_the_wrong_time_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    for name in ["pause", "resume", "cut-over", "abort", "promote"] {
        assert_eq!(order(&server, name).json()["errorNum"], 1407, "{name}");
    }
    let mock = Mock::start(Version::V312).unwrap();
    migrate(&server, Some(&mock), &["start", "--wait"]).success();
    assert_eq!(put(&server, &source_of(&mock)).json()["errorNum"], 1411);
    let again = migrate(&server, Some(&mock), &["start"]).failure();
    assert!(again.contains("error 1411"), "{again}");
    // Only a follower is promoted.
    assert_eq!(order(&server, "promote").json()["errorNum"], 1407);
    let wrong = server.connect().json("POST", "/_api/follow/cut-over", r#"{"compare": "all"}"#);
    assert_eq!(wrong.status, 400, "{}", wrong.text());
    assert!(!mock.read(Model::is_read_only));
    migrate(&server, None, &["pause"]).success();
    wait_for_phase(&server, "paused");
    migrate(&server, None, &["resume", "--wait"]).success();
    migrate(&server, None, &["cut-over", "--wait"]).success();
    assert_eq!(order(&server, "resume").json()["errorNum"], 1407);
}
