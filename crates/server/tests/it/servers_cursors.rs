//! Cursors whose server is gone: another server of the store goes on with some of them.

use std::sync::Arc;

use kv_tikv::MemoryCluster;
use serde_json::{Value, json};
use storage::{Store, StoreOptions};

use crate::client::Client;
use crate::harness::{Running, options, start_with, wait_until};
use crate::servers::LEASE;

/// A server, and its engine, which gives up its place among the servers when it is closed.
struct Server {
    running: Running,
    engine: Arc<dyn kv::Engine>,
}

impl Server {
    fn start(cluster: &MemoryCluster) -> Server {
        let engine: Arc<dyn kv::Engine> = cluster.open(LEASE).unwrap();
        let store = Store::open(Arc::clone(&engine), StoreOptions::default()).unwrap();
        let running = start_with(options(), store);
        engine.sharing().unwrap().set_address(&running.address.to_string()).unwrap();
        Server { running, engine }
    }

    fn client(&self) -> Client {
        self.running.client()
    }

    fn stop(self) {
        assert!(self.running.stop());
        self.engine.close().unwrap();
    }

    /// Loses its place among the servers without an order to stop.
    fn crash(self) {
        self.engine.close().unwrap();
    }
}

/// Returns servers on a store with the documents 0 to 9 in the collection `c`.
fn servers<const N: usize>() -> (MemoryCluster, [Server; N]) {
    let cluster = MemoryCluster::new();
    let servers = std::array::from_fn(|_| Server::start(&cluster));
    let mut client = servers[0].client();
    send(&mut client, "POST", "/_api/collection", &json!({"name": "c"}));
    let documents: Vec<Value> = (0..10).map(|n| json!({"_key": n.to_string(), "n": n})).collect();
    send(&mut client, "POST", "/_api/document/c", &json!(documents));
    (cluster, servers)
}

fn send(client: &mut Client, method: &str, path: &str, body: &Value) -> Value {
    let reply = client.request(method, path, "", body.to_string().as_bytes());
    assert!(reply.status < 300, "{method} {path}: {}", reply.text());
    reply.json()
}

/// Begins a streamed query with batches of three rows. Returns its path and its first rows.
fn stream(client: &mut Client, query: &str, options: &Value) -> (String, Value) {
    let mut body = json!({"query": query, "batchSize": 3, "options": options});
    body["options"]["stream"] = true.into();
    let reply = send(client, "POST", "/_api/cursor", &body);
    (format!("/_api/cursor/{}", reply["id"].as_str().unwrap()), reply["result"].clone())
}

fn next(client: &mut Client, path: &str) -> Value {
    send(client, "POST", path, &json!(null))
}

const ALL: &str = "FOR d IN c RETURN d.n";

/// The client reads all rows once, as of the beginning of the query, whatever server it asks.
#[test]
fn a_streamed_cursor_outlives_its_server() {
    let (_cluster, [first, second, third]) = servers();
    let (path, rows) = stream(&mut first.client(), ALL, &json!({}));
    assert_eq!(rows, json!([0, 1, 2]));
    assert_eq!(next(&mut second.client(), &path)["result"], json!([3, 4, 5]));
    first.stop();
    // It reads the state of its beginning.
    send(&mut second.client(), "DELETE", "/_api/document/c/7", &json!(null));
    send(&mut third.client(), "POST", "/_api/document/c", &json!({"_key": "55"}));
    assert_eq!(next(&mut third.client(), &path)["result"], json!([6, 7, 8]));
    // The third server has it now. The second one passes requests on.
    let last = next(&mut second.client(), &path);
    assert_eq!((&last["result"], &last["hasMore"]), (&json!([9]), &json!(false)));
    assert_eq!(last["extra"]["stats"]["scannedFull"], 10);
    second.client().request("POST", &path, "", b"").error(404, 1600);
    wait_until("the records are removed", || third.client().request("DELETE", &path, "", b"").status == 404);
}

/// A server that fails after the cursor was handed over loses nothing either.
#[test]
fn a_cursor_outlives_several_servers() {
    let (cluster, [first, second, third]) = servers();
    let filtered = "FOR d IN c FILTER d.n != 4 FOR x IN [d.n, -d.n] FILTER x != 0 RETURN x";
    let (path, rows) = stream(&mut first.client(), filtered, &json!({}));
    assert_eq!(rows, json!([1, -1, 2]));
    first.stop();
    assert_eq!(next(&mut second.client(), &path)["result"], json!([-2, 3, -3]));
    // A server with the number of the first one gets all requests for the cursor.
    let fourth = Server::start(&cluster);
    assert_eq!(next(&mut third.client(), &path)["result"], json!([5, -5, 6]));
    fourth.stop();
    // The second server still has the cursor in memory, and sees that it is out of date.
    assert_eq!(next(&mut second.client(), &path)["result"], json!([-6, 7, -7]));
    second.stop();
    assert_eq!(next(&mut third.client(), &path)["result"], json!([8, -8, 9]));
    assert_eq!(next(&mut third.client(), &path)["hasMore"], json!(false));
}

