//! Crashes of the server or the machine: nothing that was acknowledged is lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a test")]

mod support;

use std::time::Duration;

use serde_json::Value;
use support::Server;

#[test]
fn a_killed_server_keeps_what_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = 0;
    for round in 0..3 {
        let server = Server::start(folder.path(), &[]);
        let mut client = server.connect();
        if round == 0 {
            assert_eq!(client.json("POST", "/_api/collection", r#"{"name":"docs"}"#).status, 200);
            let index = r#"{"type":"persistent","fields":["n"],"unique":true}"#;
            assert_eq!(client.json("POST", "/_api/index?collection=docs", index).status, 201);
        }
        let count = client.json("GET", "/_api/collection/docs/count", "").json();
        assert_eq!(count["count"], expected, "round {round}");
        let by_index = r#"{"query":"FOR d IN docs FILTER d.n >= 0 COLLECT WITH COUNT INTO n RETURN n"}"#;
        assert_eq!(client.json("POST", "/_api/cursor", by_index).json()["result"][0], expected);
        let killer = std::thread::spawn({
            let process = server.process().to_string();
            move || {
                std::thread::sleep(Duration::from_millis(400));
                std::process::Command::new("kill").args(["-9", &process]).status().unwrap();
            }
        });
        // Writes until the connection breaks. Only acknowledged writes count.
        let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            loop {
                let body = format!(r#"{{"n":{expected}}}"#);
                assert_eq!(client.json("POST", "/_api/document/docs?waitForSync=true", &body).status, 201);
                expected += 1;
            }
        }));
        assert!(written.is_err());
        killer.join().unwrap();
        // The write in progress may or may not have taken place.
        let server = Server::start(folder.path(), &[]);
        let found =
            server.connect().json("GET", "/_api/collection/docs/count", "").json()["count"].as_u64().unwrap();
        assert!(found == expected || found == expected + 1, "{found} documents of {expected}");
        expected = found;
    }
}

#[test]
fn a_terminated_server_finishes_what_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mut client = server.connect();
    client.json("POST", "/_api/collection", r#"{"name":"docs"}"#);
    client.json("POST", "/_api/document/docs", r#"{"_key":"a"}"#);
    let process = server.process().to_string();
    std::process::Command::new("kill").args(["-TERM", &process]).status().unwrap();
    assert_eq!(server.wait(), Some(0));
    let server = Server::start(folder.path(), &[]);
    let document: Value = server.connect().json("GET", "/_api/document/docs/a", "").json();
    assert_eq!(document["_key"], "a");
}
