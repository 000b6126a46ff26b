//! Connections that break, logs that are gone, sources that change, and ways back.

use std::time::Duration;

use arangodb_mock::{Fault, Mock, Model, Version};
use serde_json::{Value, json};

use super::{
    accepts_writes, check_documents, collections, migrate, order, read, source_of, state, wait_for_log,
    wait_for_phase,
};
use crate::support::Server;

/// Starts a mock with documents in two databases.
fn filled(version: Version) -> Mock {
    let mock = Mock::start(version).unwrap();
    mock.write(|model| {
        model.create_database("shop");
        for database in ["_system", "shop"] {
            model.create_collection(database, "docs", 2, json!({}));
            for number in 0..200 {
                model.put(database, "docs", json!({"_key": format!("k{number}"), "n": number}));
            }
        }
    });
    mock
}

fn begin(server: &Server, mock: &Mock) {
    let mut body = source_of(mock);
    body["kind"] = json!("migration");
    let reply = server.connect().json("PUT", "/_api/follow", &body.to_string());
    assert_eq!(reply.status, 200, "{}", reply.text());
}

fn check(server: &Server, mock: &Mock) {
    for database in ["_system", "shop"] {
        check_documents(server, mock, database, &["docs"]);
    }
}

#[test]
fn broken_replies_lose_nothing() {
    for version in [Version::V311, Version::V312] {
        let folder = tempfile::tempdir().unwrap();
        let (mock, server) = (filled(version), Server::start(folder.path(), &[]));
        for fault in [Fault::Half, Fault::Cut, Fault::Busy, Fault::Delay(Duration::from_millis(100))] {
            for request in ["/replication/dump", "/dump/start", "/dump/next", "/wal/tail"] {
                mock.fail(request, fault);
            }
        }
        // The probe would fail before it begins.
        begin(&server, &mock);
        for fault in [Fault::Half, Fault::Cut, Fault::Busy] {
            mock.fail("/replication/batch", fault);
            mock.fail("/replication/inventory", fault);
        }
        wait_for_phase(&server, "following");
        mock.write(|model| {
            let transaction = model.begin("shop");
            (0..50).for_each(|n| drop(model.put_in(transaction, "docs", json!({"_key": format!("t{n}")}))));
            model.commit(transaction);
            model.remove("_system", "docs", "k1");
        });
        for fault in [Fault::Half, Fault::Cut, Fault::Busy] {
            mock.fail("/wal/tail", fault);
        }
        wait_for_log(&server, &mock);
        check(&server, &mock);
    }
}

/// A source that stands still, or whose network drops everything, closes no connection.
#[test]
fn the_silence_of_a_source_ends_an_attempt_to_copy() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (filled(Version::V312), Server::start(folder.path(), &[]));
    let (wake, woken) = std::sync::mpsc::channel::<()>();
    // The mock answers nothing else meanwhile.
    mock.before("/_api/dump/next", move |_| _ = woken.recv());
    begin(&server, &mock);
    let mut seen = Value::Null;
    let is_noticed = || {
        seen = state(&server);
        seen["error"]["errorNum"] == 1400
    };
    harness::wait_until("the silence is not noticed", is_noticed).unwrap();
    assert_eq!(seen["phase"], "copying", "{seen}");
    assert!(seen["error"]["errorMessage"].as_str().unwrap().contains("/_api/version"), "{seen}");
    drop(wake);
    wait_for_log(&server, &mock);
    check(&server, &mock);
}

#[test]
fn a_gap_in_the_log_is_copied_again() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (filled(Version::V311), Server::start(folder.path(), &[]));
    begin(&server, &mock);
    wait_for_phase(&server, "following");
    assert!(order(&server, "pause").status < 300);
    wait_for_phase(&server, "paused");
    mock.write(|model| {
        model.truncate("shop", "docs");
        model.put("shop", "docs", json!({"_key": "new"}));
        model.create_collection("shop", "more", 2, json!({}));
        model.put("shop", "more", json!({"_key": "1"}));
        model.drop_collection("_system", "docs");
        model.forget_log();
    });
    assert!(order(&server, "resume").status < 300);
    wait_for_log(&server, &mock);
    check_documents(&server, &mock, "shop", &["docs", "more"]);
    assert_eq!(collections(&server, "_system"), Vec::<String>::new());
}

#[test]
fn a_database_that_is_dropped_while_it_is_copied_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (filled(Version::V312), Server::start(folder.path(), &[]));
    // The first snapshot is that of the probe.
    mock.before("/_db/shop/_api/replication/batch", |_| ());
    mock.before("/_db/shop/_api/replication/batch", |model| model.drop_database("shop"));
    begin(&server, &mock);
    wait_for_log(&server, &mock);
    check_documents(&server, &mock, "_system", &["docs"]);
    let databases = read(&server, "GET", "/_api/database", &Value::Null).json();
    assert_eq!(databases["result"], json!(["_system"]));
}

