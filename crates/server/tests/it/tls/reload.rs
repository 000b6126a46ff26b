//! The reload of all files of TLS, and what the server says about them.

use std::sync::Arc;

use server::http::tls::{NamedKeyfile, Tls, UserAttribute};
use test_certificates::{Authority, Subject};
use tokio_rustls::rustls::HandshakeKind;
use tokio_rustls::rustls::version::TLS13;

use super::connection::config;
use super::{Connection, Identity, Setup, user};
use crate::authentication::{SECRET, bearer, sign};
use crate::client::Reply;
use crate::harness::Running;

const PATH: &str = "/_admin/server/tls";

/// Returns a setup with a file of every kind.
fn complete() -> Setup {
    let mut setup = Setup::new().with_clients(UserAttribute::CommonName);
    setup.write("named.pem", &setup.certificate(&Subject::server(&["db.example.org"])));
    setup.write("revoked.pem", &setup.authority.revoke(&[7], 2100).unwrap());
    setup.clients().revoked = Some(setup.path("revoked.pem"));
    let named = format!("db.example.org={}", setup.path("named.pem").display());
    setup.options.named = NamedKeyfile::parse_all([named.as_str()]).unwrap();
    setup
}

fn ask(running: &Running, method: &str) -> Reply {
    let token = sign(r#"{"iss":"arangodb","server_id":"test"}"#, SECRET);
    running.client().request(method, PATH, &bearer(&token), b"")
}

#[test]
fn every_file_is_told_and_read_again() {
    let setup = complete();
    let running = setup.start();
    let told = |reply: Reply| {
        assert_eq!(reply.status, 200);
        reply.json()["result"].clone()
    };
    let first = told(ask(&running, "GET"));
    let authority = &first["clientCA"];
    assert_eq!(authority["certificates"][0].as_str().unwrap(), setup.authority.pem());
    assert!(authority.get("privateKeySha256").is_none());
    let named = &first["SNI"]["db.example.org"];
    assert!(named["certificates"][0].is_string() && named["privateKeySha256"].is_string());
    assert_ne!(named["privateKeySha256"], first["keyfile"]["privateKeySha256"]);

    let mut open = Connection::open(&running, &setup.client("alice")).unwrap();
    assert_eq!(user(&mut open, ""), Ok("alice".to_owned()));
    let other = Authority::new("other").unwrap();
    let (before, after) =
        (setup.client("alice"), Identity::Own(other.sign(&Subject::named("alice")).unwrap()));
    for name in ["server.pem", "named.pem"] {
        setup.write(name, &setup.certificate(&Subject::server(&["new.example.org"])));
    }
    setup.write("authority.pem", &other.pem());
    setup.write("revoked.pem", &other.revoke(&[7], 2100).unwrap());
    assert!(Connection::open(&running, &before).is_ok(), "files are read only on request");
    let second = told(ask(&running, "POST"));
    for part in ["keyfile", "clientCA", "SNI"] {
        assert_ne!(first[part], second[part], "{part}");
    }
    assert_eq!(user(&mut open, ""), Ok("alice".to_owned()), "an open connection goes on");
    let works = |identity: &Identity| {
        Connection::open(&running, identity).and_then(|mut it| it.request("GET", PATH, "", b"")).is_ok()
    };
    assert!(works(&after) && !works(&before));
    let revoked = other.sign(&Subject { serial: 7, ..Subject::named("alice") }).unwrap();
    assert!(!works(&Identity::Own(revoked)));
}

#[test]
fn a_broken_file_is_named_and_changes_nothing() {
    let setup = complete();
    let running = setup.start();
    let first = ask(&running, "GET").json();
    for name in ["server.pem", "named.pem", "authority.pem", "revoked.pem"] {
        let good = std::fs::read_to_string(setup.path(name)).unwrap();
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for text in ["", broken, &good[..good.len() / 2]] {
            setup.write(name, text);
            let message = ask(&running, "POST").error(500, 4);
            assert!(message.contains(name), "{name}: {message}");
            let error = Tls::open(setup.options.clone()).unwrap_err();
            assert!(error.contains(name), "{name}: {error}");
        }
        std::fs::remove_file(setup.path(name)).unwrap();
        assert!(ask(&running, "POST").error(500, 4).contains(name));
        setup.write(name, &good);
    }
    assert_eq!(ask(&running, "GET").json(), first);
    assert_eq!(ask(&running, "POST").json(), first);
}

#[test]
fn the_key_of_another_certificate_is_refused() {
    let setup = Setup::new();
    let (own, other) = (setup.certificate(&Subject::default()), setup.certificate(&Subject::default()));
    let (certificate, _) = own.split_once("-----BEGIN PRIVATE").unwrap();
    let (_, key) = other.split_once("-----BEGIN PRIVATE").unwrap();
    setup.write("server.pem", &format!("{certificate}-----BEGIN PRIVATE{key}"));
    let error = Tls::open(setup.options).unwrap_err();
    assert!(error.contains("server.pem") && error.contains("cannot be used"), "{error}");
}

#[test]
fn a_session_from_before_is_not_resumed() {
    let setup = complete();
    let running = setup.start();
    let config = Arc::new(config(&setup.client("alice"), &[&TLS13]));
    let kind = || {
        let mut connection = Connection::with(&running, "localhost", &config).unwrap();
        assert_eq!(user(&mut connection, ""), Ok("alice".to_owned()));
        connection.tls().handshake_kind().unwrap()
    };
    assert_eq!((kind(), kind()), (HandshakeKind::Full, HandshakeKind::Resumed));
    assert_eq!(ask(&running, "POST").status, 200);
    assert_eq!(kind(), HandshakeKind::Full, "its certificate may be revoked now");
}
