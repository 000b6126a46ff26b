//! Tasks of several servers on one store, as clients of any of them see them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Instant;

use catalog::{AccessLevel, UserDefinition};
use kv_tikv::MemoryCluster;
use serde_json::{Value, json};
use server::service::authentication::{create_root, password};

use crate::authentication::{authenticating, basic};
use crate::client::{Client, Reply};
use crate::harness::{Running, start, wait_until};
use crate::servers::{LEASE, pair, start_on, start_on_with};

fn put(client: &mut Client, id: &str) -> Reply {
    let body = json!({"command": "1", "offset": 10_000, "name": format!("task {id}"), "params": [1.5]});
    client.request("PUT", &format!("/_api/tasks/{id}"), "", body.to_string().as_bytes())
}

fn ids(client: &mut Client, headers: &str) -> Vec<String> {
    let reply = client.request("GET", "/_api/tasks", headers, b"");
    assert_eq!(reply.status, 200, "{}", reply.text());
    let listed = reply.json();
    listed.as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect()
}

/// Makes a server refuse connections, though it still has its lease.
fn silence(running: &Running) {
    running.server.shutdown().request();
    let address = running.address;
    wait_until("the server stops", || std::net::TcpStream::connect(address).is_err());
}

#[test]
fn the_tasks_of_all_servers_are_listed_at_each() {
    let pair = pair();
    let third = start_on(&pair.cluster);
    let mut clients = [pair.left.client(), pair.right.client(), third.client()];
    for (client, id) in clients.iter_mut().zip(["b", "c", "a"]) {
        assert_eq!(put(client, id).status, 200);
        assert_eq!(put(client, &format!("{id}%2F%25%20ü")).status, 200);
    }
    let all = ["a", "a/% ü", "b", "b/% ü", "c", "c/% ü"];
    for client in &mut clients {
        assert_eq!(ids(client, ""), all);
        let task = client.get("/_api/tasks").json()[2].clone();
        assert_eq!((&task["name"], &task["offset"]), (&json!("task b"), &json!(10_000)));
        let one = client.get("/_api/tasks/b").json();
        assert_eq!(one.as_object().unwrap().keys().count(), task.as_object().unwrap().keys().count());
        assert_eq!(client.get("/_api/tasks/c%2F%25%20%C3%BC").json()["id"], "c/% ü");
        client.get("/_api/tasks/none").error(404, 1852);
    }
    // A request that was passed on is about one server only.
    assert_eq!(ids(&mut clients[0], "x-persea-forwarded-by: 1\r\n"), ["b", "b/% ü"]);
}

#[test]
fn a_task_is_removed_at_any_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    assert_eq!(put(&mut left, "a").status, 200);
    let removed = right.request("DELETE", "/_api/tasks/a", "", b"");
    assert_eq!((removed.status, removed.text()), (200, r#"{"error":false,"code":200}"#));
    left.get("/_api/tasks/a").error(404, 1852);
    right.request("DELETE", "/_api/tasks/a", "", b"").error(404, 1852);
    left.request("DELETE", "/_api/tasks/a", "x-persea-forwarded-by: 1\r\n", b"").error(404, 1852);
}

#[test]
fn an_identifier_belongs_to_one_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    assert_eq!(put(&mut left, "a").status, 200);
    for client in [&mut left, &mut right] {
        put(client, "a").error(409, 1851);
        let body = br#"{"id": "a", "command": "1", "offset": 1000}"#;
        client.request("POST", "/_api/tasks", "", body).error(409, 1851);
        client.request("POST", "/_api/tasks/a", "", body).error(409, 1851);
    }
    assert_eq!(ids(&mut left, ""), ["a"]);
    // Identifiers that servers choose need no question.
    silence(&pair.left);
    let own = right.request("POST", "/_api/tasks", "", br#"{"command": "1", "offset": 1000}"#);
    assert_eq!(own.status, 200, "{}", own.text());
    // An identifier that no request can name is refused.
    let long = json!({"id": "x".repeat(70_000), "command": "1"}).to_string();
    right.request("POST", "/_api/tasks", "", long.as_bytes()).error(400, 1850);
}

#[test]
fn scripts_see_the_tasks_of_all_servers() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    assert_eq!(put(&mut left, "a").status, 200);
    let action = "function () {
        const tasks = require('@arangodb/tasks');
        let number;
        try { tasks.register({id: 'a', command: '1'}); } catch (error) { number = error.errorNum; }
        tasks.register({id: 'b', command: '1', offset: 1000});
        const seen = [tasks.get().map((task) => task.id), tasks.get('a').name, number];
        tasks.unregister('a');
        return seen;
    }";
    let body = json!({"collections": {}, "action": action});
    let reply = right.request("POST", "/_api/transaction", "", body.to_string().as_bytes());
    assert_eq!(reply.json()["result"], json!([["a", "b"], "task a", 1851]), "{}", reply.text());
    assert_eq!(ids(&mut left, ""), ["b"]);
}

/// A list that lacks the tasks of a server would look complete, so there is none.
#[test]
fn a_silent_server_is_named_unless_another_one_has_the_task() {
    let pair = pair();
    let third = start_on(&pair.cluster);
    let (mut right, mut other) = (pair.right.client(), third.client());
    assert_eq!(put(&mut pair.left.client(), "left").status, 200);
    assert_eq!(put(&mut right, "right").status, 200);
    silence(&pair.left);
    let address = pair.left.address.to_string();
    for client in [&mut right, &mut other] {
        assert!(client.get("/_api/tasks").error(503, 1465).contains(&address));
        assert_eq!(client.get("/_api/tasks/right").status, 200);
        client.get("/_api/tasks/left").error(503, 1465);
        client.request("DELETE", "/_api/tasks/left", "", b"").error(503, 1465);
        put(client, "new").error(503, 1465);
        put(client, "right").error(409, 1851);
    }
    assert_eq!(other.request("DELETE", "/_api/tasks/right", "", b"").status, 200);
    right.get("/_api/tasks/right").error(503, 1465);
}

