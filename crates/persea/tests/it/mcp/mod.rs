//! The Model Context Protocol: the bridge, unmodified clients, and the reference of AQL.

mod bridge;
mod clients;
mod questions;
mod reference;

use serde_json::{Value, json};

use crate::support::{Client, Server};

/// Starts a server with the tools, and further options.
fn server(options: &[&str]) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let options = [&["--mcp.enabled", "true"], options].concat();
    let server = Server::start(&folder.path().join("data"), &options);
    (folder, server)
}

/// Calls a tool over HTTP, and returns its result and true if it failed.
fn call(client: &mut Client, tool: &str, arguments: &Value) -> (Value, bool) {
    call_in(client, "_system", tool, arguments)
}

/// Calls a tool of a database.
fn call_in(client: &mut Client, database: &str, tool: &str, arguments: &Value) -> (Value, bool) {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}});
    let version = [("mcp-protocol-version".to_owned(), "2025-11-25".to_owned())];
    let reply = client.send("POST", &format!("/_db/{database}/_mcp"), &version, body.to_string().as_bytes());
    let reply = reply.json();
    let result = &reply["result"];
    assert!(result.is_object(), "{tool} {arguments}: {reply}");
    (result["structuredContent"].clone(), result["isError"] == true)
}
