//! `persea mcp`: messages over standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::server;
use crate::support::Server;
use crate::support::tool::command;

/// A bridge, whose input ends on drop.
struct Bridge {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Bridge {
    fn start(server: &Server, arguments: &[&str]) -> Self {
        let mut child = command(server, "mcp", arguments).stdin(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Bridge { child, lines }
    }

    fn send(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(&message.to_string());
        self.receive()
    }

    /// Ends the input, and returns the exit code.
    fn end(mut self) -> Option<i32> {
        drop(self.child.stdin.take());
        self.child.wait().unwrap().code()
    }
}

fn query(id: u32, aql: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "query", "arguments": {"aql": aql}}})
}

#[test]
fn a_client_with_a_handshake_is_served() {
    let (_folder, server) = server(&[]);
    let mut bridge = Bridge::start(&server, &[]);
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}}});
    assert_eq!(bridge.ask(&initialize)["result"]["protocolVersion"], "2025-11-25");
    bridge.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    // The revision of the handshake holds: its results are structured.
    let reply = bridge.ask(&query(1, "RETURN 1"));
    assert_eq!(reply["result"]["structuredContent"]["rows"], json!([1]), "{reply}");
    assert_eq!(bridge.end(), Some(0));
}

#[test]
fn a_stateless_client_is_served() {
    let (_folder, server) = server(&[]);
    let mut bridge = Bridge::start(&server, &[]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    let discover =
        json!({"jsonrpc": "2.0", "id": "d", "method": "server/discover", "params": {"_meta": meta}});
    let reply = bridge.ask(&discover);
    assert_eq!((&reply["id"], &reply["result"]["resultType"]), (&json!("d"), &json!("complete")));
    let mut call = query(2, "RETURN 'ü'");
    call["params"]["_meta"] = meta.clone();
    assert_eq!(bridge.ask(&call)["result"]["structuredContent"]["rows"], json!(["ü"]));
    // A name that no header can hold as it is.
    let read = json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read",
        "params": {"uri": "persea://ü/schema", "_meta": meta}});
    assert_eq!(bridge.ask(&read)["error"]["code"], -32_602);
    assert_eq!(bridge.end(), Some(0));
}

#[test]
fn calls_are_concurrent_and_can_be_cancelled() {
    let (_folder, server) = server(&[]);
    let mut bridge = Bridge::start(&server, &[]);
    bridge.send(&query(1, "RETURN SLEEP(2)").to_string());
    bridge.send(&query(2, "RETURN SLEEP(2)").to_string());
    bridge.send(r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}"#);
    // The third reply comes before those that take longer, and the first never comes.
    bridge.send(&query(3, "RETURN 3").to_string());
    assert_eq!(bridge.receive()["id"], 3);
    assert_eq!(bridge.receive()["id"], 2);
    assert_eq!(bridge.ask(&query(4, "RETURN 4"))["id"], 4);
    assert_eq!(bridge.end(), Some(0));
}

#[test]
fn what_goes_wrong_is_a_reply() {
    let (_folder, server) = server(&[]);
    let mut bridge = Bridge::start(&server, &[]);
    bridge.send("");
    bridge.send("{");
    assert_eq!(bridge.receive()["error"]["code"], -32_700);
    bridge.send(&"x".repeat((8 << 20) + 10));
    assert_eq!(bridge.receive()["error"]["code"], -32_700);
    assert_eq!(bridge.ask(&query(1, "RETURN 1"))["id"], 1);
    server.kill();
    let reply = bridge.ask(&query(2, "RETURN 2"));
    assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!(2), &json!(-32_603)), "{reply}");
    assert_eq!(bridge.end(), Some(0));
}

#[test]
fn a_server_without_the_tools_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut bridge = Bridge::start(&server, &[]);
    let reply = bridge.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(message.contains("--mcp.enabled"), "{reply}");
    assert_eq!(bridge.end(), Some(0));
}
