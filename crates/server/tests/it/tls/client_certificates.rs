//! Certificates of clients: which are accepted, and the users that they name.

use std::sync::Arc;

use kv_tikv::MemoryCluster;
use server::http::tls::UserAttribute;
use storage::{Store, StoreOptions};
use test_certificates::{Authority, Subject};

use super::{Connection, Identity, Setup, add_users, user};
use crate::authentication::{SECRET, basic, bearer, sign};
use crate::harness::Running;
use crate::servers::LEASE;

/// Returns true if a client can send a request at all.
fn is_connected(running: &Running, identity: &Identity) -> bool {
    // With TLS 1.3 a client learns only then that the server refuses its certificate.
    Connection::open(running, identity)
        .and_then(|mut connection| connection.request("GET", "/_api/version", "", b""))
        .is_ok()
}

#[test]
fn a_certificate_names_the_user_of_requests() {
    let setup = Setup::new().with_clients(UserAttribute::CommonName);
    let running = setup.start();
    let mut alice = Connection::open(&running, &setup.client("alice")).unwrap();
    assert_eq!(user(&mut alice, ""), Ok("alice".to_owned()));
    assert_eq!(alice.request("GET", "/_api/nothing", "", b"").unwrap().status, 404);
    let mut stranger = Connection::open(&running, &Identity::None).unwrap();
    assert_eq!(user(&mut stranger, ""), Err(401));
    assert_eq!(user(&mut stranger, &basic("root", "secret")), Ok("root".to_owned()));
}

