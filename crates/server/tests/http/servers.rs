//! Two servers on one store: what belongs to one of them, and is asked of the other one.

use std::sync::Arc;
use std::time::Duration;

use kv_tikv::MemoryCluster;
use server::service::authentication::{create_root, persistent_secret};
use storage::{Store, StoreOptions};

use crate::client::{Client, Reply};
use crate::harness::{Running, options, start_with};

/// A lease that outlives every test.
const LEASE: Duration = Duration::from_secs(3_600);

/// Two servers that know each other's addresses.
struct Pair {
    left: Running,
    right: Running,
}

fn pair() -> Pair {
    let cluster = MemoryCluster::new();
    let (left, right) = (start_on(&cluster), start_on(&cluster));
    let created = left.client().request("POST", "/_api/collection", "", br#"{"name": "c"}"#);
    assert_eq!(created.status, 200, "{}", created.text());
    Pair { left, right }
}

fn start_on(cluster: &MemoryCluster) -> Running {
    let engine: Arc<dyn kv::Engine> = cluster.open(LEASE).unwrap();
    let running = start_with(options(), Store::open(Arc::clone(&engine), StoreOptions::default()).unwrap());
    engine.sharing().unwrap().set_address(&running.address.to_string()).unwrap();
    running
}

fn query(client: &mut Client, body: &str) -> Reply {
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
fn a_transaction_goes_on_at_either_server() {
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

#[test]
fn a_job_is_fetched_at_either_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let started = left.request("GET", "/_api/version", "x-arango-async: store\r\n", b"");
    let path = format!("/_api/job/{}", started.header("x-arango-async-id").unwrap());
    let fetched = std::iter::repeat_with(|| right.request("PUT", &path, "", b"")).find(|reply| {
        std::thread::sleep(Duration::from_millis(5));
        reply.status != 204
    });
    assert_eq!(fetched.unwrap().json()["server"], "arango");
    left.request("PUT", &path, "", b"").error(404, 404);
}

#[test]
fn a_query_is_killed_at_either_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    left.write("POST", "/_api/cursor", "", br#"{"query": "RETURN SLEEP(600)"}"#);
    let id = loop {
        let running = pair.left.client().get("/_api/query/current").json();
        if let Some(id) = running[0]["id"].as_str() {
            break id.to_owned();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
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
    while std::net::TcpStream::connect(address).is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let reply = right.request("PUT", &path, "", b"");
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
    assert_eq!(servers.len(), 2);
    assert!(servers.iter().all(|server| server["Status"] == "GOOD" && server["Role"] == "Coordinator"));
    assert_eq!(servers.iter().filter(|server| server["IsThis"] == true).count(), 1);
}

#[test]
fn a_server_without_its_lease_asks_to_start_again() {
    let cluster = MemoryCluster::new();
    let mut running = start_on(&cluster);
    cluster.pass(2 * LEASE);
    running.wait();
    assert!(running.server.shutdown().is_restart());
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
