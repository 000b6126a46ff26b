//! Sources that speak TLS, with certificates of all kinds.

use std::path::PathBuf;

use harness::wait_until;
use serde_json::{Value, json};

use super::{documents, state, wait_for_phase};
use crate::support::{Server, post};

/// Returns a file of the client's tests: `certificate.pem` is self-signed, for localhost and
/// 127.0.0.1, with its key; `authority.pem` is another one.
fn pem(name: &str) -> String {
    let path: PathBuf = std::fs::canonicalize("../client/src/tests").unwrap().join(name);
    path.to_str().unwrap().to_owned()
}

fn follow(server: &Server, endpoint: &str, authority: Option<&str>) -> (u16, Value) {
    let mut body = json!({"endpoint": endpoint});
    if let Some(authority) = authority {
        body["tls"] = json!({"caFile": authority});
    }
    let reply = server.connect().json("PUT", "/_api/follow", &body.to_string());
    (reply.status, reply.json())
}

#[test]
fn a_source_with_tls_is_followed_if_its_certificate_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let address = harness::free_address().unwrap();
    let endpoint = format!("ssl://{address}");
    let certificate = pem("certificate.pem");
    let tls = ["--server.endpoint", &endpoint, "--ssl.keyfile", &certificate];
    let source = Server::start(&folder.path().join("source"), &tls);
    post(&mut source.connect(), "/_api/collection", &json!({"name": "docs"}));
    post(&mut source.connect(), "/_api/document/docs", &json!({"_key": "a"}));

    let server = Server::start(&folder.path().join("checked"), &[]);
    let elsewhere = format!("ssl://127.0.0.2:{}", address.port());
    let plain = format!("tcp://{address}");
    for (endpoint, authority, number, words) in [
        (&endpoint, Some(pem("authority.pem")), 1400, "certificate"),
        (&endpoint, Some("/nowhere.pem".to_owned()), 10, "/nowhere.pem"),
        (&elsewhere, Some(certificate.clone()), 1400, ""),
        (&plain, None, 1400, ""),
    ] {
        let (status, error) = follow(&server, endpoint, authority.as_deref());
        assert!(status >= 400 && error["errorNum"] == number, "{endpoint} {authority:?}: {error}");
        assert!(error["errorMessage"].as_str().unwrap().contains(words), "{error}");
        assert_eq!(state(&server)["phase"], "none");
    }
    // Without authorities the certificate is not checked, as with ArangoDB's tools.
    let unchecked = Server::start(&folder.path().join("unchecked"), &[]);
    for (server, authority) in [(&server, Some(certificate.as_str())), (&unchecked, None)] {
        let (status, reply) = follow(server, &endpoint, authority);
        assert_eq!(status, 200, "{authority:?}: {reply}");
        wait_for_phase(server, "following");
        assert!(documents(server, "_system", "docs").contains_key("a"));
    }
    post(&mut source.connect(), "/_api/document/docs", &json!({"_key": "b"}));
    for server in [&server, &unchecked] {
        let has_both = || documents(server, "_system", "docs").contains_key("b");
        wait_until("the log is not applied", has_both).unwrap();
    }
}
