//! Subscriptions on a running server: several readers, a kill, and rights.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, Server, post};

const KEYS: u64 = 20;
const VERSIONS: u64 = 15;

/// The readings of a subscription by key, from all readers, in the order of time. A reader
/// notes a batch before it acknowledges it, so before another reader may get later changes of its
/// keys.
#[derive(Default)]
struct Readings(Mutex<BTreeMap<String, Reading>>);

/// The highest versions of a key.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    seen: u64,
    acknowledged: u64,
}

impl Readings {
    /// Notes a version that came: none before it was left out, and it was not acknowledged.
    fn note_seen(&self, key: &str, version: u64) {
        let mut readings = self.0.lock().unwrap();
        let reading = readings.entry(key.to_owned()).or_default();
        assert!(version <= reading.seen + 1, "{key}: {version} comes after {reading:?}: one is left out");
        assert!(version > reading.acknowledged, "{key}: {version} comes after {reading:?}: it comes again");
        reading.seen = reading.seen.max(version);
    }

    fn note_acknowledged(&self, key: &str, version: u64) {
        let mut readings = self.0.lock().unwrap();
        let reading = readings.entry(key.to_owned()).or_default();
        reading.acknowledged = reading.acknowledged.max(version);
    }
}

/// Reads and acknowledges batches; returns the number of changes. With `stop`, the reader leaves
/// its `stop`th batch without an acknowledgement, or leaves when nothing comes. Without it,
/// the reader leaves when all changes are acknowledged: one that leaves before has keys that nobody
/// else gets for long.
fn read(server: &Server, reader: &str, stop: Option<usize>, readings: &Readings) -> usize {
    let (mut client, mut got, mut batches) = (server.connect(), 0, 0);
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let body = json!({"consumer": reader, "limit": 7, "timeout": 0.5});
        let batch = post(&mut client, "/_api/changes/subscriptions/work/next", &body);
        if batch["batch"].is_null() {
            if stop.is_some() || lag(&mut client) == 0 {
                return got;
            }
            assert!(Instant::now() < deadline, "the changes do not come to {reader}, which got {got}");
            continue;
        }
        let change_of = |change: &Value| {
            (change["key"].as_str().unwrap().to_owned(), change["document"]["n"].as_u64().unwrap())
        };
        let changes: Vec<(String, u64)> =
            batch["changes"].as_array().unwrap().iter().map(change_of).collect();
        got += changes.len();
        changes.iter().for_each(|(key, version)| readings.note_seen(key, *version));
        batches += 1;
        if stop == Some(batches) {
            return got;
        }
        let body = json!({"batch": batch["batch"]}).to_string();
        let status = client.json("POST", "/_api/changes/subscriptions/work/acknowledge", &body).status;
        // Others have the changes by now if this reader was silent for too long.
        assert!(status == 200 || status == 404, "{status}");
        if status == 200 {
            changes.iter().for_each(|(key, version)| readings.note_acknowledged(key, *version));
        }
    }
}

/// The number of changes that are not acknowledged.
fn lag(client: &mut Client) -> u64 {
    client.json("GET", "/_api/changes/subscriptions/work", "").json()["lag"].as_u64().unwrap()
}

/// Readers that share the subscription, each on a thread; returns the number of changes of each.
fn share(server: &Server, stop: Option<usize>, readings: &Readings) -> Vec<usize> {
    std::thread::scope(|threads| {
        let readers = ["a", "b", "c"].map(|name| threads.spawn(move || read(server, name, stop, readings)));
        readers.map(|reader| reader.join().unwrap()).into()
    })
}

#[test]
fn readers_share_a_subscription_by_keys_through_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    post(&mut client, "/_api/collection", &json!({"name": "docs"}));
    let definition =
        json!({"name": "work", "collections": ["docs"], "filter": "operation != 'createCollection'"});
    post(&mut client, "/_api/changes/subscriptions", &definition);
    for version in 1..=VERSIONS {
        let query = "FOR i IN 1..@keys INSERT {_key: TO_STRING(i), n: @n} INTO docs OPTIONS {overwriteMode: 'replace'}";
        post(&mut client, "/_api/cursor", &json!({"query": query, "bindVars": {"keys": KEYS, "n": version}}));
    }
    let readings = Readings::default();
    // Each reader leaves its third batch without an acknowledgement, and the server is killed.
    let before = share(&server, Some(3), &readings);
    assert!(before.iter().all(|got| *got <= 21) && before.iter().any(|got| *got > 0));
    server.kill();
    let server = Server::start(&folder.path().join("data"), &[]);
    share(&server, None, &readings);
    let readings = readings.0.into_inner().unwrap();
    assert_eq!(readings.len() as u64, KEYS);
    assert!(readings.values().all(|reading| reading.acknowledged == VERSIONS), "{readings:?}");
    assert_eq!(lag(&mut server.connect()), 0);
}

#[test]
fn a_subscription_belongs_to_its_user() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--server.authentication", "true", "--database.password", "root"];
    let server = Server::start(&folder.path().join("data"), &options);
    let mut client = server.connect();
    let mut send = |user: &str, method: &str, path: &str, body: &str| -> (u16, Value) {
        let headers = [("authorization".to_owned(), user.to_owned())];
        let reply = client.send(method, path, &headers, body.as_bytes());
        (reply.status, reply.json())
    };
    let (root, eve, ann) = ("Basic cm9vdDpyb290", "Basic ZXZlOmV2ZQ==", "Basic YW5uOmFubg==");
    for user in ["eve", "ann"] {
        send(root, "POST", "/_api/user", &json!({"user": user, "passwd": user}).to_string());
        send(root, "PUT", &format!("/_api/user/{user}/database/_system"), r#"{"grant": "ro"}"#);
    }
    send(root, "POST", "/_api/collection", r#"{"name": "docs"}"#);
    send(root, "PUT", "/_api/user/eve/database/_system/docs", r#"{"grant": "ro"}"#);
    let path = "/_api/changes/subscriptions";
    assert_eq!(send(eve, "POST", path, r#"{"name": "hers", "collections": ["docs"]}"#).0, 201);
    send(root, "POST", "/_api/document/docs", r#"{"_key": "a"}"#);
    let next = format!("{path}/hers/next");
    assert_eq!(send(ann, "POST", &next, "{}").0, 404);
    assert_eq!(send(ann, "GET", path, "").1["subscriptions"], json!([]));
    assert_eq!(send(ann, "DELETE", &format!("{path}/hers"), "").0, 404);
    assert_eq!(send(root, "GET", path, "").1["subscriptions"][0]["user"], "eve");
    let (status, batch) = send(eve, "POST", &next, "{}");
    assert_eq!((status, &batch["changes"][0]["key"]), (200, &json!("a")), "{batch}");
    // Documents of subscriptions are for administrators only.
    let query = r#"{"query": "FOR s IN _subscriptions RETURN s._key"}"#;
    assert_eq!(send(eve, "POST", "/_api/cursor", query).0, 403);
    assert_eq!(send(root, "POST", "/_api/cursor", query).1["result"], json!(["hers"]));
    send(root, "PUT", "/_api/user/eve/database/_system/docs", r#"{"grant": "none"}"#);
    assert_eq!(send(eve, "POST", &next, "{}").0, 403);
}