#[test]
fn a_collection_that_is_renamed_between_two_attempts_to_copy_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (filled(Version::V312), Server::start(folder.path(), &[]));
    // Those of `_system` are copied already.
    let request = "/_db/shop/_api/dump/start";
    mock.before(request, |model| model.rename_collection("_system", "docs", "renamed"));
    mock.fail(request, Fault::Cut);
    begin(&server, &mock);
    wait_for_log(&server, &mock);
    mock.write(|model| drop(model.put("_system", "renamed", json!({"_key": "later"}))));
    wait_for_log(&server, &mock);
    assert_eq!(collections(&server, "_system"), ["renamed"]);
    check_documents(&server, &mock, "_system", &["renamed"]);
    check_documents(&server, &mock, "shop", &["docs"]);
}

#[test]
fn an_abort_leaves_both_servers_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (filled(Version::V312), Server::start(folder.path(), &[]));
    begin(&server, &mock);
    wait_for_phase(&server, "following");
    migrate(&server, None, &["abort"]).success();
    wait_for_phase(&server, "none");
    let databases = read(&server, "GET", "/_api/database", &Value::Null).json();
    assert_eq!(databases["result"], json!(["_system"]));
    assert_eq!(collections(&server, "_system"), Vec::<String>::new());
    assert!(!mock.read(Model::is_read_only) && mock.open_snapshots() == 0);
    // It can begin once more.
    begin(&server, &mock);
    wait_for_log(&server, &mock);
    check(&server, &mock);
    migrate(&server, None, &["abort"]).success();
    wait_for_phase(&server, "none");
    assert!(accepts_writes(&server), "{}", state(&server));
}

#[test]
fn a_difference_keeps_the_source_writable() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (filled(Version::V312), Server::start(folder.path(), &[]));
    begin(&server, &mock);
    wait_for_log(&server, &mock);
    mock.write(|model| model.put_unlogged("shop", "docs", json!({"_key": "k7", "n": "other"})));
    let refused = migrate(&server, None, &["cut-over", "--wait"]).failure();
    assert!(refused.contains("shop/docs: 200 documents at the source, 200 here"), "{refused}");
    assert!(!mock.read(Model::is_read_only) && !accepts_writes(&server));
    // Their numbers are equal.
    migrate(&server, None, &["cut-over", "--wait", "--compare", "counts"]).success();
    assert!(mock.read(Model::is_read_only) && accepts_writes(&server));
}

#[test]
fn a_source_that_is_read_only_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (filled(Version::V311), Server::start(folder.path(), &[]));
    mock.configure(|model| model.set_read_only(true));
    begin(&server, &mock);
    wait_for_phase(&server, "following");
    check(&server, &mock);
    migrate(&server, None, &["abort"]).success();
    wait_for_phase(&server, "none");
    assert!(mock.read(Model::is_read_only));
}

/// The position is stored with the data: a server that is killed goes on, and does not begin again.
#[test]
fn a_killed_server_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mock = filled(Version::V312);
    let server = Server::start(folder.path(), &[]);
    begin(&server, &mock);
    wait_for_log(&server, &mock);
    let open = std::cell::Cell::new(None);
    mock.write(|model| {
        let transaction = model.begin("shop");
        model.put_in(transaction, "docs", json!({"_key": "first"}));
        model.put("shop", "docs", json!({"_key": "between"}));
        open.set(Some(transaction));
    });
    wait_for_log_but_open(&server, "between");
    server.kill();
    mock.write(|model| {
        if let Some(transaction) = open.take() {
            model.put_in(transaction, "docs", json!({"_key": "second"}));
            model.commit(transaction);
        }
    });
    let copies = |mock: &Mock| mock.requests().iter().filter(|one| one.contains("/dump/start")).count();
    let before = copies(&mock);
    let server = Server::start(folder.path(), &[]);
    wait_for_log(&server, &mock);
    check(&server, &mock);
    assert_eq!(copies(&mock), before);
}

/// Waits until a document is here, while a transaction is still open.
fn wait_for_log_but_open(server: &Server, key: &str) {
    let path = format!("/_db/shop/_api/document/docs/{key}");
    let is_here = || read(server, "GET", &path, &Value::Null).status == 200;
    harness::wait_until("the document is not here", is_here).unwrap();
    let half = read(server, "GET", "/_db/shop/_api/document/docs/first", &Value::Null);
    assert_eq!((half.status, &half.json()["errorNum"]), (404, &Value::from(1202)));
}
