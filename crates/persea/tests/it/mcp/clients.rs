//! The official Python SDK and the official inspector, unmodified from their registries.

use serde_json::json;

use super::server;
use crate::support::{drivers, post};

#[test]
fn python_sdk() {
    run("mcp", "python3");
}

#[test]
fn inspector() {
    run("inspector", "npm");
}

/// Runs the tests of a client. Skips them if its language or the client cannot be had.
fn run(suite: &str, needs: &str) {
    if !drivers::has(needs) {
        return;
    }
    let (_folder, server) = server(&[]);
    let mut client = server.connect();
    post(&mut client, "/_api/collection", &json!({"name": "people"}));
    let people = "FOR d IN [{_key: 'ann', name: 'Ann', age: 30}, {_key: 'bob', name: 'Bob', age: 40}] INSERT d INTO people";
    post(&mut client, "/_api/cursor", &json!({"query": people}));
    drivers::run(&server, suite);
}
