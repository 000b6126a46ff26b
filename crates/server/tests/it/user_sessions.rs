//! Tokens that the server has signed end with their passwords and by withdrawal.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use catalog::{AccessLevel, UserDefinition};
use mock_issuer::SigningKey;
use server::ServerOptions;
use server::service::authentication::{AuthenticationOptions, create_root, password};
use storage::Store;

use crate::client::{Client, Reply};
use crate::harness::{Running, options, start_with, store};

const SECRET: &[u8] = b"the secret of this test";

fn start(store: &Arc<Store>) -> Running {
    let authentication = AuthenticationOptions {
        enabled: true,
        secrets: vec![SECRET.to_vec()],
        ..AuthenticationOptions::default()
    };
    start_with(ServerOptions { authentication, ..options() }, Arc::clone(store))
}

/// Returns a store with the users `root` and `ann`, whose passwords are `secret`.
fn users() -> Arc<Store> {
    let store = store();
    create_root(&store, "secret").unwrap();
    let mut ann = UserDefinition::new("ann", password::hash("secret").unwrap());
    ann.rights.grant_database("_system", AccessLevel::ReadOnly);
    store.create_user(ann).unwrap();
    store
}

fn basic(user: &str, password: &str) -> String {
    format!("Authorization: Basic {}\r\n", STANDARD.encode(format!("{user}:{password}")))
}

fn bearer(token: &str) -> String {
    format!("Authorization: bearer {token}\r\n")
}

