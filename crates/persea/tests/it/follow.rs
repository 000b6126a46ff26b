//! A server that is restored from a dump of another one, and applies its log from then on.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::{Client, Raise, Server, dumps, post};

/// Applies at most so many parts of the leader's log, or the rest of it.
fn follow(leader: &Server, follower: &Server, (begin, complete): (&str, &str), parts: usize) {
    let (mut leader, mut follower) = (leader.connect(), follower.connect());
    let state = follower.json("GET", "/_api/changes/apply?source=leader", "").json();
    let mut from = state["restart"].as_str().unwrap_or(begin).to_owned();
    for _ in 0..parts {
        let path = format!("/_api/wal/tail?global=true&chunkSize=4096&from={from}");
        let part = leader.json("GET", &path, "");
        assert!(part.status == 200 || part.status == 204, "{}", part.text());
        assert_eq!(part.header("x-arango-replication-frompresent"), Some("true"));
        if !part.body.is_empty() {
            let path = format!("/_api/changes/apply?source=leader&begin={begin}&complete={complete}");
            let applied = follower.send("PUT", &path, &[], &part.body);
            assert_eq!(applied.status, 200, "{}", applied.text());
        }
        from = part.header("x-arango-replication-lastscanned").unwrap().to_owned();
        if part.header("x-arango-replication-checkmore") == Some("false") {
            return;
        }
    }
}

fn last_tick(client: &mut Client) -> String {
    client.json("GET", "/_api/wal/lastTick", "").json()["tick"].as_str().unwrap().to_owned()
}

/// Returns the documents and the indexes of the collections.
pub(crate) fn state(server: &Server) -> Value {
    let mut client = server.connect();
    let mut state = serde_json::Map::new();
    let collections = client.json("GET", "/_api/collection?excludeSystem=true", "").json();
    for collection in collections["result"].as_array().unwrap() {
        let name = collection["name"].as_str().unwrap();
        let query = json!({"query": format!("FOR d IN `{name}` SORT d._key RETURN d"), "batchSize": 100_000});
        let documents = post(&mut client, "/_api/cursor", &query)["result"].clone();
        let indexes = client.json("GET", &format!("/_api/index?collection={name}"), "").json();
        let mut indexes: Vec<String> = indexes["indexes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|index| format!("{} {}", index["name"], index["fields"]))
            .collect();
        indexes.sort();
        state.insert(name.to_owned(), json!({"documents": documents, "indexes": indexes}));
    }
    Value::Object(state)
}

/// Writes, replaces and removes documents, changes definitions, and drops a collection, until it is
/// told to stop.
pub(crate) fn write(server: &Server, stop: &AtomicBool) {
    let mut client = server.connect();
    for round in 0.. {
        let body = json!({"query": "FOR i IN 1..20 UPSERT {_key: TO_STRING(i)} INSERT {_key: TO_STRING(i), n: @n} \
                                    UPDATE {n: @n} IN docs", "bindVars": {"n": round}});
        post(&mut client, "/_api/cursor", &body);
        let body = json!({"query": "FOR i IN 1..5 REMOVE TO_STRING(i) IN docs"});
        post(&mut client, "/_api/cursor", &body);
        let name = format!("passing{}", round % 3);
        post(&mut client, "/_api/collection", &json!({"name": name}));
        post(&mut client, &format!("/_api/document/{name}"), &json!({"n": round}));
        if round == 4 {
            post(
                &mut client,
                "/_api/index?collection=docs",
                &json!({"type": "persistent", "fields": ["n"], "name": "by_n"}),
            );
        }
        if round >= 5 && stop.load(Ordering::Relaxed) {
            return;
        }
        assert_eq!(client.json("DELETE", &format!("/_api/collection/{name}"), "").status, 200);
    }
}

#[test]
fn a_restored_server_follows_another_one_through_kills() {
    let folder = tempfile::tempdir().unwrap();
    let leader = Server::start(&folder.path().join("leader"), &["--changes.log", "always"]);
    let mut client = leader.connect();
    post(&mut client, "/_api/collection", &json!({"name": "docs"}));
    let stop = AtomicBool::new(false);
    let follower = std::thread::scope(|threads| {
        let writers = Raise(&stop);
        threads.spawn(|| write(&leader, &stop));
        let begin = last_tick(&mut client);
        dumps::succeed("dump", &leader, &folder.path().join("dump"), &[]);
        let complete = last_tick(&mut client);
        let data = folder.path().join("follower");
        let follower = Server::start(&data, &[]);
        dumps::succeed("restore", &follower, &folder.path().join("dump"), &[]);
        follow(&leader, &follower, (&begin, &complete), 1);
        follower.kill();
        let follower = Server::start(&data, &[]);
        // The leader may write as fast as this one applies.
        follow(&leader, &follower, (&begin, &complete), 20);
        follower.kill();
        drop(writers);
        (Server::start(&data, &[]), begin, complete)
    });
    let (follower, begin, complete) = follower;
    follow(&leader, &follower, (&begin, &complete), usize::MAX);
    assert_eq!(state(&follower), state(&leader));
    // Another log has a position of its own.
    let mut client = follower.connect();
    let position = client.json("GET", "/_api/changes/apply?source=leader", "").json();
    assert!(position["applied"].is_string(), "{position}");
    let other = client.json("GET", "/_api/changes/apply?source=other", "").json();
    assert_eq!(other["applied"], Value::Null);
    assert_eq!(client.json("DELETE", "/_api/changes/apply?source=leader", "").status, 200);
    for (path, body) in [
        ("/_api/changes/apply?source=leader", "{"),
        ("/_api/changes/apply?source=a/b", ""),
        ("/_api/changes/apply", ""),
        ("/_api/changes/apply?source=leader&begin=x", ""),
        ("/_api/changes/apply?source=leader", r#"{"tick": "1", "type": 9999, "db": "_system"}"#),
    ] {
        assert_eq!(client.json("PUT", path, body).status, 400, "{path} {body}");
    }
}