#[test]
fn a_header_goes_before_the_certificate() {
    let setup = Setup::new().with_clients(UserAttribute::CommonName);
    let running = setup.start();
    let mut alice = Connection::open(&running, &setup.client("alice")).unwrap();
    assert_eq!(user(&mut alice, &basic("root", "secret")), Ok("root".to_owned()));
    for wrong in [basic("root", "wrong"), basic("", ""), bearer("x"), "Authorization: \r\n".to_owned()] {
        assert_eq!(user(&mut alice, &wrong), Err(401), "{wrong}");
    }
    assert_eq!(user(&mut alice, ""), Ok("alice".to_owned()));
    let token = sign(r#"{"iss":"arangodb","server_id":"test"}"#, SECRET);
    let reply = alice.request("POST", "/_admin/server/tls", "", b"").unwrap();
    assert_eq!(reply.status, 403, "alice is no superuser");
    let reply = alice.request("POST", "/_admin/server/tls", &bearer(&token), b"").unwrap();
    assert_eq!(reply.status, 200);
}

#[test]
fn a_change_of_the_user_has_an_effect_on_open_connections() {
    let setup = Setup::new().with_clients(UserAttribute::CommonName);
    let running = setup.start();
    let mut alice = Connection::open(&running, &setup.client("alice")).unwrap();
    assert_eq!(user(&mut alice, ""), Ok("alice".to_owned()));
    let body = br#"{"active":false}"#;
    let root = basic("root", "secret");
    assert_eq!(alice.request("PATCH", "/_api/user/alice", &root, body).unwrap().status, 200);
    assert_eq!(user(&mut alice, ""), Err(401));
    let body = br#"{"active":true}"#;
    assert_eq!(alice.request("PATCH", "/_api/user/alice", &root, body).unwrap().status, 200);
    assert_eq!(user(&mut alice, ""), Ok("alice".to_owned()));
    assert_eq!(alice.request("DELETE", "/_api/user/alice", &root, b"").unwrap().status, 202);
    assert_eq!(user(&mut alice, ""), Err(401));
}

#[test]
fn names_without_an_active_user_have_no_rights() {
    let setup = Setup::new().with_clients(UserAttribute::CommonName);
    let running = setup.start();
    for name in ["nobody", ":role", "", "Alice", "alice "] {
        let mut connection = Connection::open(&running, &setup.client(name)).unwrap();
        assert_eq!(user(&mut connection, ""), Err(401), "{name}");
    }
    let nameless = Identity::Own(setup.certificate(&Subject::default()));
    assert_eq!(user(&mut Connection::open(&running, &nameless).unwrap(), ""), Err(401));
}

#[test]
fn alternative_names_name_the_user() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let subject = |names: Vec<String>, attribute| match attribute {
        UserAttribute::Email => Subject { emails: names, ..Subject::named("root") },
        UserAttribute::Dns => Subject { hosts: names, ..Subject::named("root") },
        _ => Subject { uris: names, ..Subject::named("root") },
    };
    for (attribute, name) in [
        (UserAttribute::Email, "alice@example.org"),
        (UserAttribute::Dns, "alice.example.org"),
        (UserAttribute::Uri, "spiffe://example.org/alice"),
    ] {
        let setup = Setup::new().with_clients(attribute);
        let running = setup.start();
        let root = basic("root", "secret");
        let body = format!(r#"{{"user":"{name}","passwd":"x"}}"#);
        let mut stranger = Connection::open(&running, &Identity::None).unwrap();
        assert_eq!(stranger.request("POST", "/_api/user", &root, body.as_bytes()).unwrap().status, 201);
        let path = format!("/_api/user/{}/database/_system", name.replace('/', "%2F").replace(':', "%3A"));
        let granted = stranger.request("PUT", &path, &root, br#"{"grant":"rw"}"#).unwrap();
        assert_eq!(granted.status, 200, "{}", granted.text());
        for (list, expected) in [
            (names(&[name]), Ok(name.to_owned())),
            (names(&[name, "other@example.org"]), Err(401)),
            (names(&[]), Err(401)),
        ] {
            let identity = Identity::Own(setup.certificate(&subject(list.clone(), attribute)));
            let mut connection = Connection::open(&running, &identity).unwrap();
            assert_eq!(user(&mut connection, ""), expected, "{attribute:?} {list:?}");
        }
    }
}

#[test]
fn without_a_mapping_a_certificate_names_no_user() {
    let setup = Setup::new().with_clients(UserAttribute::None);
    let running = setup.start();
    let mut alice = Connection::open(&running, &setup.client("alice")).unwrap();
    assert_eq!(user(&mut alice, ""), Err(401));
    assert_eq!(user(&mut alice, &basic("root", "secret")), Ok("root".to_owned()));
}

#[test]
fn a_certificate_may_be_required() {
    let mut setup = Setup::new().with_clients(UserAttribute::None);
    setup.clients().is_required = true;
    let running = setup.start();
    assert!(!is_connected(&running, &Identity::None));
    assert!(is_connected(&running, &setup.client("anybody")));
}

#[test]
fn only_valid_certificates_of_the_authority_are_accepted() {
    let mut setup = Setup::new().with_clients(UserAttribute::CommonName);
    setup.write("revoked.pem", &setup.authority.revoke(&[7, 8], 2100).unwrap());
    setup.clients().revoked = Some(setup.path("revoked.pem"));
    let running = setup.start();
    let own = |subject: Subject| Identity::Own(setup.certificate(&subject));
    let alice = || Subject::named("alice");
    assert!(is_connected(&running, &own(alice())));
    assert!(!is_connected(&running, &own(Subject { years: (2020, 2021), ..alice() })), "it has ended");
    assert!(!is_connected(&running, &own(Subject { years: (2198, 2199), ..alice() })), "it has not begun");
    assert!(!is_connected(&running, &own(Subject { serial: 7, ..alice() })), "it is revoked");
    assert!(is_connected(&running, &own(Subject { serial: 9, ..alice() })));
    // The name of an authority proves nothing.
    let impostor = Authority::new("authority").unwrap();
    assert!(!is_connected(&running, &Identity::Own(impostor.sign(&alice()).unwrap())));
}

#[test]
fn a_list_of_revoked_certificates_that_has_ended_accepts_none() {
    let mut setup = Setup::new().with_clients(UserAttribute::CommonName);
    setup.write("revoked.pem", &setup.authority.revoke(&[7], 2022).unwrap());
    setup.clients().revoked = Some(setup.path("revoked.pem"));
    let running = setup.start();
    assert!(!is_connected(&running, &setup.client("alice")));
    assert!(is_connected(&running, &Identity::None), "a certificate is not required");
}

#[test]
fn the_user_of_a_certificate_reaches_the_objects_of_another_server() {
    let setup = Setup::new().with_clients(UserAttribute::CommonName);
    let cluster = MemoryCluster::new();
    let open = || {
        let engine: Arc<dyn kv::Engine> = cluster.open(LEASE).unwrap();
        (Store::open(Arc::clone(&engine), StoreOptions::default()).unwrap(), engine)
    };
    let start = |(store, engine): (Arc<Store>, Arc<dyn kv::Engine>)| {
        let running = setup.start_with(store);
        engine.sharing().unwrap().set_address(&running.address.to_string()).unwrap();
        running
    };
    let first = open();
    add_users(&first.0);
    let (left, right) = (start(first), start(open()));
    let alice = setup.client("alice");
    let [mut left, mut right] = [&left, &right].map(|it| Connection::open(it, &alice).unwrap());
    let body = br#"{"query": "FOR i IN 1..4 RETURN i", "batchSize": 2}"#;
    let begun = left.request("POST", "/_api/cursor", "", body).unwrap().json();
    let path = format!("/_api/cursor/{}", begun["id"].as_str().unwrap());
    let reply = right.request("PUT", &path, "", b"").unwrap();
    assert_eq!((reply.status, reply.json()["result"].to_string().as_str()), (200, "[3,4]"));
}

#[test]
fn a_page_of_another_origin_cannot_use_the_certificate_of_its_reader() {
    let setup = Setup::new().with_clients(UserAttribute::CommonName);
    let running = setup.start();
    let mut alice = Connection::open(&running, &setup.client("alice")).unwrap();
    assert_eq!(user(&mut alice, "Origin: https://evil.example\r\n"), Err(403));
    assert_eq!(user(&mut alice, "Origin: https://test\r\n"), Ok("alice".to_owned()));
}
