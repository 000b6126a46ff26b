//! Ways to reach a server: TLS and sockets in the file system.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::tool::{command_at, said, write};
use crate::support::{PROGRAM, Server};

/// Returns the file of a self-signed certificate for localhost and 127.0.0.1, and its key.
fn certificate() -> PathBuf {
    std::fs::canonicalize("../client/src/tests/certificate.pem").unwrap()
}

fn import(endpoint: &str, file: &str, more: &[&str]) -> std::process::Output {
    Command::new(PROGRAM)
        .args(["import", "--server.endpoint", endpoint, "--server.password", "", "--collection", "c", file])
        .args(["--create-collection"])
        .args(more)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn free_port() -> u16 {
    harness::free_address().unwrap().port()
}

#[test]
fn a_server_answers_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let endpoint = format!("ssl://localhost:{port}");
    let certificate = certificate();
    let certificate = certificate.to_str().unwrap();
    let tls = ["--server.endpoint", &format!("ssl://127.0.0.1:{port}"), "--ssl.keyfile", certificate];
    let _server = Server::start(&folder.path().join("data"), &tls);
    let file = write(folder.path(), "a.jsonl", "{\"x\":1}\n".repeat(10_000));
    for more in [&[][..], &["--ssl.cafile", certificate], &["--ssl.protocol", "5"], &["--ssl.protocol", "6"]]
    {
        let said = import(&endpoint, &file, more);
        let printed = String::from_utf8_lossy(&said.stdout);
        assert!(said.status.success() && printed.contains("created:          10000"), "{more:?}: {said:?}");
    }
    let stranger = format!("ssl://127.0.0.2:{port}");
    assert!(!import(&stranger, &file, &["--ssl.cafile", certificate]).status.success());
}

#[test]
fn a_server_answers_at_a_socket_and_replaces_an_abandoned_one() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let endpoint = format!("unix://{}", socket.display());
    let file = write(folder.path(), "a.jsonl", "{\"x\":1}\n".repeat(10_000));
    for round in 0..2 {
        let server = Server::start(&folder.path().join("data"), &["--server.endpoint", &endpoint]);
        let said = import(&endpoint, &file, &[]);
        assert!(said.status.success(), "{round}: {said:?}");
        server.kill();
        assert!(socket.exists(), "a killed server leaves its socket");
    }
    let server = Server::start(&folder.path().join("data"), &["--server.endpoint", &endpoint]);
    assert_eq!(server.stop(), Some(0));
    assert!(!socket.exists(), "a server that ends removes its socket");
}

#[test]
fn of_several_endpoints_one_has_to_answer() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let file = write(folder.path(), "a.jsonl", "{\"x\":1}\n");
    let (alive, dead) = (server.endpoint(), format!("tcp://127.0.0.1:{}", free_port()));
    for (first, second) in [(&alive, &dead), (&dead, &alive)] {
        let imported = import(first, &file, &["--server.endpoint", second]);
        assert!(imported.status.success(), "{first}, {second}: {imported:?}");
        let dump = folder.path().join(if first == &alive { "first" } else { "second" });
        for tool in ["dump", "restore"] {
            let line = ["--server.endpoint", second, dump.to_str().unwrap()];
            said(command_at(first, tool, &line).spawn().unwrap()).success();
        }
    }
    assert!(!import(&dead, &file, &["--server.endpoint", &dead]).status.success());
}

#[test]
fn what_is_missing_for_tls_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let empty = write(folder.path(), "empty.pem", "");
    for (arguments, part) in [
        (&["--server.endpoint", "ssl://127.0.0.1:1"][..], "--ssl.keyfile"),
        (&["--server.endpoint", "ssl://127.0.0.1:1", "--ssl.keyfile", "/nowhere.pem"], "/nowhere.pem"),
        (&["--server.endpoint", "ssl://127.0.0.1:1", "--ssl.keyfile", &empty], "no certificate"),
    ] {
        let data = folder.path().join("data");
        let said = Command::new(PROGRAM)
            .args(["server", "--database.directory", data.to_str().unwrap()])
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&said.stderr);
        assert!(!said.status.success() && text.contains(part), "{arguments:?}: {text}");
    }
}
