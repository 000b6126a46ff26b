//! Crashes of the server or the machine: nothing that was acknowledged is lost.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use harness::wait_until;
use serde_json::Value;

use crate::support::{PROGRAM, Server};

/// The acknowledged writes after which a server is killed.
const WRITES: u64 = 50;

#[test]
fn a_killed_server_keeps_what_it_acknowledged() {
    kill_and_check("rocksdb");
}

#[test]
fn a_killed_server_on_a_mapped_file_keeps_what_it_acknowledged() {
    kill_and_check("mmfiles");
}

fn kill_and_check(engine: &str) {
    let folder = tempfile::tempdir().unwrap();
    let start = || Server::start(folder.path(), &["--storage-engine", engine]);
    let mut expected = 0;
    for round in 0..3 {
        let server = start();
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
        let written = Arc::new(AtomicU64::new(0));
        let killer = std::thread::spawn({
            let (process, written) = (server.process(), Arc::clone(&written));
            move || {
                let is_enough = || written.load(Ordering::Relaxed) >= WRITES;
                let waited = wait_until("few writes are acknowledged", is_enough);
                process.kill();
                waited.unwrap();
            }
        });
        // Writes until the connection breaks. Only acknowledged writes count.
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            loop {
                let body = format!(r#"{{"n":{expected}}}"#);
                assert_eq!(client.json("POST", "/_api/document/docs?waitForSync=true", &body).status, 201);
                expected += 1;
                written.fetch_add(1, Ordering::Relaxed);
            }
        }));
        assert!(broken.is_err());
        killer.join().unwrap();
        // The write in progress may or may not have taken place.
        let server = start();
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
    assert_eq!(server.stop(), Some(0));
    let server = Server::start(folder.path(), &[]);
    let document: Value = server.connect().json("GET", "/_api/document/docs/a", "").json();
    assert_eq!(document["_key"], "a");
}

/// The newest file of the write-ahead log.
fn log_file(folder: &Path) -> PathBuf {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "log")).max().unwrap()
}

#[test]
fn a_damaged_log_is_refused_until_the_user_gives_the_rest_up() {
    let folder = tempfile::tempdir().unwrap();
    let rocksdb = ["--storage-engine", "rocksdb"];
    let server = Server::start(folder.path(), &rocksdb);
    let mut client = server.connect();
    client.json("POST", "/_api/collection", r#"{"name":"docs"}"#);
    for n in 0..500 {
        assert_eq!(client.json("POST", "/_api/document/docs", &format!(r#"{{"n":{n}}}"#)).status, 202);
    }
    server.kill();
    let log = log_file(folder.path());
    let mut bytes = std::fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 16].iter_mut().for_each(|byte| *byte ^= 0x5a);
    std::fs::write(&log, &bytes).unwrap();

    let refused = Command::new(PROGRAM)
        .arg("server")
        .arg("--database.directory")
        .arg(folder.path())
        .args(["--server.endpoint", "tcp://127.0.0.1:0"])
        .args(rocksdb)
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(message.contains(log.to_str().unwrap()), "{message}");
    assert!(message.contains("--rocksdb.wal-recovery salvage"), "{message}");
    assert_eq!(std::fs::read(&log).unwrap(), bytes);

    let server =
        Server::start(folder.path(), &["--rocksdb.wal-recovery", "salvage", "--storage-engine", "rocksdb"]);
    let mut client = server.connect();
    let left = client.json("GET", "/_api/collection/docs/count", "").json()["count"].as_u64().unwrap();
    assert!(left > 100 && left < 400, "{left} of 500 documents");
    let documents =
        client.json("POST", "/_api/cursor", r#"{"query":"RETURN COUNT(FOR d IN docs RETURN d.n)"}"#);
    assert_eq!(documents.json()["result"][0], left);
    server.kill();
    let server = Server::start(folder.path(), &rocksdb);
    assert_eq!(server.connect().json("GET", "/_api/collection/docs/count", "").json()["count"], left);
    assert!(folder.path().join("damaged-logs").is_dir());
}
