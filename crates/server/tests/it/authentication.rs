//! Authentication and rights.

use std::sync::Arc;
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use catalog::{AccessLevel, UserDefinition};
use hmac::{Hmac, KeyInit, Mac};
use server::ServerOptions;
use server::service::authentication::{AuthenticationOptions, SecretFiles, create_root, password};
use storage::Store;

use crate::harness::{Running, options, start_with, store};

pub(crate) const SECRET: &[u8] = b"the secret of this test";

fn with_root(password: &str) -> Running {
    let store = store();
    assert!(create_root(&store, password).unwrap());
    assert!(!create_root(&store, "other").unwrap(), "an existing root is not changed");
    with_store(store)
}

fn with_store(store: Arc<Store>) -> Running {
    start_with(authenticating(), store)
}

/// Returns the options of a server whose requests must authenticate.
pub(crate) fn authenticating() -> ServerOptions {
    let authentication = AuthenticationOptions {
        enabled: true,
        secrets: vec![SECRET.to_vec()],
        secret_files: None,
        session_timeout_seconds: 3_600,
        ..AuthenticationOptions::default()
    };
    ServerOptions { authentication, ..options() }
}

pub(crate) fn basic(user: &str, password: &str) -> String {
    format!("Authorization: Basic {}\r\n", STANDARD.encode(format!("{user}:{password}")))
}

pub(crate) fn bearer(token: &str) -> String {
    format!("Authorization: bearer {token}\r\n")
}

