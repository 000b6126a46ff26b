//! The official Python SDK and the official inspector, unmodified from their registries.

use std::process::Command;

use serde_json::json;

use super::server;
use crate::support::{PROGRAM, post, tests_folder};

/// The exit code of `tests/drivers/run` if a client cannot be had.
const NOT_INSTALLED: i32 = 77;

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
    if Command::new(needs).arg("--version").output().is_err() {
        println!("skipped: {needs} is not installed");
        return;
    }
    let (_folder, server) = server(&[]);
    let mut client = server.connect();
    post(&mut client, "/_api/collection", &json!({"name": "people"}));
    let people = "FOR d IN [{_key: 'ann', name: 'Ann', age: 30}, {_key: 'bob', name: 'Bob', age: 40}] INSERT d INTO people";
    post(&mut client, "/_api/cursor", &json!({"query": people}));
    let output = Command::new(tests_folder().join("drivers/run"))
        .arg(suite)
        .env("PERSEA_ENDPOINT", server.endpoint())
        .env("PERSEA_PROGRAM", PROGRAM)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.code() == Some(NOT_INSTALLED) {
        println!("skipped: {}", text(&output.stderr));
        return;
    }
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
}
