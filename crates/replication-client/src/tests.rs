//! Tests against a mock of ArangoDB: all of its versions, its headers, and connections that break.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::time::Duration;

use arangodb_mock::{Fault, Mock, Version};
use client::{Client, ClientOptions, Credentials, Endpoint};
use serde_json::{Value, json};

use crate::{Documents, FetchOptions, Fetched, Position, Product, Role, Snapshot, Source, TailRequest};

/// The versions that a reader knows.
const VERSIONS: [Version; 3] = [Version::V310, Version::V311, Version::V312];

fn client(mock: &Mock, password: &str) -> Client {
    let mut options = ClientOptions::new(Endpoint::parse(mock.endpoint()).unwrap());
    options.credentials = Credentials::Basic { user: "root".to_owned(), password: password.to_owned() };
    options.retries.first_pause = Duration::from_millis(1);
    Client::new(options).unwrap()
}

fn source(mock: &Mock) -> Source {
    Source::connect(client(mock, "secret")).unwrap()
}

/// Returns the kinds of all entries after a tick, read in parts of at most this many bytes.
fn kinds(source: &Source, mut from: u64, chunk_bytes: u64) -> Vec<u64> {
    let mut kinds = Vec::new();
    loop {
        let part = source
            .tail(&TailRequest {
                from,
                chunk_bytes,
                reader: Some(7),
                wait: Duration::from_secs(1),
                applied: None,
            })
            .unwrap();
        assert!(part.is_complete && !part.is_velocypack && part.last_scanned >= from);
        let lines = std::str::from_utf8(&part.entries).unwrap().lines();
        let entries = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
        kinds.extend(entries.map(|entry| entry["type"].as_u64().unwrap()));
        from = part.last_scanned;
        if !part.has_more {
            assert_eq!(from, part.last_tick);
            return kinds;
        }
    }
}

#[test]
fn a_server_says_what_it_is() {
    for version in VERSIONS {
        let mock = Mock::start(version).unwrap();
        let source = source(&mock);
        assert_eq!((source.product(), source.version()), (Product::ArangoDb, version.number()));
        assert_eq!((source.role().unwrap(), source.engine().unwrap().as_str()), (Role::Single, "rocksdb"));
        mock.write(|model| model.create_database("shop"));
        assert_eq!(source.databases().unwrap(), ["_system", "shop"]);
        source.set_read_only(true).unwrap();
        assert!(source.is_read_only().unwrap() && !mock.write(|model| model.create_database("more")));
        source.set_read_only(false).unwrap();
        assert!(!mock.read(|model| model.is_read_only()));
        mock.configure(|model| model.set_role(arangodb_mock::Role::Coordinator));
        assert_eq!(source.role().unwrap(), Role::Cluster);
        assert_eq!(source.last_tick().unwrap_err().server().map(|error| error.status), Some(501));
        let wrong = Source::connect(client(&mock, "wrong")).err().unwrap();
        assert_eq!(wrong.server().map(|error| (error.status, error.number)), Some((401, 11)));
    }
}

