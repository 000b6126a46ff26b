//! Two servers on one store: what belongs to one of them, and is asked of the other one.

use std::sync::Arc;
use std::time::Duration;

use database::{Instance, InstanceOptions};
use kv_tikv::MemoryCluster;
use server::ServerOptions;
use server::service::authentication::{create_root, persistent_secret};
use storage::{Store, StoreOptions};

use crate::client::{Client, Reply};
use crate::harness::{self, Running, options, wait_until};

/// A lease that outlives every test.
pub(crate) const LEASE: Duration = Duration::from_secs(3_600);

/// Two servers that know each other's addresses.
pub(crate) struct Pair {
    pub(crate) cluster: MemoryCluster,
    pub(crate) left: Running,
    pub(crate) right: Running,
}

pub(crate) fn pair() -> Pair {
    let cluster = MemoryCluster::new();
    let (left, right) = (start_on(&cluster), start_on(&cluster));
    let created = left.client().request("POST", "/_api/collection", "", br#"{"name": "c"}"#);
    assert_eq!(created.status, 200, "{}", created.text());
    Pair { cluster, left, right }
}

pub(crate) fn start_on(cluster: &MemoryCluster) -> Running {
    start_on_with(cluster, options())
}

pub(crate) fn start_on_with(cluster: &MemoryCluster, options: ServerOptions) -> Running {
    start_instance_on(cluster, options, InstanceOptions::default())
}

pub(crate) fn start_instance_on(
    cluster: &MemoryCluster,
    options: ServerOptions,
    instance_options: InstanceOptions,
) -> Running {
    let engine: Arc<dyn kv::Engine> = cluster.open(LEASE).unwrap();
    let store = Store::open(Arc::clone(&engine), StoreOptions::default()).unwrap();
    let running = harness::start_on(options, Instance::new(store, instance_options).unwrap());
    engine.sharing().unwrap().set_address(&running.address.to_string()).unwrap();
    running
}

pub(crate) fn query(client: &mut Client, body: &str) -> Reply {
    let reply = client.request("POST", "/_api/cursor", "", body.as_bytes());
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply
}

#[test]
fn a_cursor_is_read_at_either_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let first = query(&mut left, r#"{"query": "FOR i IN 1..5 RETURN i", "batchSize": 2}"#).json();
    let path = format!("/_api/cursor/{}", first["id"].as_str().unwrap());
    let second = right.request("PUT", &path, "", b"");
    assert_eq!((second.status, second.json()["result"].to_string().as_str()), (200, "[3,4]"));
    let third = left.request("POST", &path, "", b"").json();
    assert_eq!((third["result"].to_string().as_str(), &third["hasMore"]), ("[5]", &false.into()));
    // It is gone, for both.
    right.request("PUT", &path, "", b"").error(404, 1600);
    left.request("DELETE", &path, "", b"").error(404, 1600);
}

#[test]
fn a_transaction_continues_at_either_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let begun = left.request("POST", "/_api/transaction/begin", "", br#"{"collections": {"write": "c"}}"#);
    let id = begun.json()["result"]["id"].as_str().unwrap().to_owned();
    let header = format!("x-arango-trx-id: {id}\r\n");
    let inserted = right.request("POST", "/_api/document/c", &header, br#"{"_key": "a"}"#);
    assert_eq!(inserted.status, 202, "{}", inserted.text());
    let read = "/_api/document/c/a";
    assert_eq!(right.request("GET", read, &header, b"").status, 200);
    assert_eq!(right.get(read).status, 404, "others do not see it yet");
    let committed = right.request("PUT", &format!("/_api/transaction/{id}"), "", b"");
    assert_eq!(committed.json()["result"]["status"], "committed");
    assert_eq!((left.get(read).status, right.get(read).status), (200, 200));
}

/// Sends requests, each as its text, as the parts of a batch. Returns the replies to the parts.
fn batch(client: &mut Client, parts: &[String]) -> (Reply, Vec<String>) {
    batch_to(client, ("/_api/batch", ""), parts)
}

/// Sends a batch to a path, with further headers.
pub(crate) fn batch_to(
    client: &mut Client,
    (path, headers): (&str, &str),
    parts: &[String],
) -> (Reply, Vec<String>) {
    let part = |(number, text): (usize, &String)| {
        format!(
            "--b\r\nContent-Type: application/x-arango-batchpart\r\nContent-Id: {number}\r\n\r\n{text}\r\n"
        )
    };
    let body = parts.iter().enumerate().map(part).collect::<String>() + "--b--";
    let headers = format!("{headers}content-type: multipart/form-data; boundary=b\r\n");
    let reply = client.request("POST", path, &headers, body.as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.text());
    let text = reply.text();
    let replies = text.split("--b\r\n").skip(1).map(|part| {
        let (_, reply) = part.split_once("\r\n\r\n").unwrap();
        reply.to_owned()
    });
    let replies = replies.collect();
    (reply, replies)
}

/// Parts that name objects of several servers run in order, and their replies have the same form.
#[test]
fn parts_of_a_batch_run_where_their_objects_are() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let begun = left.request("POST", "/_api/transaction/begin", "", br#"{"collections": {"write": "c"}}"#);
    let transaction = begun.json()["result"]["id"].as_str().unwrap().to_owned();
    let first = query(&mut left, r#"{"query": "FOR i IN 1..5 RETURN i", "batchSize": 2}"#).json();
    let cursor = first["id"].as_str().unwrap();
    let own = query(&mut right, r#"{"query": "FOR i IN 6..9 RETURN i", "batchSize": 2}"#).json();
    let own = own["id"].as_str().unwrap();
    let header = format!("x-arango-trx-id: {transaction}\r\n");
    let gone = u64::MAX - 1;
    let (reply, parts) = batch(
        &mut right,
        &[
            format!("POST /_api/document/c HTTP/1.1\r\n{header}\r\n{{\"_key\": \"a\"}}"),
            format!("GET /_api/document/c/a HTTP/1.1\r\n{header}\r\n"),
            "GET /_api/document/c/a HTTP/1.1\r\n\r\n".to_owned(),
            format!("HEAD /_api/document/c/a HTTP/1.1\r\n{header}\r\n"),
            format!("PUT /_api/cursor/{cursor} HTTP/1.1\r\n\r\n"),
            format!("PUT /_api/cursor/{own} HTTP/1.1\r\n\r\n"),
            format!("PUT /_api/transaction/{transaction} HTTP/1.1\r\n\r\n"),
            "GET /_api/document/c/a HTTP/1.1\r\n\r\n".to_owned(),
            format!("PUT /_api/cursor/{gone} HTTP/1.1\r\n\r\n"),
        ],
    );
    let statuses: Vec<&str> = parts.iter().map(|part| &part[9..12]).collect();
    assert_eq!(statuses, ["202", "200", "404", "200", "200", "200", "200", "200", "404"], "{}", reply.text());
    assert_eq!(reply.header("x-arango-errors"), Some("2"));
    assert!(parts[4].contains("\"result\":[3,4]") && parts[5].contains("\"result\":[8,9]"));
    let names = |part: &str| -> Vec<String> {
        let (head, _) = part.split_once("\r\n\r\n").unwrap();
        let names = head.lines().skip(1).map(|line| line.split_once(':').unwrap().0.to_owned());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    // The reply of another server has the headers of this one's.
    assert_eq!(names(&parts[4]), names(&parts[5]));
    assert_eq!(names(&parts[1]), names(&parts[7]));
    let length = |part: &str| part.lines().find(|line| line.starts_with("content-length")).map(str::to_owned);
    assert_eq!(length(&parts[3]), length(&parts[1]));
    assert!(parts[3].ends_with("\r\n\r\n\r\n"), "HEAD has no body: {}", parts[3]);
}

/// A part whose server does not answer is an error of that part only.
#[test]
fn a_part_whose_server_is_silent_fails_alone() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let first = query(&mut left, r#"{"query": "FOR i IN 1..5 RETURN i", "batchSize": 2}"#).json();
    let cursor = first["id"].as_str().unwrap();
    let address = pair.left.address;
    pair.left.server.shutdown().request();
    wait_until("the server stops", || std::net::TcpStream::connect(address).is_err());
    let parts = [
        format!("PUT /_api/cursor/{cursor} HTTP/1.1\r\n\r\n"),
        "GET /_api/version HTTP/1.1\r\n\r\n".to_owned(),
    ];
    let (_, parts) = batch(&mut right, &parts);
    assert!(parts[0].contains(" 503 ") && parts[0].contains("1465"), "{}", parts[0]);
    assert!(parts[0].contains(&address.to_string()) && parts[1].contains(" 200 "), "{parts:?}");
}

#[test]
fn a_job_is_fetched_at_either_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let started = left.request("GET", "/_api/version", "x-arango-async: store\r\n", b"");
    let path = format!("/_api/job/{}", started.header("x-arango-async-id").unwrap());
    let mut fetched = None;
    wait_until("the job ends", || {
        let reply = right.request("PUT", &path, "", b"");
        let is_done = reply.status != 204;
        fetched = is_done.then_some(reply);
        is_done
    });
    assert_eq!(fetched.unwrap().json()["server"], "arango");
    left.request("PUT", &path, "", b"").error(404, 404);
}

#[test]
fn a_query_is_killed_at_either_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    left.write("POST", "/_api/cursor", "", br#"{"query": "RETURN SLEEP(600)"}"#);
    let mut id = None;
    wait_until("the query runs", || {
        let running = pair.left.client().get("/_api/query/current").json();
        id = running[0]["id"].as_str().map(str::to_owned);
        id.is_some()
    });
    let id = id.unwrap();
    assert_eq!(right.request("DELETE", &format!("/_api/query/{id}"), "", b"").status, 200);
    left.read_reply(false).error(410, 1500);
}

#[test]
fn a_dump_is_read_at_either_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    left.request("POST", "/_api/document/c", "", br#"[{"_key": "a"}, {"_key": "b"}]"#);
    let batch = left.request("POST", "/_api/replication/batch", "", br#"{"ttl": 60}"#).json();
    let id = batch["id"].as_str().unwrap();
    let dump = right.get(&format!("/_api/replication/dump?batchId={id}&collection=c"));
    assert_eq!(dump.text().lines().count(), 2, "{}", dump.text());
    let start = format!("/_api/dump/start?batchId={id}");
    let started = right.request("POST", &start, "", br#"{"shards": ["c"]}"#);
    let dump = started.header("x-arango-dump-id").unwrap().to_owned();
    let next = right.request("POST", &format!("/_api/dump/next/{dump}?batchId=1"), "", b"");
    assert_eq!((next.status, next.text().lines().count()), (200, 2), "{}", next.text());
    assert_eq!(left.request("DELETE", &format!("/_api/dump/{dump}"), "", b"").status, 200);
    assert_eq!(right.request("DELETE", &format!("/_api/replication/batch/{id}"), "", b"").status, 204);
}

#[test]
fn an_owner_that_does_not_answer_is_named() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let first = query(&mut left, r#"{"query": "FOR i IN 1..5 RETURN i", "batchSize": 2}"#).json();
    let path = format!("/_api/cursor/{}", first["id"].as_str().unwrap());
    // It still has its lease, but does not answer.
    let address = pair.left.address;
    pair.left.server.shutdown().request();
    wait_until("the server stops", || std::net::TcpStream::connect(address).is_err());
    let reply = right.request("PUT", &path, "", b"");
    assert_eq!(reply.header("retry-after"), Some("2"));
    assert!(reply.error(503, 1465).contains(&address.to_string()));
}

#[test]
fn servers_are_listed() {
    let pair = pair();
    let addresses = [pair.left.address, pair.right.address].map(|address| format!("tcp://{address}"));
    let mut client = pair.right.client();
    let endpoints = client.get("/_api/cluster/endpoints").json();
    let listed: Vec<&str> = endpoints["endpoints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["endpoint"].as_str().unwrap())
        .collect();
    assert_eq!(listed, addresses);
    let health = client.get("/_admin/cluster/health").json();
    let servers: Vec<_> = health["Health"].as_object().unwrap().values().collect();
    assert!(servers.iter().all(|server| server["Status"] == "GOOD"));
    let count = |name: &str, value: &str| servers.iter().filter(|server| server[name] == value).count();
    assert_eq!((count("Role", "Coordinator"), count("Role", "DBServer"), count("Role", "Agent")), (2, 3, 1));
    assert_eq!(servers.iter().filter(|server| server["IsThis"] == true).count(), 1);
    let agent = servers.iter().find(|server| server["Role"] == "Agent").unwrap();
    assert_eq!((&agent["Endpoint"], &agent["Leading"]), (&"tcp://pd:1".into(), &true.into()));
    assert_eq!(health["Health"][agent["Leader"].as_str().unwrap()], **agent);
}

#[test]
fn a_store_that_has_stopped_is_listed_as_such() {
    let pair = pair();
    let mut client = pair.left.client();
    let mut store = |number: usize| {
        let health = client.get("/_admin/cluster/health").json();
        health["Health"][format!("PRMR-{number:016x}")].clone()
    };
    let first = store(1);
    assert_eq!((&first["Status"], &first["SyncStatus"]), (&"GOOD".into(), &"SERVING".into()));
    assert_eq!((&first["Endpoint"], &first["ShortName"]), (&"tcp://store:1".into(), &"DBServer0001".into()));
    pair.cluster.stop_store(1);
    pair.cluster.pass(Duration::from_secs(30));
    assert_eq!((&store(1)["Status"], &store(2)["Status"]), (&"BAD".into(), &"GOOD".into()));
    pair.cluster.pass(Duration::from_secs(60));
    assert_eq!((&store(1)["Status"], &store(1)["SyncStatus"]), (&"FAILED".into(), &"UNKNOWN".into()));
    // The others have its data.
    assert_eq!(pair.left.client().get("/_api/collection/c").status, 200);
}

#[test]
fn messages_to_each_store_are_measured() {
    let pair = pair();
    let mut client = pair.left.client();
    let page = client.get("/_admin/metrics/v2").text().to_owned();
    let value = |name: &str, labels: &str| -> f64 {
        let begin = format!("{name}{{{labels}}} ");
        let line = page.lines().find_map(|line| line.strip_prefix(&begin));
        line.unwrap_or_else(|| panic!("{begin}: {page}")).parse().unwrap()
    };
    for labels in ["store=\"store:1\",role=\"data\"", "store=\"pd:1\",role=\"placement\""] {
        let messages = value("persea_cluster_messages_total", labels);
        assert!(messages > 0.0);
        assert_eq!(value("persea_cluster_failed_messages_total", labels), 0.0);
        assert!(value("persea_cluster_bytes_sent_total", labels) > messages);
        assert_eq!(value("persea_cluster_reply_time_count", labels), messages);
        assert_eq!(value("persea_cluster_reply_time_bucket", &format!("{labels},le=\"+Inf\"")), messages);
    }
    let heads = page.matches("# TYPE persea_cluster_messages_total counter").count();
    assert_eq!(heads, 1);
    assert!(page.contains("\ntikv_regions "));
}

#[test]
fn a_server_without_its_lease_asks_to_start_again() {
    let cluster = MemoryCluster::new();
    let mut running = start_on(&cluster);
    cluster.pass(2 * LEASE);
    running.wait();
    assert!(running.server.shutdown().is_restart());
}

/// A server that does not reach the store for a while answers 503, and keeps its cursors and
/// transactions until the store is back.
#[test]
fn a_server_without_a_reachable_store_waits_for_it() {
    let cluster = MemoryCluster::with_timeout(Duration::from_millis(500));
    let running = start_on(&cluster);
    let mut client = running.client();
    client.request("POST", "/_api/collection", "", br#"{"name": "c"}"#);
    query(&mut client, r#"{"query": "FOR i IN 1..5 INSERT {_key: TO_STRING(i)} INTO c"}"#);
    let streamed = r#"{"query": "FOR d IN c RETURN d._key", "batchSize": 2, "options": {"stream": true}}"#;
    let cursor = query(&mut client, streamed).json();
    let begun = client.request("POST", "/_api/transaction/begin", "", br#"{"collections": {"write": "c"}}"#);
    let id = begun.json()["result"]["id"].as_str().unwrap().to_owned();
    let header = format!("x-arango-trx-id: {id}\r\n");
    assert_eq!(client.request("POST", "/_api/document/c", &header, br#"{"_key": "new"}"#).status, 202);
    let next = format!("/_api/cursor/{}", cursor["id"].as_str().unwrap());
    let commit = format!("/_api/transaction/{id}");

    cluster.cut_last();
    let available = |client: &mut Client| client.get("/_admin/server/availability").status;
    wait_until("the server notices", || available(&mut client) == 503);
    for (method, path, body) in [
        ("GET", "/_api/document/c/1", ""),
        ("POST", "/_api/document/c", "{}"),
        ("PUT", &next, ""),
        ("PUT", &commit, ""),
    ] {
        let reply = client.request(method, path, "", body.as_bytes());
        reply.error(503, 1478);
        assert_eq!(reply.header("retry-after"), Some("2"), "{method} {path}");
    }
    let within = client.request("POST", "/_api/document/c", &header, br#"{"_key": "refused"}"#);
    within.error(503, 1478);
    assert!(!running.server.shutdown().is_requested());

    cluster.mend_last();
    wait_until("the server reaches the store", || available(&mut client) == 200);
    let batch = client.request("PUT", &next, "", b"");
    assert_eq!((batch.status, batch.json()["result"].to_string().as_str()), (200, r#"["3","4"]"#));
    assert_eq!(client.request("PUT", &commit, "", b"").json()["result"]["status"], "committed");
    assert_eq!(client.get("/_api/document/c/new").status, 200);
    assert_eq!(client.get("/_api/document/c/refused").status, 404);
}

#[test]
fn servers_that_start_together_make_one_store() {
    const SERVERS: usize = 4;
    let cluster = MemoryCluster::new();
    let start = || {
        let store = Store::open(cluster.open(LEASE).unwrap(), StoreOptions::default()).unwrap();
        let created = create_root(&store, "secret").unwrap();
        (store.server_id(), persistent_secret(&store).unwrap(), created, store)
    };
    let started: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..SERVERS).map(|_| scope.spawn(start)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (id, secret, _, _) = &started[0];
    assert!(started.iter().all(|one| one.0 == *id && one.1 == *secret));
    assert_eq!(started.iter().filter(|one| one.2).count(), 1, "one of them has created root");
}

/// An export whose state the store has removed says so. Another one continues after its last key.
#[test]
fn an_export_that_lost_its_state_is_resumed_by_its_last_key() {
    const DOCUMENTS: usize = 20_000;
    let pair = pair();
    let mut client = pair.left.client();
    let padding = "x".repeat(200);
    let lines = (0..DOCUMENTS).map(|n| format!("{{\"_key\":\"{n:05}\",\"padding\":\"{padding}\"}}\n"));
    let lines: Vec<String> = lines.collect();
    for part in lines.chunks(1_000) {
        let path = "/_api/import?collection=c&type=documents&complete=true";
        let imported = client.request("POST", path, "", part.concat().as_bytes());
        assert_eq!(imported.status, 201, "{}", imported.text());
    }
    let keys = |reply: &Reply| -> Vec<String> {
        let reply = reply.json();
        let rows = reply["result"].as_array().unwrap();
        rows.iter().map(|row| row["_key"].as_str().unwrap().to_owned()).collect()
    };
    let mut reply = client.request("POST", "/_api/export?collection=c", "", br#"{"batchSize": 500}"#);
    let id = reply.json()["id"].as_str().unwrap().to_owned();
    let mut read = keys(&reply);
    pair.cluster.forget_old_versions();
    // The server asks at regular times how much the store keeps. Time is what is tested here.
    std::thread::sleep(Duration::from_secs(3));
    loop {
        reply = client.request("PUT", &format!("/_api/export/{id}"), "", b"");
        if reply.status != 200 {
            break;
        }
        read.extend(keys(&reply));
        assert_eq!(reply.json()["hasMore"], true, "the export did not notice");
    }
    assert_eq!(reply.json()["errorNum"], 1240, "{}", reply.text());
    let rest = format!("/_api/export?collection=c&from={}", read.last().unwrap());
    let rest = pair.right.client().request("POST", &rest, "accept: application/x-ndjson\r\n", b"{}");
    assert_eq!(rest.status, 200, "{}", rest.text());
    for line in rest.text().lines() {
        let document: serde_json::Value = serde_json::from_str(line).unwrap();
        read.push(document["_key"].as_str().unwrap().to_owned());
    }
    assert_eq!(read, (0..DOCUMENTS).map(|n| format!("{n:05}")).collect::<Vec<_>>());
}

/// A client that accepts documents of replicas gets what they have, and is told so. Writes and
/// other requests are not affected.
#[test]
fn dirty_reads_are_old_and_say_so() {
    const DIRTY: &str = "x-arango-allow-dirty-read: true\r\n";
    let cluster = MemoryCluster::new();
    let engine: Arc<dyn kv::Engine> = cluster.open_with_age(LEASE, Duration::from_secs(5)).unwrap();
    let store = Store::open(Arc::clone(&engine), StoreOptions::default()).unwrap();
    let running = harness::start_with(options(), store);
    let mut client = running.client();
    client.request("POST", "/_api/collection", "", br#"{"name": "c"}"#);
    client.request("POST", "/_api/collection", "", br#"{"name": "e", "type": 3}"#);
    client.request("POST", "/_api/document/c", "", br#"{"_key": "a", "n": 1}"#);
    client.request("POST", "/_api/document/e", "", br#"{"_key": "x", "_from": "c/a", "_to": "c/a"}"#);
    // The first dirty read with new definitions is of the present.
    assert_eq!(client.request("GET", "/_api/document/c/a", DIRTY, b"").status, 200);
    cluster.pass(Duration::from_secs(20));
    // The server learns the time.
    assert_eq!(client.get("/_api/document/c/a").status, 200);
    client.request("PATCH", "/_api/document/c/a", "", br#"{"n": 2}"#);
    client.request("DELETE", "/_api/document/e/x", "", b"");
    let mut ask = |method: &str, path: &str, headers: &str, body: &str| {
        let reply = client.request(method, path, headers, body.as_bytes());
        let is_marked = reply.header("x-arango-potential-dirty-read") == Some("true");
        (reply.json(), is_marked)
    };
    let query = r#"{"query": "FOR d IN c RETURN d.n"}"#;
    let by_option = r#"{"query": "FOR d IN c RETURN d.n", "options": {"allowDirtyReads": true}}"#;
    for (method, path, body, pointer, old, new) in [
        ("GET", "/_api/document/c/a", "", "/n", "1", "2"),
        ("PUT", "/_api/document/c?onlyget=true", r#"["a"]"#, "/0/n", "1", "2"),
        ("POST", "/_api/cursor", query, "/result", "[1]", "[2]"),
        ("GET", "/_api/edges/e?vertex=c%2Fa", "", "/edges/0/_key", "\"x\"", "null"),
    ] {
        for (headers, expected, is_dirty) in [(DIRTY, old, true), ("", new, false)] {
            let (reply, is_marked) = ask(method, path, headers, body);
            let found = reply.pointer(pointer).unwrap_or(&serde_json::Value::Null).to_string();
            assert_eq!((found.as_str(), is_marked), (expected, is_dirty), "{path} {headers}: {reply}");
        }
    }
    let (reply, is_marked) = ask("POST", "/_api/cursor", "", by_option);
    assert_eq!((reply["result"].to_string().as_str(), is_marked), ("[1]", true));
    // A query that writes reads the present, and the replies to writes are as ever.
    let write = r#"{"query": "FOR d IN c UPDATE d WITH {m: d.n} IN c RETURN NEW.m"}"#;
    let (reply, is_marked) = ask("POST", "/_api/cursor", DIRTY, write);
    assert_eq!((reply["result"].to_string().as_str(), is_marked), ("[2]", false));
    let (_, is_marked) = ask("PATCH", "/_api/document/c/a", DIRTY, r#"{"n": 3}"#);
    assert!(!is_marked);
    assert!(!ask("GET", "/_api/collection/c", DIRTY, "").1);
    // The beginning of a transaction settles it for all of its reads.
    for (declared, headers, expected, is_dirty) in [
        (r#"{"collections": {"read": "c"}}"#, DIRTY, "1", true),
        (r#"{"collections": {"read": "c"}, "allowDirtyReads": true}"#, "", "1", true),
        (r#"{"collections": {"read": "c"}}"#, "", "3", false),
        (r#"{"collections": {"write": "c"}}"#, DIRTY, "3", false),
    ] {
        let (begun, is_marked) = ask("POST", "/_api/transaction/begin", headers, declared);
        assert_eq!(is_marked, is_dirty, "{declared} {headers}");
        let id = begun["result"]["id"].as_str().unwrap().to_owned();
        let within = format!("x-arango-trx-id: {id}\r\n");
        for headers in [within.clone(), format!("{within}{DIRTY}")] {
            let (reply, is_marked) = ask("GET", "/_api/document/c/a", &headers, "");
            assert_eq!((reply["n"].to_string().as_str(), is_marked), (expected, is_dirty));
        }
        let (reply, is_marked) = ask("POST", "/_api/cursor", &within, query);
        assert_eq!((reply["result"][0].to_string().as_str(), is_marked), (expected, is_dirty));
        ask("DELETE", &format!("/_api/transaction/{id}"), "", "");
    }
}
