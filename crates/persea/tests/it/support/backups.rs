//! Servers with three documents, and their backups.

use std::path::Path;

use serde_json::{Value, json};

use super::{Client, Reply, Server, query};

/// Asks for an operation on backups.
pub(crate) fn ask(server: &Server, operation: &str, body: &Value) -> Reply {
    server.connect().json("POST", &format!("/_admin/backup/{operation}"), &body.to_string())
}

/// Creates a backup, and returns its id.
pub(crate) fn create(server: &Server, label: &str) -> String {
    let reply = ask(server, "create", &json!({"label": label}));
    assert_eq!(reply.status, 201, "{}", reply.text());
    assert_eq!(reply.json()["result"]["potentiallyInconsistent"], false);
    reply.json()["result"]["id"].as_str().unwrap().to_owned()
}

/// Restores a backup, waits for the server, and returns the id of the data before.
pub(crate) fn restore(server: &Server, data: &Path, id: &str) -> String {
    let reply = ask(server, "restore", &json!({"id": id}));
    assert_eq!(reply.status, 200, "{}", reply.text());
    server.wait_for_restore(data);
    reply.json()["result"]["previous"].as_str().unwrap().to_owned()
}

/// Creates a collection in the database of a path.
pub(crate) fn collection(client: &mut Client, path: &str, name: &str) {
    let reply = client.json("POST", &format!("{path}/_api/collection"), &json!({"name": name}).to_string());
    assert_eq!(reply.status, 200, "{}", reply.text());
}

/// Starts a server with three documents.
pub(crate) fn start(data: &Path) -> Server {
    start_with(data, &[])
}

/// Starts such a server with options.
pub(crate) fn start_with(data: &Path, options: &[&str]) -> Server {
    let server = Server::start(data, options);
    let mut client = server.connect();
    collection(&mut client, "", "docs");
    query(&mut client, "FOR i IN 1..3 INSERT {_key: TO_STRING(i)} INTO docs");
    server
}