/// Returns a token with any claims.
pub(crate) fn sign(claims: &str, secret: &[u8]) -> String {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims));
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret).unwrap();
    mac.update(signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

#[test]
fn without_a_name_and_a_password_there_is_nothing() {
    let running = with_root("");
    let mut client = running.client();
    for path in ["/_api/version", "/_api/nothing", "/_db/missing/_api/version"] {
        let reply = client.get(path);
        assert_eq!(reply.error(401, 11), "not authorized to execute this request");
        assert!(
            reply
                .headers
                .iter()
                .any(|(name, value)| name == "www-authenticate" && value.starts_with("Basic"))
        );
    }
    let quiet = client.request("GET", "/_api/version", "X-Omit-Www-Authenticate: yes\r\n", b"");
    assert_eq!((quiet.status, quiet.header("www-authenticate")), (401, None));
    assert_eq!(client.get("/_admin/server/availability").status, 200, "the route needs no user");
    assert_eq!(client.request("OPTIONS", "/_api/version", "", b"").status, 200, "OPTIONS needs no user");
}

#[test]
fn the_right_password_is_checked_once() {
    let running = with_root("p:ä ss");
    let mut client = running.client();
    for wrong in [
        basic("root", ""),
        basic("root", "p"),
        basic("nobody", "p:ä ss"),
        "Authorization: Basic !\r\n".into(),
    ] {
        client.request("GET", "/_api/version", &wrong, b"").error(401, 11);
    }
    let right = basic("root", "p:ä ss");
    assert_eq!(client.request("GET", "/_api/version", &right, b"").status, 200);
    let times = (0..200).map(|_| {
        let begin = Instant::now();
        assert_eq!(client.request("GET", "/_api/version", &right, b"").status, 200);
        begin.elapsed()
    });
    // On a busy machine some take longer.
    let fastest = times.min().unwrap();
    assert!(fastest.as_millis() < 10, "a password is hashed with every request: {fastest:?}");
}

#[test]
fn a_changed_or_removed_user_is_locked_out_immediately() {
    let running = with_root("first");
    let mut client = running.client();
    let old = basic("root", "first");
    assert_eq!(client.request("GET", "/_api/version", &old, b"").status, 200);
    let store = Arc::clone(running.server.instance().store());
    store
        .change_user("root", |user| {
            user.password_hash = password::hash("second").unwrap();
            Ok(())
        })
        .unwrap();
    assert_eq!(client.request("GET", "/_api/version", &old, b"").status, 401);
    let new = basic("root", "second");
    assert_eq!(client.request("GET", "/_api/version", &new, b"").status, 200);
    store
        .change_user("root", |user| {
            user.active = false;
            Ok(())
        })
        .unwrap();
    assert_eq!(client.request("GET", "/_api/version", &new, b"").status, 401);
}

#[test]
fn a_token_is_as_good_as_a_password() {
    let running = with_root("secret");
    let mut client = running.client();
    client.request("POST", "/_open/auth", "", br#"{"username":"root","password":"wrong"}"#).error(401, 401);
    client.request("POST", "/_open/auth", "", br#"{"username":"root"}"#).error(400, 400);
    client.request("POST", "/_open/auth", "", b"nonsense").error(400, 600);
    let reply = client.request("POST", "/_open/auth", "", br#"{"username":"root","password":"secret"}"#);
    let token = reply.json()["jwt"].as_str().unwrap().to_owned();
    assert_eq!(client.request("GET", "/_api/version", &bearer(&token), b"").status, 200);
    let renewed = client.request("POST", "/_open/auth/renew", &bearer(&token), b"").json();
    let renewed = bearer(renewed["jwt"].as_str().unwrap());
    assert_eq!(client.request("GET", "/_api/version", &renewed, b"").status, 200);
    client.request("GET", "/_api/version", &bearer(&token[..token.len() - 2]), b"").error(401, 11);
}

#[test]
fn a_holder_of_the_secret_signs_tokens() {
    let running = with_root("");
    let mut client = running.client();
    let mut status = |claims: &str, secret: &[u8], path: &str| {
        client.request("GET", path, &bearer(&sign(claims, secret)), b"").status
    };
    let server = r#"{"iss":"arangodb","server_id":"test"}"#;
    assert_eq!(status(server, SECRET, "/_admin/options"), 200);
    assert_eq!(status(server, b"another secret", "/_admin/options"), 401);
    assert_eq!(status(r#"{"iss":"arangodb","server_id":"x","exp":1}"#, SECRET, "/_admin/options"), 401);
    let root = r#"{"iss":"arangodb","preferred_username":"root"}"#;
    assert_eq!(status(root, SECRET, "/_api/version"), 200);
    assert_eq!(status(root, SECRET, "/_admin/options"), 403, "the route is for superusers");
    assert_eq!(status(r#"{"iss":"arangodb","preferred_username":"nobody"}"#, SECRET, "/_api/version"), 401);
    let paths = r#"{"iss":"arangodb","server_id":"x","allowed_paths":["/_api/version"]}"#;
    assert_eq!(status(paths, SECRET, "/_api/version"), 200);
    assert_eq!(status(paths, SECRET, "/_api/engine"), 401);
}

#[test]
fn rights_are_those_of_the_user() {
    let store = store();
    store.create_database("shop").unwrap();
    let mut reader = UserDefinition::new("reader", password::hash("r").unwrap());
    reader.rights.grant_database("shop", AccessLevel::ReadOnly);
    store.create_user(reader).unwrap();
    let running = with_store(store);
    let mut client = running.client();
    let mut status =
        |method: &str, path: &str| client.request(method, path, &basic("reader", "r"), b"").status;
    assert_eq!(status("GET", "/_db/shop/_api/version"), 200);
    assert_eq!(status("GET", "/_api/version"), 401, "no right to _system");
    assert_eq!(status("GET", "/_db/shop/_test/write"), 403);
    assert_eq!(status("DELETE", "/_db/shop/_admin/shutdown"), 403);
    assert_eq!(status("GET", "/_db/shop/_admin/log"), 403);
    assert_eq!(status("PUT", "/_db/shop/_admin/server/mode"), 403);
}

#[test]
fn a_job_is_its_owners() {
    let store = store();
    create_root(&store, "").unwrap();
    let mut other = UserDefinition::new("other", password::hash("").unwrap());
    other.rights.grant_database("_system", AccessLevel::ReadOnly);
    store.create_user(other).unwrap();
    let running = with_store(store);
    let mut client = running.client();
    let (root, other) = (basic("root", ""), basic("other", ""));
    let reply = client.request("GET", "/_api/version", &format!("{root}x-arango-async: store\r\n"), b"");
    let path = format!("/_api/job/{}", reply.header("x-arango-async-id").unwrap());
    client.request("PUT", &path, &other, b"").error(404, 404);
    while client.request("GET", &path, &root, b"").status == 204 {}
    assert_eq!(client.request("PUT", &path, &root, b"").status, 200);
}

#[test]
fn secrets_are_read_again_from_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("1"), "first\n").unwrap();
    let files = SecretFiles::Folder(folder.path().to_owned());
    let authentication = AuthenticationOptions {
        enabled: true,
        secrets: files.read().unwrap(),
        secret_files: Some(files),
        session_timeout_seconds: 3_600,
        ..AuthenticationOptions::default()
    };
    let store = store();
    create_root(&store, "").unwrap();
    let running = start_with(ServerOptions { authentication, ..options() }, store);
    let mut client = running.client();
    let claims = r#"{"iss":"arangodb","server_id":"me"}"#;
    let [first, second] = [b"first".as_slice(), b"second"].map(|secret| bearer(&sign(claims, secret)));
    let path = "/_admin/server/jwt";
    let digests = |reply: crate::client::Reply| {
        let result = reply.json()["result"].clone();
        (result["active"]["sha256"].clone(), result["passive"].as_array().unwrap().len())
    };
    let (active, passive) = digests(client.request("GET", path, &first, b""));
    assert_eq!(active, "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e");
    assert_eq!(passive, 0);
    assert_eq!(client.request("POST", path, &basic("root", ""), b"").status, 403);

    std::fs::write(file("0"), "second").unwrap();
    assert_eq!(client.request("GET", path, &second, b"").status, 401, "the files are read only on request");
    assert_eq!(digests(client.request("POST", path, &first, b"")).1, 1);
    assert_ne!(digests(client.request("GET", path, &second, b"")).0, active);

    std::fs::remove_file(file("1")).unwrap();
    assert_eq!(client.request("POST", path, &first, b"").status, 200);
    assert_eq!(client.request("GET", path, &first, b"").status, 401, "the secret of the token was removed");

    std::fs::write(file("0"), "").unwrap();
    assert_eq!(client.request("POST", path, &second, b"").status, 500);
    assert_eq!(client.request("GET", path, &second, b"").status, 200, "a broken file changes nothing");
}

#[test]
fn an_access_token_is_a_password_until_it_is_taken_away() {
    let running = with_root("secret");
    let mut client = running.client();
    let root = basic("root", "secret");
    let [token, old] = [("a", 4_000_000_000_u64), ("b", 1_000_000_000)].map(|(name, valid_until)| {
        let body = format!(r#"{{"name": "{name}", "valid_until": {valid_until}}}"#);
        let made = client.request("POST", "/_api/token/root", &root, body.as_bytes()).json();
        made["token"].as_str().unwrap().to_owned()
    });
    let mut status =
        |user: &str, token: &str| client.request("GET", "/_api/version", &basic(user, token), b"").status;
    assert_eq!(status("root", &token), 200);
    assert_eq!(status("", &token), 200, "a token names its owner");
    assert_eq!(status("admin", &token), 401, "the token belongs to another user");
    assert_eq!((status("root", &old), status("", &old)), (401, 401), "the token has expired");
    assert_eq!(running.client().request("DELETE", "/_api/token/root/1", &root, b"").status, 200);
    assert_eq!((status("root", &token), status("", &token)), (401, 401), "the token was removed");
}

#[test]
fn a_stranger_sends_little() {
    let running = with_root("secret");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &vec![b' '; 4 << 20]).unwrap();
    let bomb = encoder.finish().unwrap();
    for path in ["/_open/auth", "/_open/auth/renew"] {
        let reply = running.client().request("POST", path, "Content-Encoding: gzip\r\n", &bomb);
        assert_eq!(reply.status, 413, "{path}: {}", reply.text());
        let long = running.client().request("POST", path, "", &[b' '; 20_000]);
        assert_eq!(long.status, 413, "{path}: {}", long.text());
    }
    let login = br#"{"username": "root", "password": "secret"}"#;
    let reply = running.client().request("POST", "/_open/auth", "x-arango-async: store\r\n", login);
    assert!(reply.json()["jwt"].is_string(), "a stranger has no place among the jobs");
}

#[test]
fn guesses_leave_others_alone() {
    let running = with_root("secret");
    let address = running.address;
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let guessing: Vec<_> = (0..8)
        .map(|number| {
            let stop = Arc::clone(&stop);
            std::thread::spawn(move || {
                let mut client = crate::client::Client::connect(address);
                let body = format!(r#"{{"username": "admin", "password": "{number}"}}"#);
                let mut guesses = 0;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    assert_eq!(client.request("POST", "/_open/auth", "", body.as_bytes()).status, 401);
                    guesses += 1;
                }
                guesses
            })
        })
        .collect();
    // The time in which others guess is what is tested.
    let started = Instant::now();
    std::thread::sleep(std::time::Duration::from_secs(1));
    let begin = Instant::now();
    let login = br#"{"username": "root", "password": "secret"}"#;
    assert_eq!(running.client().request("POST", "/_open/auth", "", login).status, 200);
    let login_time = begin.elapsed();
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let guesses: u32 = guessing.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert!(login_time.as_secs_f64() < 10.0, "{login_time:?}");
    let guesses_max = 60.0 * started.elapsed().as_secs_f64();
    assert!(f64::from(guesses) < guesses_max, "{guesses} guesses: each failure delays the next");
}