#[test]
fn each_server_checks_the_rights_of_the_user() {
    let cluster = MemoryCluster::new();
    let (left, right) =
        (start_on_with(&cluster, authenticating()), start_on_with(&cluster, authenticating()));
    let store = left.server.instance().store();
    assert!(create_root(store, "secret").unwrap());
    for (name, level) in [("reader", AccessLevel::ReadOnly), ("writer", AccessLevel::ReadWrite)] {
        let mut user = UserDefinition::new(name, password::hash("").unwrap());
        user.rights.grant_database("shop", level);
        store.create_user(user).unwrap();
    }
    let (mut left, mut right) = (left.client(), right.client());
    let root = basic("root", "secret");
    let created = left.request("POST", "/_api/database", &root, br#"{"name": "shop"}"#);
    assert_eq!(created.status, 201, "{}", created.text());
    let call = |client: &mut Client, user: &str, method: &str, path: &str| {
        let body = if method == "PUT" { r#"{"command": "1", "offset": 1000}"# } else { "" };
        client.request(method, path, user, body.as_bytes())
    };
    assert_eq!(call(&mut left, &root, "PUT", "/_api/tasks/of-root").status, 200);
    assert_eq!(call(&mut left, &root, "PUT", "/_db/shop/_api/tasks/of-shop").status, 200);
    let (reader, writer) = (basic("reader", ""), basic("writer", ""));
    let listed = |reply: Reply| -> Vec<Value> {
        reply.json().as_array().unwrap().iter().map(|task| task["id"].clone()).collect()
    };
    assert_eq!(listed(call(&mut right, &root, "GET", "/_api/tasks")), ["of-root", "of-shop"]);
    for user in [&reader, &writer] {
        assert_eq!(listed(call(&mut right, user, "GET", "/_db/shop/_api/tasks")), ["of-shop"]);
        assert_eq!(call(&mut right, user, "GET", "/_db/shop/_api/tasks/of-shop").status, 200);
        call(&mut right, user, "GET", "/_db/shop/_api/tasks/of-root").error(404, 1852);
    }
    // An identifier is in use, whoever may see its task.
    call(&mut right, &writer, "PUT", "/_db/shop/_api/tasks/of-root").error(409, 1851);
    call(&mut right, &reader, "DELETE", "/_db/shop/_api/tasks/of-shop").error(403, 11);
    call(&mut right, &writer, "DELETE", "/_db/shop/_api/tasks/of-root").error(404, 1852);
    assert_eq!(call(&mut right, &writer, "DELETE", "/_db/shop/_api/tasks/of-shop").status, 200);
    assert_eq!(listed(call(&mut left, &root, "GET", "/_api/tasks")), ["of-root"]);
}

/// Makes a member of the store that answers each request with a text, or never without one.
fn impostor(cluster: &MemoryCluster, reply: Option<&'static str>) -> Arc<dyn kv::Engine> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let engine: Arc<dyn kv::Engine> = cluster.open(LEASE).unwrap();
    engine.sharing().unwrap().set_address(&listener.local_addr().unwrap().to_string()).unwrap();
    std::thread::spawn(move || {
        let mut silent = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            match reply {
                Some(reply) => {
                    let _ = stream.read(&mut [0; 4 << 10]);
                    let _ = stream.write_all(reply.as_bytes());
                }
                None => silent.push(stream),
            }
        }
    });
    engine
}

#[test]
fn a_malformed_reply_of_a_server_is_an_error() {
    // A number where a list is due, half a value, and no HTTP at all.
    for reply in [
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 1\r\n\r\n\x31",
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n\x13\x50",
        "HTTP/1.1 418 ?\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        "nonsense\r\n\r\n",
    ] {
        let cluster = MemoryCluster::new();
        let running = start_on(&cluster);
        let mut client = running.client();
        assert_eq!(put(&mut client, "a").status, 200);
        let _member = impostor(&cluster, Some(reply));
        let listed = client.get("/_api/tasks");
        let number = if reply.starts_with("HTTP") { 4 } else { 1465 };
        listed.error(if number == 4 { 500 } else { 503 }, number);
        assert_eq!(client.get("/_api/tasks/a").status, 200);
    }
}

/// A server that hangs holds nobody for longer than 10 seconds.
#[test]
fn a_server_that_hangs_is_not_waited_for() {
    let cluster = MemoryCluster::new();
    let running = start_on(&cluster);
    let _member = impostor(&cluster, None);
    let begun = Instant::now();
    let message = running.client().get("/_api/tasks").error(503, 1465);
    assert!(message.contains("has not answered for 10 s") && begun.elapsed().as_secs() >= 10, "{message}");
    // A client that goes ends its question.
    running.client().write("GET", "/_api/tasks", "", b"");
    assert!(running.stop());
}

#[test]
fn a_server_alone_asks_nobody() {
    let running = start();
    let mut client = running.client();
    assert_eq!(put(&mut client, "a").status, 200);
    put(&mut client, "a").error(409, 1851);
    assert_eq!(ids(&mut client, ""), ["a"]);
    assert_eq!(client.request("DELETE", "/_api/tasks/a", "", b"").status, 200);
    client.get("/_api/tasks/a").error(404, 1852);
}
