//! Lists of what two servers have in memory, and settings that each of them keeps, as clients of
//! either see them.

use kv_tikv::MemoryCluster;
use serde_json::{Value, json};
use server::service::authentication::create_root;

use crate::authentication::{authenticating, basic};
use crate::client::{Client, Reply};
use crate::harness::wait_until;
use crate::servers::{pair, query, start_on_with};

fn put(client: &mut Client, path: &str, body: &Value) -> Reply {
    let reply = client.request("PUT", path, "", body.to_string().as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply
}

fn delete(client: &mut Client, path: &str) -> Value {
    let reply = client.request("DELETE", path, "", b"");
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn list(client: &mut Client, path: &str) -> Vec<Value> {
    let reply = client.get(path);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let list = reply.json();
    list.as_array().or_else(|| list["transactions"].as_array()).unwrap().clone()
}

/// Returns the values of an attribute in the lists of both servers, which must be equal.
fn same(clients: &mut [Client; 2], path: &str, attribute: &str) -> Vec<String> {
    let [left, right] = clients.each_mut().map(|client| {
        let list = list(client, path);
        let value = |entry: &Value| entry[attribute].as_str().unwrap_or_default().to_owned();
        let mut values: Vec<String> = list.iter().map(value).collect();
        values.sort();
        values
    });
    assert_eq!(left, right);
    left
}

#[test]
fn running_and_slow_queries_of_both_are_listed() {
    let pair = pair();
    let mut clients = [pair.left.client(), pair.right.client()];
    let texts = ["RETURN SLEEP(600)", "RETURN SLEEP(601)"];
    let mut runners = [pair.left.client(), pair.right.client()];
    for (runner, text) in runners.iter_mut().zip(texts) {
        let body = json!({"query": text});
        runner.write("POST", "/_api/cursor", "", body.to_string().as_bytes());
    }
    wait_until("both queries run", || list(&mut clients[0], "/_api/query/current").len() == 2);
    assert_eq!(same(&mut clients, "/_api/query/current", "query"), texts);
    // The one of the other server is found and ended.
    let current = list(&mut clients[0], "/_api/query/current");
    let id =
        current.iter().find(|query| query["query"] == texts[1]).unwrap()["id"].as_str().unwrap().to_owned();
    delete(&mut clients[0], &format!("/_api/query/{id}"));
    runners[1].read_reply(false).error(410, 1500);
    wait_until("one query runs", || list(&mut clients[1], "/_api/query/current").len() == 1);
    // A setting of one is that of both.
    put(&mut clients[0], "/_api/query/properties", &json!({"slowQueryThreshold": 0}));
    assert_eq!(clients[1].get("/_api/query/properties").json()["slowQueryThreshold"], 0.0);
    for client in &mut clients {
        query(client, r#"{"query": "FOR d IN c RETURN d"}"#);
    }
    let slow = same(&mut clients, "/_api/query/slow", "query");
    assert_eq!(slow.iter().filter(|text| text.contains("IN c")).count(), 2, "{slow:?}");
    delete(&mut clients[1], "/_api/query/slow");
    assert!(same(&mut clients, "/_api/query/slow", "query").is_empty());
}

#[test]
fn transactions_and_jobs_of_both_are_listed() {
    let pair = pair();
    let mut clients = [pair.left.client(), pair.right.client()];
    let mut begun = Vec::new();
    for (client, access) in clients.iter_mut().zip(["read", "write"]) {
        let body = json!({"collections": {access: "c"}}).to_string();
        let reply = client.request("POST", "/_api/transaction/begin", "", body.as_bytes()).json();
        begun.push(reply["result"]["id"].as_str().unwrap().to_owned());
    }
    begun.sort();
    assert_eq!(same(&mut clients, "/_api/transaction", "id"), begun);
    // The one that writes belongs to the other server.
    delete(&mut clients[0], "/_api/transaction/write");
    assert_eq!(same(&mut clients, "/_api/transaction", "id").len(), 1);

    for client in &mut clients {
        for _ in 0..2 {
            let reply = client.request("GET", "/_api/version", "x-arango-async: store\r\n", b"");
            assert_eq!(reply.status, 202);
        }
    }
    wait_until("all jobs are done", || list(&mut clients[1], "/_api/job/done").len() == 4);
    assert_eq!(list(&mut clients[0], "/_api/job/done?count=3").len(), 3);
    assert_eq!(list(&mut clients[0], "/_api/job/pending").len(), 0);
    clients[0].get("/_api/job/done?count=x").error(400, 10);
    // Their replies are from before the year 2096.
    assert_eq!(delete(&mut clients[0], "/_api/job/expired?stamp=4000000000"), json!({"result": true}));
    assert_eq!(list(&mut clients[1], "/_api/job/done").len(), 0);
    for client in &mut clients {
        client.request("GET", "/_api/version", "x-arango-async: store\r\n", b"");
    }
    wait_until("both jobs are done", || list(&mut clients[0], "/_api/job/done").len() == 2);
    assert_eq!(delete(&mut clients[1], "/_api/job/all"), json!({"result": true}));
    assert_eq!(list(&mut clients[0], "/_api/job/done").len(), 0);
}

#[test]
fn caches_of_both_are_listed_set_and_cleared() {
    let pair = pair();
    let mut clients = [pair.left.client(), pair.right.client()];
    put(&mut clients[1], "/_api/query-cache/properties", &json!({"mode": "on"}));
    assert_eq!(clients[0].get("/_api/query-cache/properties").json()["mode"], "on");
    clients[0].request("PUT", "/_api/query-cache/properties", "", br#"{"mode": "maybe"}"#).error(400, 10);
    for (client, number) in clients.iter_mut().zip(1..) {
        query(
            client,
            &format!(r#"{{"query": "FOR d IN c RETURN {number}", "options": {{"usePlanCache": true}}}}"#),
        );
    }
    let texts = ["FOR d IN c RETURN 1", "FOR d IN c RETURN 2"];
    for path in ["/_api/query-cache/entries", "/_api/query-plan-cache"] {
        assert_eq!(same(&mut clients, path, "query"), texts, "{path}");
        let cache = path.strip_suffix("/entries").unwrap_or(path);
        delete(&mut clients[0], cache);
        assert!(same(&mut clients, path, "query").is_empty(), "{path}");
    }
}

#[test]
fn engines_of_both_are_listed() {
    let pair = pair();
    let mut clients = [pair.left.client(), pair.right.client()];
    let path = "/graph-analytics/api/graphanalytics/v1/engines";
    for client in &mut clients {
        let created = client.request("POST", path, "", br#"{"type_id": "gral", "size_id": "e8"}"#);
        assert!(created.status < 300, "{}", created.text());
    }
    for client in &mut clients {
        let listed = client.get(path).json();
        assert_eq!(listed["items"].as_array().unwrap().len(), 2, "{listed}");
    }
}

#[test]
fn tokens_of_both_are_listed() {
    let cluster = MemoryCluster::new();
    let servers = [(); 2].map(|()| start_on_with(&cluster, authenticating()));
    assert!(create_root(servers[0].server.instance().store(), "secret").unwrap());
    for server in &servers {
        let body = br#"{"username": "root", "password": "secret"}"#;
        assert_eq!(server.client().request("POST", "/_open/auth", "", body).status, 200);
    }
    for server in &servers {
        let root = basic("root", "secret");
        let listed = server.client().request("GET", "/_api/user/root/sessions", &root, b"").json();
        assert_eq!(listed["result"].as_array().unwrap().len(), 2, "{listed}");
        assert_eq!((&listed["error"], &listed["code"]), (&json!(false), &json!(200)));
    }
}

#[test]
fn pregel_runs_of_both_are_listed() {
    let pair = pair();
    let mut clients = [pair.left.client(), pair.right.client()];
    clients[0].request("POST", "/_api/collection", "", br#"{"name": "e", "type": 3}"#);
    let body = json!({"algorithm": "pagerank", "vertexCollections": ["c"], "edgeCollections": ["e"]});
    for client in &mut clients {
        let started = client.request("POST", "/_api/control_pregel", "", body.to_string().as_bytes());
        assert_eq!(started.status, 200, "{}", started.text());
    }
    assert_eq!(same(&mut clients, "/_api/control_pregel", "algorithm"), ["pagerank"; 2]);
}

#[test]
fn modes_and_log_levels_are_those_of_both() {
    let pair = pair();
    let [mut left, mut right] = [pair.left.client(), pair.right.client()];
    put(&mut left, "/_admin/server/mode", &json!({"mode": "readonly"}));
    right.request("POST", "/_api/document/c", "", b"{}").error(403, 1004);
    put(&mut right, "/_admin/server/mode", &json!({"mode": "default"}));
    assert_eq!(left.request("POST", "/_api/document/c", "", b"{}").status, 202);

    put(&mut right, "/_admin/log/level", &json!({"queries": "debug"}));
    assert_eq!(left.get("/_admin/log/level").json()["queries"], "DEBUG");
    delete(&mut left, "/_admin/log/level");
    assert_eq!(right.get("/_admin/log/level").json()["queries"], "INFO");

    put(&mut left, "/_admin/log/structured", &json!({"database": true}));
    assert_eq!(right.get("/_admin/log/structured").json()["database"], true);
}

#[test]
fn a_silent_server_is_named_by_lists() {
    let pair = pair();
    let mut left = pair.left.client();
    let address = pair.right.address;
    pair.right.server.shutdown().request();
    wait_until("the server stops", || std::net::TcpStream::connect(address).is_err());
    for path in ["/_api/query/current", "/_api/transaction", "/_api/job/done"] {
        let message = left.get(path).error(503, 1465);
        assert!(message.contains(&address.to_string()), "{message}");
    }
    // A question of another server is about this one only.
    let reply = left.request("GET", "/_api/query/current", "x-persea-forwarded-by: 1\r\n", b"");
    assert_eq!(reply.json(), json!([]));
}
