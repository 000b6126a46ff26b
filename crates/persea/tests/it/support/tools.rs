//! Helpers of the tools' tests: commands, and a folder to restore from.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::{Client, Server};

pub(crate) fn command(tool: &str, server: &Server, folder: &Path, options: &[&str]) -> Command {
    command_at(tool, &server.endpoint(), folder, options)
}

/// Makes the same command for any endpoint.
pub(crate) fn command_at(tool: &str, endpoint: &str, folder: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_persea"));
    command.args([tool, "--server.endpoint", endpoint, "--server.password", ""]);
    command.args(["--progress", "false"]).args(options).arg(folder).stdin(Stdio::null());
    command
}

pub(crate) fn run(tool: &str, server: &Server, folder: &Path, options: &[&str]) -> Output {
    command(tool, server, folder, options).output().unwrap()
}

pub(crate) fn succeed(tool: &str, server: &Server, folder: &Path, options: &[&str]) {
    let output = run(tool, server, folder, options);
    assert!(output.status.success(), "{tool} {options:?}: {}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) fn fail(tool: &str, server: &Server, folder: &Path, options: &[&str]) -> String {
    let output = run(tool, server, folder, options);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{text}");
    text
}

pub(crate) fn post(client: &mut Client, path: &str, body: &Value) -> Value {
    let reply = client.json("POST", path, &body.to_string());
    assert!(reply.status < 300, "{path}: {}", reply.text());
    reply.json()
}

pub(crate) fn query(client: &mut Client, text: &str) -> Value {
    post(client, "/_api/cursor", &json!({"query": text, "batchSize": 1_000_000}))["result"].clone()
}

/// Starts a server, and makes a folder with a dump of one collection.
pub(crate) fn small_dump(folder: &Path, lines: &str) -> (Server, PathBuf) {
    let server = Server::start(&folder.join("server"), &[]);
    let dump = folder.join("dump");
    std::fs::create_dir(&dump).unwrap();
    std::fs::write(dump.join("c.structure.json"), r#"{"parameters":{"name":"c","type":2},"indexes":[]}"#)
        .unwrap();
    std::fs::write(dump.join("c.data.json"), lines).unwrap();
    (server, dump)
}
