//! The mock answers as the documentation says, since tests of readers rely on that.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{Fault, Mock, Role, Version};

/// `root` with the password `secret`.
const ROOT: &str = "authorization: Basic cm9vdDpzZWNyZXQ=\r\n";

/// A reply: status, headers in one text, and body.
struct Said {
    status: u16,
    head: String,
    body: String,
}

impl Said {
    fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| *found == name).map(|(_, value)| value).unwrap_or_default()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns the types of the entries.
    fn kinds(&self) -> Vec<u64> {
        let entries = self.body.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        entries.map(|entry| entry["type"].as_u64().unwrap()).collect()
    }
}

fn ask_as(mock: &Mock, credentials: &str, request: &str, body: &Value) -> Said {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mut stream = TcpStream::connect(mock.endpoint().trim_start_matches("http://")).unwrap();
    let text = format!("{request} HTTP/1.1\r\n{credentials}content-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap_or(("HTTP/1.1 0 X", ""));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Said { status, head: head.to_owned(), body: body.to_owned() }
}

fn ask(mock: &Mock, request: &str, body: &Value) -> Said {
    ask_as(mock, ROOT, request, body)
}

fn get(mock: &Mock, target: &str) -> Said {
    ask(mock, &format!("GET {target}"), &Value::Null)
}

#[test]
fn every_write_is_in_the_log_and_parts_may_end_within_a_transaction() {
    let mock = Mock::start(Version::V312).unwrap();
    let from = get(&mock, "/_api/wal/lastTick").json()["tick"].as_str().unwrap().to_owned();
    mock.write(|model| {
        model.create_collection("_system", "docs", 2, json!({}));
        let transaction = model.begin("_system");
        model.put_in(transaction, "docs", json!({"_key": "1"}));
        model.put("_system", "docs", json!({"_key": "2"}));
        model.remove_in(transaction, "docs", "2");
        model.commit(transaction);
        model.create_database("other");
    });
    let all = get(&mock, &format!("/_api/wal/tail?from={from}"));
    assert_eq!(all.kinds(), [2000, 2200, 2300, 2300, 2302, 2201]);
    assert_eq!(all.header("x-arango-replication-checkmore"), "false");
    assert_eq!(get(&mock, &format!("/_api/wal/tail?global=true&from={from}")).kinds()[6], 1100);
    // Each part has one entry; together they are the whole.
    let (mut from, mut kinds) = (from, Vec::new());
    loop {
        let part = get(&mock, &format!("/_api/wal/tail?from={from}&chunkSize=1"));
        kinds.extend(part.kinds());
        if part.header("x-arango-replication-checkmore") == "false" {
            break;
        }
        from = part.header("x-arango-replication-lastincluded").to_owned();
    }
    assert_eq!(kinds, all.kinds());
    assert_eq!(mock.read(|model| model.documents("_system", "docs").len()), 1);
    let last = mock.read(|model| model.last_tick());
    let nothing = get(&mock, &format!("/_api/wal/tail?from={last}"));
    assert_eq!((nothing.status, nothing.header("x-arango-replication-lastincluded")), (204, "0"));
    mock.configure(|model| model.forget_log());
    let gap = get(&mock, &format!("/_api/wal/tail?from={from}"));
    assert_eq!(gap.header("x-arango-replication-frompresent"), "false");
}

#[test]
fn a_snapshot_does_not_change_and_comes_in_chunks() {
    for version in [Version::V310, Version::V311, Version::V312] {
        let mock = Mock::start(version).unwrap();
        mock.write(|model| {
            model.create_collection("_system", "docs", 2, json!({}));
            (0..10).for_each(|i| drop(model.put("_system", "docs", json!({"_key": format!("k{i}")}))));
        });
        let batch = ask(&mock, "POST /_api/replication/batch", &json!({"ttl": 60})).json();
        let batch = batch["id"].as_str().unwrap();
        mock.write(|model| model.truncate("_system", "docs"));
        let inventory =
            get(&mock, &format!("/_api/replication/inventory?batchId={batch}&global=true")).json();
        let collections = inventory["databases"]["_system"]["collections"].as_array().unwrap();
        assert!(collections.iter().any(|found| found["parameters"]["name"] == "docs"));
        let path = format!("/_api/replication/dump?batchId={batch}&collection=docs&chunkSize=1");
        let mut count = 0;
        loop {
            let chunk = get(&mock, &path);
            count += chunk.body.lines().count();
            assert_eq!(chunk.body.contains("2300"), version < Version::V312);
            if chunk.header("x-arango-replication-checkmore") == "false" {
                break;
            }
        }
        assert_eq!(count, 10);
        let body = json!({"shards": ["docs"], "batchSize": 1});
        let start = ask(&mock, &format!("POST /_api/dump/start?batchId={batch}"), &body);
        let expected = if version < Version::V312 { 404 } else { 201 };
        assert_eq!(start.status, expected);
        if let id @ 1.. = start.header("x-arango-dump-id").parse().unwrap_or(0_u64) {
            let next =
                |number| ask(&mock, &format!("POST /_api/dump/next/{id}?batchId={number}"), &Value::Null);
            assert_eq!(next(0).body, next(0).body);
            assert_ne!(next(0).body, next(1).body);
        }
        assert!(mock.open_snapshots() > 0);
    }
}

#[test]
fn rights_roles_and_modes_count() {
    let mock = Mock::start(Version::V311).unwrap();
    mock.write(|model| model.create_user("reader", "r", &[("_system", "ro")]));
    let reader = "authorization: Basic cmVhZGVyOnI=\r\n";
    let wrong = "authorization: Basic cm9vdDp4\r\n";
    let status =
        |credentials, target: &str| ask_as(&mock, credentials, &format!("GET {target}"), &Value::Null).status;
    assert_eq!(status(wrong, "/_api/version"), 401);
    assert_eq!((status(reader, "/_api/version"), status(reader, "/_api/wal/range")), (200, 403));
    let token = ask_as(&mock, "", "POST /_open/auth", &json!({"username": "root", "password": "secret"}));
    let bearer = format!("authorization: bearer {}\r\n", token.json()["jwt"].as_str().unwrap());
    assert_eq!(status(&bearer, "/_api/wal/range"), 200);
    let mode = ask(&mock, "PUT /_admin/server/mode", &json!({"mode": "readonly"}));
    assert_eq!(mode.json()["mode"], "readonly");
    assert!(!mock.write(|model| model.create_database("other")));
    mock.configure(|model| model.set_role(Role::Coordinator));
    assert_eq!(get(&mock, "/_api/wal/lastTick").status, 501);
    assert_eq!(get(&mock, "/_admin/server/role").json()["role"], "COORDINATOR");
}

#[test]
fn faults_come_once_and_in_order() {
    let mock = Mock::start(Version::V312).unwrap();
    mock.fail("GET /_api/version", Fault::Cut);
    mock.fail("GET /_api/version", Fault::Busy);
    mock.fail("GET /_api/version", Fault::Half);
    mock.fail("GET /_api/version", Fault::Delay(Duration::from_millis(50)));
    mock.before("GET /_api/database", |model| model.create_database("other"));
    let ask = || get(&mock, "/_api/version");
    let (cut, busy, half) = (ask(), ask(), ask());
    assert_eq!((cut.status, busy.status), (0, 503));
    assert!(half.status == 200 && serde_json::from_str::<Value>(&half.body).is_err());
    let begin = Instant::now();
    assert_eq!(ask().json()["version"], "3.12.4");
    assert!(begin.elapsed() >= Duration::from_millis(50));
    assert_eq!(get(&mock, "/_api/database").json()["result"], json!(["_system", "other"]));
    assert_eq!(mock.requests().len(), 5);
}

#[test]
fn the_queries_of_a_comparison_have_batches() {
    let mock = Mock::start(Version::V312).unwrap();
    mock.write(|model| {
        model.create_collection("_system", "docs", 2, json!({}));
        (0..5).for_each(|i| drop(model.put("_system", "docs", json!({"_key": format!("k{i}")}))));
    });
    let query =
        json!({"query": "FOR d IN @@c RETURN [d._key, d._rev]", "bindVars": {"@c": "docs"}, "batchSize": 3});
    let first = ask(&mock, "POST /_api/cursor", &query).json();
    assert_eq!((first["result"][2][0].as_str(), first["hasMore"].as_bool()), (Some("k2"), Some(true)));
    let rest =
        ask(&mock, &format!("POST /_api/cursor/{}", first["id"].as_str().unwrap()), &Value::Null).json();
    assert_eq!((rest["result"].as_array().unwrap().len(), rest["hasMore"].as_bool()), (2, Some(false)));
}