fn log_in(client: &mut Client, user: &str, password: &str) -> String {
    let body = format!(r#"{{"username": "{user}", "password": "{password}"}}"#);
    let reply = client.request("POST", "/_open/auth", "", body.as_bytes());
    reply.json()["jwt"].as_str().unwrap().to_owned()
}

fn status(client: &mut Client, token: &str) -> u16 {
    client.request("GET", "/_api/version", &bearer(token), b"").status
}

fn id(token: &str) -> String {
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
    let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
    claims["jti"].as_str().unwrap().to_owned()
}

fn ids(reply: &Reply) -> Vec<String> {
    let list = reply.json()["result"].as_array().unwrap().clone();
    list.iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_new_password_ends_older_tokens() {
    let store = users();
    let running = start(&store);
    let mut client = running.client();
    let old = log_in(&mut client, "ann", "secret");
    let renewed = client.request("POST", "/_open/auth/renew", &bearer(&old), b"").json();
    let renewed = renewed["jwt"].as_str().unwrap().to_owned();
    let root = log_in(&mut client, "root", "secret");
    assert_eq!((status(&mut client, &old), status(&mut client, &renewed)), (200, 200));
    let rights = br#"{"grant": "rw"}"#;
    assert_eq!(client.request("PUT", "/_api/user/ann/database/x", &bearer(&root), rights).status, 200);
    assert_eq!(status(&mut client, &old), 200, "other changes of the user leave tokens alone");
    // The same second, and even the same password.
    let changed = client.request("PATCH", "/_api/user/ann", &bearer(&old), br#"{"passwd": "secret"}"#);
    assert_eq!(changed.status, 200);
    assert_eq!((status(&mut client, &old), status(&mut client, &renewed)), (401, 401));
    assert_eq!(client.request("POST", "/_open/auth/renew", &bearer(&old), b"").status, 401);
    assert_eq!(status(&mut client, &root), 200, "other users keep theirs");
    let new = log_in(&mut client, "ann", "secret");
    assert_eq!(status(&mut client, &new), 200);
    // After a restart as well.
    drop(client);
    assert!(running.stop());
    let running = start(&store);
    let mut client = running.client();
    assert_eq!((status(&mut client, &old), status(&mut client, &new)), (401, 200));
    // A user of the same name is another one.
    assert_eq!(client.request("DELETE", "/_api/user/ann", &bearer(&root), b"").status, 202);
    let ann = br#"{"user": "ann", "passwd": "secret"}"#;
    assert_eq!(client.request("POST", "/_api/user", &bearer(&root), ann).status, 201);
    assert_eq!(status(&mut client, &new), 401);
}

#[test]
fn a_removed_access_token_ends_tokens_made_from_it() {
    let store = users();
    let running = start(&store);
    let mut client = running.client();
    let root = basic("root", "secret");
    let made = client.request("POST", "/_api/token/ann", &root, br#"{"name": "a"}"#).json();
    let access_token = made["token"].as_str().unwrap().to_owned();
    let first = log_in(&mut client, "ann", &access_token);
    let renewed = client.request("POST", "/_open/auth/renew", &bearer(&first), b"").json();
    let renewed = renewed["jwt"].as_str().unwrap().to_owned();
    let by_password = log_in(&mut client, "ann", "secret");
    let changed = client.request("PATCH", "/_api/user/ann", &root, br#"{"passwd": "other"}"#);
    assert_eq!(changed.status, 200);
    assert_eq!((status(&mut client, &first), status(&mut client, &by_password)), (200, 401));
    let path = format!("/_api/token/ann/{}", made["id"]);
    assert_eq!(client.request("DELETE", &path, &root, b"").status, 200);
    assert_eq!((status(&mut client, &first), status(&mut client, &renewed)), (401, 401));
    // A token ends with its access token.
    let soon = jiff::Timestamp::now().as_second() + 100;
    let body = format!(r#"{{"name": "b", "valid_until": {soon}}}"#);
    let made = client.request("POST", "/_api/token/ann", &root, body.as_bytes()).json();
    log_in(&mut client, "ann", made["token"].as_str().unwrap());
    let listed = client.request("GET", "/_api/user/ann/sessions", &root, b"").json();
    assert_eq!(listed["result"][0]["expires"].as_i64(), Some(soon), "{listed}");
}

#[test]
fn sessions_are_listed_and_withdrawn() {
    let store = users();
    let running = start(&store);
    let mut client = running.client();
    let tokens: Vec<_> = (0..3).map(|_| log_in(&mut client, "ann", "secret")).collect();
    let other = log_in(&mut client, "root", "secret");
    let ann = bearer(&tokens[0]);
    let path = "/_api/user/ann/sessions";
    let listed = client.request("GET", path, &ann, b"");
    assert_eq!(ids(&listed), tokens.iter().map(|token| id(token)).collect::<Vec<_>>());
    let first = &listed.json()["result"][0];
    assert_eq!(first["address"], "127.0.0.1");
    assert_eq!(first["expires"].as_u64().unwrap() - first["issued"].as_u64().unwrap(), 3_600);
    assert_eq!(client.request("GET", "/_api/user/root/sessions", &ann, b"").status, 403);
    assert_eq!(client.request("DELETE", "/_api/user/root/sessions", &ann, b"").status, 403);
    assert_eq!(client.request("GET", "/_api/user/x/sessions", &bearer(&other), b"").status, 404);
    // One of them: at once, although its header is known.
    assert_eq!(status(&mut client, &tokens[1]), 200);
    let one = format!("{path}/{}", id(&tokens[1]));
    assert_eq!(client.request("DELETE", &one, &ann, b"").status, 200);
    assert_eq!((status(&mut client, &tokens[1]), status(&mut client, &tokens[2])), (401, 200));
    assert_eq!(client.request("POST", "/_open/auth/renew", &bearer(&tokens[1]), b"").status, 401);
    assert_eq!(ids(&client.request("GET", path, &ann, b"")).len(), 2);
    // It stays so, and the next server knows tokens that it has not listed.
    drop(client);
    assert!(running.stop());
    let running = start(&store);
    let mut client = running.client();
    assert_eq!((status(&mut client, &tokens[1]), status(&mut client, &tokens[2])), (401, 200));
    assert!(ids(&client.request("GET", path, &ann, b"")).is_empty(), "the list is in memory");
    let one = format!("{path}/{}", id(&tokens[2]));
    assert_eq!(client.request("DELETE", &one, &bearer(&other), b"").status, 200);
    assert_eq!(status(&mut client, &tokens[2]), 401);
    let long = format!("{path}/{}", "x".repeat(65));
    assert_eq!(client.request("DELETE", &long, &ann, b"").status, 400);
    // All of them.
    assert_eq!(client.request("DELETE", path, &ann, b"").status, 200);
    assert_eq!((status(&mut client, &tokens[0]), status(&mut client, &other)), (401, 200));
    let new = log_in(&mut client, "ann", "secret");
    assert_eq!(status(&mut client, &new), 200);
    let changed = client.request("PUT", "/_api/user/ann", &bearer(&other), br#"{"passwd": "secret"}"#);
    assert_eq!(changed.status, 200);
    assert_eq!(status(&mut client, &tokens[1]), 401, "a replaced user keeps what was withdrawn");
}

#[test]
fn tokens_of_the_secrets_owner_have_no_session() {
    let store = users();
    let running = start(&store);
    let mut client = running.client();
    let header = r#"{"alg": "HS256", "typ": "JWT"}"#;
    let forge = |claims: &str| SigningKey::forge(SECRET, header, claims);
    let own = forge(r#"{"iss": "arangodb", "preferred_username": "ann"}"#);
    assert_eq!(status(&mut client, &own), 200);
    let all = client.request("DELETE", "/_api/user/ann/sessions", &basic("root", "secret"), b"");
    assert_eq!(all.status, 200);
    assert_eq!(status(&mut client, &own), 200);
    let renewed = client.request("POST", "/_open/auth/renew", &bearer(&own), b"").json();
    assert_eq!(status(&mut client, renewed["jwt"].as_str().unwrap()), 200);
    // A path limits what is renewed.
    let limited =
        r#"{"iss": "arangodb", "preferred_username": "ann", "allowed_paths": ["/_open/auth/renew"]}"#;
    let limited = forge(limited);
    assert_eq!(client.request("POST", "/_open/auth/renew", &bearer(&limited), b"").status, 401);
}

#[test]
fn parts_of_a_batch_keep_to_the_allowed_paths() {
    let store = users();
    let running = start(&store);
    let mut client = running.client();
    let header = r#"{"alg": "HS256", "typ": "JWT"}"#;
    let token = |paths: &str| {
        let claims = format!(
            r#"{{"iss": "arangodb", "preferred_username": "root", "allowed_paths": ["/_api/batch"{paths}]}}"#
        );
        SigningKey::forge(SECRET, header, &claims)
    };
    let mut batch = |token: &str| {
        let body = "--x\r\ncontent-type: application/x-arango-batchpart\r\n\r\nGET /_api/version HTTP/1.1\r\n\r\n\r\n\
                    --x\r\ncontent-type: application/x-arango-batchpart\r\n\r\nGET /_api/user HTTP/1.1\r\n\r\n\r\n--x--\r\n";
        let headers = format!("{}content-type: multipart/form-data; boundary=x\r\n", bearer(token));
        let reply = client.request("POST", "/_api/batch", &headers, body.as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.text());
        let text = reply.text();
        let statuses = text.split("HTTP/1.1 ").skip(1).map(|part| part[..3].to_owned());
        statuses.collect::<Vec<_>>()
    };
    assert_eq!(batch(&token("")), ["401", "401"]);
    assert_eq!(batch(&token(r#", "/_api/version""#)), ["200", "401"]);
    // The same again, with a header that is known.
    assert_eq!(batch(&token(r#", "/_api/version""#)), ["200", "401"]);
    let all = SigningKey::forge(SECRET, header, r#"{"iss": "arangodb", "preferred_username": "root"}"#);
    assert_eq!(batch(&all), ["200", "200"]);
}
