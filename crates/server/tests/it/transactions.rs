//! Stream transactions under many clients: those that wait never keep the others from their end.

use std::time::{Duration, Instant};

use server::ServerOptions;
use server::placement::pool::PoolLimits;

use crate::client::{Client, Reply};
use crate::harness::{Running, options, start_complete, start_with, store, wait_until};

fn start_small() -> Running {
    let pool = PoolLimits { threads: 1, max_threads: 2, max_queue: 100 };
    let running = start_with(ServerOptions { pool, ..options() }, store());
    let created = running.client().request("POST", "/_api/collection", "", br#"{"name": "c"}"#);
    assert_eq!(created.status, 200);
    running
}

fn begin(client: &mut Client, collections: &str) -> String {
    let body = format!(r#"{{"collections": {collections}}}"#);
    begun(&client.request("POST", "/_api/transaction/begin", "", body.as_bytes()))
}

fn begun(reply: &Reply) -> String {
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()["result"]["id"].as_str().unwrap().to_owned()
}

fn insert(client: &mut Client, transaction: &str) -> Reply {
    let header = format!("x-arango-trx-id: {transaction}\r\n");
    client.request("POST", "/_api/document/c", &header, b"{}")
}

fn commit(client: &mut Client, transaction: &str) -> Reply {
    client.request("PUT", &format!("/_api/transaction/{transaction}"), "", b"")
}

#[test]
fn many_exclusive_transactions_follow_each_other_in_order() {
    const CLIENTS: usize = 20;
    let running = start_small();
    let mut clients: Vec<Client> = (0..CLIENTS).map(|_| running.client()).collect();
    let body = br#"{"collections": {"exclusive": "c"}}"#;
    for client in &mut clients {
        client.write("POST", "/_api/transaction/begin", "", body);
        // So they arrive in this order, which nobody sees.
        std::thread::sleep(Duration::from_millis(100));
    }
    for (number, client) in clients.iter_mut().enumerate() {
        let id = begun(&client.read_reply(false));
        assert_eq!(insert(client, &id).status, 202);
        let header = format!("x-arango-trx-id: {id}\r\n");
        let count = client.request("GET", "/_api/collection/c/count", &header, b"");
        assert_eq!(count.json()["count"].as_u64(), Some(number as u64 + 1));
        assert_eq!(commit(client, &id).status, 200);
    }
}

#[test]
fn waiting_writers_do_not_keep_a_transaction_from_its_end() {
    let running = start_small();
    let mut holder = running.client();
    let id = begin(&mut holder, r#"{"exclusive": "c"}"#);
    // They occupy all threads of the pool.
    let mut writers: Vec<Client> = (0..8).map(|_| running.client()).collect();
    for writer in &mut writers {
        writer.write("POST", "/_api/document/c?waitForSync=true", "", b"{}");
    }
    // They wait then, which nobody sees. If they come later, the rest holds as well.
    std::thread::sleep(Duration::from_millis(100));
    let began = Instant::now();
    assert_eq!(insert(&mut holder, &id).status, 202);
    assert_eq!(commit(&mut holder, &id).status, 200);
    assert!(began.elapsed() < Duration::from_secs(30));
    for writer in &mut writers {
        assert_eq!(writer.read_reply(false).status, 201);
    }
    let count = holder.get("/_api/collection/c/count");
    assert_eq!(count.json()["count"].as_u64(), Some(9));
}

#[test]
fn sixty_waiting_writers_stop_nobody() {
    let running = start_with(
        ServerOptions { pool: PoolLimits { threads: 2, max_threads: 32, max_queue: 100 }, ..options() },
        store(),
    );
    let mut client = running.client();
    for name in ["c", "other"] {
        let body = format!(r#"{{"name": "{name}"}}"#);
        assert_eq!(client.request("POST", "/_api/collection", "", body.as_bytes()).status, 200);
    }
    let id = begin(&mut client, r#"{"exclusive": "c"}"#);
    let mut writers: Vec<Client> = (0..60).map(|_| running.client()).collect();
    for (number, writer) in writers.iter_mut().enumerate() {
        match number % 2 {
            0 => writer.write("POST", "/_api/document/c?waitForSync=true", "", b"{}"),
            _ => writer.write("POST", "/_api/cursor", "", br#"{"query": "INSERT {} INTO c"}"#),
        }
    }
    wait_until("the queries wait", || {
        running.client().get("/_api/query/current").json().as_array().unwrap().len() == 30
    });
    let began = Instant::now();
    for _ in 0..5 {
        let scan = br#"{"query": "FOR d IN other COLLECT n = d.n RETURN n", "options": {"fullCount": true}}"#;
        assert_eq!(client.request("POST", "/_api/cursor", "", scan).status, 201);
    }
    let index = br#"{"type": "persistent", "fields": ["n"]}"#;
    assert_eq!(client.request("POST", "/_api/index?collection=other", "", index).status, 201);
    let queries = client.get("/_api/query/current").json();
    let query = queries[0]["id"].as_str().unwrap();
    assert_eq!(client.request("DELETE", &format!("/_api/query/{query}"), "", b"").status, 200);
    assert_eq!(client.get("/_api/transaction").json()["transactions"].as_array().unwrap().len(), 1);
    assert_eq!(client.request("DELETE", &format!("/_api/transaction/{id}"), "", b"").status, 200);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let statuses: Vec<u16> = writers.iter_mut().map(|writer| writer.read_reply(false).status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 59, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 410).count(), 1, "{statuses:?}");
}

#[test]
fn writes_that_compute_are_listed_and_killed() {
    let running = start_complete(options());
    let mut client = running.client();
    let computed = br#"{"name": "computed", "computedValues":
        [{"name": "x", "expression": "RETURN SLEEP(300)", "overwrite": true}]}"#;
    assert_eq!(client.request("POST", "/_api/collection", "", computed).status, 200);
    let mut writer = running.client();
    writer.write("POST", "/_api/document/computed", "", b"{}");
    let mut id = String::new();
    wait_until("the write is listed", || {
        let current = client.get("/_api/query/current").json();
        let query = current[0]["query"].as_str().unwrap_or_default().to_owned();
        id = current[0]["id"].as_str().unwrap_or_default().to_owned();
        query.contains("INTO computed")
    });
    assert_eq!(client.request("DELETE", &format!("/_api/query/{id}"), "", b"").status, 200);
    writer.read_reply(false).error(410, 1500);
    assert_eq!(client.get("/_api/query/current").json(), serde_json::json!([]));
    assert_eq!(client.get("/_api/collection/computed/count").json()["count"], 0);
}

#[test]
fn a_client_that_goes_leaves_the_queue() {
    let running = start_small();
    let mut holder = running.client();
    let id = begin(&mut holder, r#"{"exclusive": "c"}"#);
    let mut gone = running.client();
    gone.write("POST", "/_api/transaction/begin", "", br#"{"collections": {"exclusive": "c"}}"#);
    // It waits then, which nobody sees. If it goes before that, the rest holds as well.
    std::thread::sleep(Duration::from_millis(100));
    drop(gone);
    let mut next = running.client();
    next.write("POST", "/_api/transaction/begin", "", br#"{"collections": {"write": "c"}}"#);
    assert_eq!(commit(&mut holder, &id).status, 200);
    let id = begun(&next.read_reply(false));
    assert_eq!(commit(&mut next, &id).status, 200);
    assert_eq!(holder.get("/_api/transaction").json()["transactions"], serde_json::json!([]));
}

#[test]
fn a_server_that_stops_ends_transactions() {
    let running = start_small();
    let mut client = running.client();
    let id = begin(&mut client, r#"{"exclusive": "c"}"#);
    assert_eq!(insert(&mut client, &id).status, 202);
    let store = std::sync::Arc::clone(running.server.instance().store());
    assert!(running.stop());
    let snapshot = store.snapshot().unwrap();
    let collection = snapshot.catalog().database("_system").unwrap().collection("c").unwrap().clone();
    assert_eq!(snapshot.count(&collection).unwrap(), 0);
    drop(store);
}