/// With `allowRetry`, a cursor outlives a crash, and a reply that was lost with its server is sent
/// again.
#[test]
fn a_lost_reply_is_sent_again_by_another_server() {
    let (_cluster, [first, second]) = servers();
    let by_index = "FOR d IN c FILTER d._key >= '1' LIMIT 7 RETURN d.n";
    let (path, rows) = stream(&mut first.client(), by_index, &json!({"allowRetry": true}));
    let second_batch = next(&mut first.client(), &format!("{path}/2"));
    assert_eq!((rows, &second_batch["result"]), (json!([1, 2, 3]), &json!([4, 5, 6])));
    first.crash();
    let mut client = second.client();
    for _ in 0..2 {
        assert_eq!(next(&mut client, &format!("{path}/2")), second_batch);
    }
    client.request("POST", &format!("{path}/1"), "", b"").error(404, 1600);
    let last = next(&mut client, &format!("{path}/3"));
    assert_eq!((&last["result"], &last["hasMore"]), (&json!([7]), &json!(false)));
}

#[test]
fn cursors_that_others_cannot_repeat_end_with_their_server() {
    let (_cluster, [first, second, third]) = servers();
    let mut client = first.client();
    let buffered = json!({"query": ALL, "batchSize": 3});
    let buffered = send(&mut client, "POST", "/_api/cursor", &buffered)["id"].as_str().unwrap().to_owned();
    let mut paths = vec![format!("/_api/cursor/{buffered}")];
    for query in [
        "FOR d IN c RETURN RAND()",
        "FOR d IN c SORT d.n DESC RETURN d.n",
        "FOR d IN c FOR e IN c RETURN 1",
        "FOR d IN c UPDATE d WITH {m: 1} IN c RETURN NEW.n",
        "FOR d IN c RETURN DOCUMENT(d._id).n",
    ] {
        paths.push(stream(&mut client, query, &json!({})).0);
    }
    // One that its user has ended.
    paths.push(stream(&mut client, ALL, &json!({})).0);
    let running = client.get("/_api/query/current").json();
    let running = running.as_array().unwrap().iter().find(|query| query["query"] == ALL).unwrap().clone();
    send(&mut client, "DELETE", &format!("/_api/query/{}", running["id"].as_str().unwrap()), &json!(null));
    first.stop();
    let (path, _) = stream(&mut second.client(), ALL, &json!({}));
    second.crash();
    paths.push(path);
    for path in paths {
        third.client().request("POST", &path, "", b"").error(404, 1600);
    }
}

/// A query that another server would answer from other data ends.
#[test]
fn a_cursor_over_changed_collections_ends_with_its_server() {
    for (method, target) in [
        ("PUT", "/_api/collection/c/truncate"),
        ("DELETE", "/_api/index/c/i"),
        ("DELETE", "/_api/collection/c"),
    ] {
        let (_cluster, [first, second, third]) = servers();
        let mut client = first.client();
        let index = json!({"type": "persistent", "fields": ["n"], "name": "i"});
        send(&mut client, "POST", "/_api/index?collection=c", &index);
        let (path, rows) = stream(&mut client, "FOR d IN c FILTER d.n > 1 RETURN d.n", &json!({}));
        assert_eq!(rows, json!([2, 3, 4]));
        first.stop();
        let mut client = second.client();
        let other = json!({"type": "persistent", "fields": ["m"]});
        send(&mut client, "POST", "/_api/index?collection=c", &other);
        assert_eq!(next(&mut client, &path)["result"], json!([5, 6, 7]), "an index that is not used");
        second.stop();
        let mut client = third.client();
        send(&mut client, method, target, &json!(null));
        client.request("POST", &path, "", b"").error(404, 1600);
    }
}

#[test]
fn a_cursor_without_its_server_is_closed_by_its_user_only() {
    let (_cluster, [first, second]) = servers();
    let (path, _) = stream(&mut first.client(), ALL, &json!({}));
    send(&mut first.client(), "POST", "/_api/database", &json!({"name": "other"}));
    first.stop();
    let mut client = second.client();
    for method in ["POST", "DELETE"] {
        client.request(method, &format!("/_db/other{path}"), "", b"").error(404, 1600);
    }
    assert_eq!(client.request("DELETE", &path, "", b"").status, 202);
    for method in ["POST", "DELETE"] {
        client.request(method, &path, "", b"").error(404, 1600);
    }
}