#[test]
fn the_log_is_read_whole_in_parts_of_any_size() {
    let mock = Mock::start(Version::V311).unwrap();
    let source = source(&mock);
    let (_, from) = source.last_tick().unwrap();
    mock.write(|model| {
        model.create_database("shop");
        model.create_collection("shop", "docs", 2, json!({}));
        let transaction = model.begin("shop");
        model.put_in(transaction, "docs", json!({"_key": "1"}));
        model.put("shop", "docs", json!({"_key": "2"}));
        model.commit(transaction);
        let aborted = model.begin("shop");
        model.remove_in(aborted, "docs", "1");
        model.abort(aborted);
        let index = model.create_index("shop", "docs", json!({"type": "persistent", "fields": ["a"]}));
        model.drop_index("shop", "docs", index);
        model.create_view("shop", "v", json!({"type": "arangosearch", "links": {}}));
        model.change_view("shop", "v", json!({"name": "w"}));
        model.drop_view("shop", "w");
        model.change_collection("shop", "docs", json!({"waitForSync": true}));
        model.rename_collection("shop", "docs", "renamed");
        model.truncate("shop", "renamed");
        model.drop_collection("shop", "renamed");
        model.drop_database("shop");
    });
    let whole = kinds(&source, from, 1 << 20);
    let own: Vec<u64> = whole.iter().copied().skip_while(|kind| *kind != 2200).collect();
    let expected = [
        2200, 2300, 2300, 2201, 2200, 2302, 2202, 2100, 2101, 2110, 2112, 2111, 2003, 2002, 2004, 2001, 1101,
    ];
    assert_eq!((whole[0], own.as_slice()), (1100, expected.as_slice()));
    for chunk_bytes in [1, 100, 1_000] {
        assert_eq!(kinds(&source, from, chunk_bytes), whole, "{chunk_bytes}");
    }
    // Nothing new: the part ends where it began.
    let last = mock.read(|model| model.last_tick());
    assert!(kinds(&source, last, 1).is_empty());
    assert!(mock.requests().iter().any(|request| request.contains("syncerId=7")));
    mock.configure(|model| model.forget_log());
    let gap = source
        .tail(&TailRequest { from, chunk_bytes: 1, reader: None, wait: Duration::ZERO, applied: None })
        .unwrap();
    assert!(!gap.is_complete);
}

/// Fetches a collection whole. Error: the first of a request.
fn fetch(mock: &Mock, parallel: bool) -> client::Result<Vec<Value>> {
    let client = client(mock, "secret");
    let snapshot = Snapshot::open(&client, |error| panic!("{error}"))?;
    let options = FetchOptions {
        parallel,
        velocypack: false,
        packed: false,
        threads: 1,
        server_threads: 1,
        prefetch: 1,
        batch_bytes: 100,
        first_batch_bytes: 100,
    };
    let documents = Documents::open(&client, &snapshot, "docs", &options)?;
    let (mut position, mut found) = (Position::default(), Vec::new());
    for number in 1.. {
        let batch = documents.fetch(&client, &snapshot, "docs", &options, number, &mut position)?;
        let Some(Fetched::Plain(lines)) = batch else { break };
        let lines = std::str::from_utf8(&lines).unwrap().lines();
        found.extend(lines.map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    documents.close(&client);
    Ok(found)
}

fn with_documents(version: Version) -> Mock {
    let mock = Mock::start(version).unwrap();
    mock.write(|model| {
        model.create_collection("_system", "docs", 2, json!({}));
        for number in 0..20 {
            model.put("_system", "docs", json!({"_key": format!("k{number}"), "text": "x".repeat(number)}));
        }
    });
    mock
}

#[test]
fn all_documents_come_from_every_version() {
    for version in VERSIONS {
        for parallel in [false, true] {
            let mock = with_documents(version);
            let expected = mock.read(|model| model.documents("_system", "docs"));
            assert_eq!(fetch(&mock, parallel).unwrap(), expected, "{version:?} {parallel}");
            assert_eq!(mock.open_snapshots(), 0);
        }
    }
}

#[test]
fn a_batch_whose_reply_is_lost_comes_again() {
    for fault in [Fault::Half, Fault::Cut, Fault::Busy] {
        let mock = with_documents(Version::V312);
        let expected = mock.read(|model| model.documents("_system", "docs"));
        mock.fail("/_api/dump/next/", fault);
        mock.fail("batchId=3", fault);
        assert_eq!(fetch(&mock, true).unwrap(), expected, "{fault:?}");
    }
}

/// ArangoDB keeps the place in the collection, so a second request would get the next chunk.
#[test]
fn a_chunk_whose_reply_is_lost_is_an_error_and_not_left_out() {
    for fault in [Fault::Half, Fault::Cut] {
        let mock = with_documents(Version::V310);
        mock.fail("/_api/replication/dump", fault);
        assert!(fetch(&mock, false).unwrap_err().is_connection(), "{fault:?}");
        let expected = mock.read(|model| model.documents("_system", "docs"));
        assert_eq!(fetch(&mock, false).unwrap(), expected);
    }
}
