//! The change log of two servers on one store, as clients read it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;
use crate::harness::wait_until;
use crate::servers::pair;

fn get(client: &mut Client, path: &str) -> Value {
    let reply = client.get(path);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn send(client: &mut Client, method: &str, path: &str, body: &Value) -> Value {
    let reply = client.request(method, path, "", body.to_string().as_bytes());
    assert!(reply.status < 300, "{method} {path}: {}", reply.text());
    reply.json()
}

fn insert(client: &mut Client, key: &str) {
    send(client, "POST", "/_api/document/c", &json!({"_key": key}));
}

/// Reads at least so many changes behind a token. Returns their keys and the last token.
fn read(client: &mut Client, since: &str, count: usize) -> (Vec<String>, String) {
    let (mut keys, mut token) = (Vec::new(), since.to_owned());
    let begun = Instant::now();
    while keys.len() < count && begun.elapsed() < Duration::from_secs(30) {
        let reply = get(client, &format!("/_api/changes?collections=c&timeout=5&since={token}"));
        let changes = reply["changes"].as_array().unwrap();
        keys.extend(changes.iter().map(|change| change["key"].as_str().unwrap().to_owned()));
        token = reply["token"].as_str().unwrap().to_owned();
    }
    (keys, token)
}

#[test]
fn a_feed_continues_at_either_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    insert(&mut left, "before");
    let since = get(&mut right, "/_api/changes?since=now")["token"].as_str().unwrap().to_owned();
    insert(&mut left, "a");
    insert(&mut right, "b");
    let (keys, token) = read(&mut right, &since, 2);
    assert_eq!(keys, ["a", "b"]);
    insert(&mut right, "c");
    insert(&mut left, "d");
    // The other server has not shown anything yet.
    assert_eq!(read(&mut left, &token, 2).0, ["c", "d"]);
    assert_eq!(read(&mut left, &since, 4).0, ["a", "b", "c", "d"]);
    let query = json!({"query": "FOR c IN CHANGES('c', @since) RETURN c.key", "bindVars": {"since": since}});
    assert_eq!(send(&mut left, "POST", "/_api/cursor", &query)["result"], json!(["a", "b", "c", "d"]));
}

#[test]
fn the_tail_of_the_log_continues_at_either_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let tick = |client: &mut Client| {
        get(client, "/_api/wal/lastTick")["tick"].as_str().unwrap().parse::<u64>().unwrap()
    };
    let begin = tick(&mut left);
    for round in 0..3 {
        insert(&mut left, &format!("left-{round}"));
        insert(&mut right, &format!("right-{round}"));
    }
    // Every commit that has returned is before the last tick, at both.
    assert!(tick(&mut left) > begin);
    let last = tick(&mut right);
    let (mut from, mut entries) = (begin, Vec::new());
    while from < last {
        // The servers take turns.
        let client = if entries.len() % 2 == 0 { &mut left } else { &mut right };
        let reply = client.get(&format!("/_api/wal/tail?from={from}&chunkSize=1"));
        let header = |name: &str| reply.header(name).unwrap_or_default().to_owned();
        assert_eq!(header("x-arango-replication-frompresent"), "true");
        entries.extend(reply.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
        let scanned: u64 = header("x-arango-replication-lastscanned").parse().unwrap();
        assert!(scanned >= from, "{scanned} < {from}");
        from = scanned;
    }
    let keys: Vec<&str> = entries.iter().filter_map(|entry| entry["data"]["_key"].as_str()).collect();
    assert_eq!(keys, ["left-0", "right-0", "left-1", "right-1", "left-2", "right-2"]);
    // A tick that nobody has given is of another log.
    let reply = right.get(&format!("/_api/wal/tail?from={}", u64::MAX / 2));
    assert_eq!(reply.header("x-arango-replication-frompresent"), Some("false"));
    let range = get(&mut left, "/_api/wal/range");
    assert!(range["tickMax"].as_str().unwrap().parse::<u64>().unwrap() >= last);
}

#[test]
fn readers_of_a_subscription_may_ask_either_server() {
    const PATH: &str = "/_api/changes/subscriptions";
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let subscription = json!({"name": "s", "collections": ["c"], "since": "now"});
    send(&mut right, "POST", PATH, &subscription);
    insert(&mut left, "a");
    insert(&mut right, "b");
    let mut keys = Vec::new();
    for i in 0..4 {
        if keys.len() == 2 {
            break;
        }
        let (one, other) = if i % 2 == 0 { (&mut left, &mut right) } else { (&mut right, &mut left) };
        let body = json!({"limit": 1, "timeout": 10});
        let batch = send(one, "POST", &format!("{PATH}/s/next"), &body);
        keys.extend(batch["changes"].as_array().unwrap().iter().map(|change| change["key"].clone()));
        if batch["batch"].is_string() {
            send(other, "POST", &format!("{PATH}/s/acknowledge"), &json!({"batch": batch["batch"]}));
        }
    }
    assert_eq!(keys, ["a", "b"]);
    for client in [&mut left, &mut right] {
        assert_eq!(get(client, &format!("{PATH}/s"))["lag"], 0);
    }
    insert(&mut right, "c");
    // Positions do not count entries there, so the lag counts them.
    wait_until("the lag is one entry", || get(&mut left, &format!("{PATH}/s"))["lag"] == 1);
}

#[test]
fn webhooks_are_those_of_both_servers() {
    const PATH: &str = "/_api/changes/webhooks";
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    // It is paused, so nothing is sent there.
    let webhook = json!({"name": "w", "url": "https://1.1.1.1/", "paused": true});
    send(&mut right, "POST", PATH, &webhook);
    for client in [&mut left, &mut right] {
        assert_eq!(get(client, PATH)["webhooks"][0]["name"], "w");
    }
    send(&mut right, "DELETE", &format!("{PATH}/w"), &json!({}));
    assert_eq!(get(&mut left, PATH)["webhooks"], json!([]));
}
