//! Users of other issuers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::{AccessLevel, UserDefinition};
use mock_issuer::{MockIssuer, SigningKey};
use openid::{Pace, read_issuers};
use server::ServerOptions;
use server::service::authentication::{AuthenticationOptions, create_root, password};
use storage::Store;

use crate::client::{Client, Reply};
use crate::harness::{Running, options, start_with, store};

pub(crate) const RULES: &str = r#"[
    {"everyone": true, "databases": {"shop": {"level": "ro", "collections": {"secret": "none"}}}},
    {"claim": "groups", "contains": "writers", "roles": ["writer"],
     "databases": {"shop": {"level": "rw", "collections": {"*": "rw"}}}},
    {"claim": "groups", "contains": "like-ann", "user": "ann"}
]"#;

fn start(mock: &MockIssuer, rules: &str, pace: Pace) -> (Running, Arc<Store>) {
    let store = store();
    create_root(&store, "secret").unwrap();
    store.create_database("shop").unwrap();
    store.create_database("other").unwrap();
    (start_with(trusting(mock, rules, pace), Arc::clone(&store)), store)
}

/// Returns the options of a server that trusts an issuer.
pub(crate) fn trusting(mock: &MockIssuer, rules: &str, pace: Pace) -> ServerOptions {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("issuers.json");
    let text = format!(
        r#"{{"id": "mock", "name": "Mock & Co", "issuer": "{}", "audience": "persea", "userPrefix": "m:",
            "clientId": "persea-web", "redirectUri": "https://db.example/", "rules": {rules}}}"#,
        mock.url()
    );
    std::fs::write(&file, text).unwrap();
    let authentication = AuthenticationOptions {
        enabled: true,
        secrets: vec![b"secret".to_vec()],
        issuers: read_issuers(&file).unwrap(),
        issuers_pace: pace,
        ..AuthenticationOptions::default()
    };
    ServerOptions { authentication, ..options() }
}

pub(crate) fn fast() -> Pace {
    Pace { interval: Duration::ZERO, ..Pace::default() }
}

fn slow() -> Pace {
    Pace { interval: Duration::from_secs(3_600), ..Pace::default() }
}

fn claims(mock: &MockIssuer, user: &str, members: &str) -> String {
    format!(r#"{{"iss": "{}", "aud": "persea", "sub": "{user}", "exp": 4000000000{members}}}"#, mock.url())
}

pub(crate) fn token(mock: &MockIssuer, user: &str, members: &str) -> String {
    SigningKey::rsa("first").sign(&claims(mock, user, members))
}

fn call(client: &mut Client, token: &str, method: &str, path: &str, body: &str) -> Reply {
    client.request(method, path, &format!("Authorization: Bearer {token}\r\n"), body.as_bytes())
}

#[test]
fn rights_are_those_of_the_rules() {
    let mock = MockIssuer::start().unwrap();
    let (running, store) = start(&mock, RULES, fast());
    let mut ann = UserDefinition::new("ann", password::hash("").unwrap());
    ann.rights.grant_database("other", AccessLevel::ReadOnly);
    store.create_user(ann).unwrap();
    let mut client = running.client();
    let reader = token(&mock, "eve", "");
    let writer = token(&mock, "eve", r#", "groups": ["writers"]"#);
    let mut status = |token: &str, method: &str, path: &str, body: &str| {
        call(&mut client, token, method, path, body).status
    };
    assert_eq!(status(&reader, "GET", "/_db/shop/_api/version", ""), 200);
    assert_eq!(status(&reader, "GET", "/_api/version", ""), 401, "no right to _system");
    assert_eq!(status(&reader, "POST", "/_db/shop/_api/collection", r#"{"name": "c"}"#), 403);
    assert_eq!(status(&writer, "POST", "/_db/shop/_api/collection", r#"{"name": "c"}"#), 200);
    assert_eq!(status(&writer, "POST", "/_db/shop/_api/collection", r#"{"name": "secret"}"#), 200);
    assert_eq!(status(&writer, "POST", "/_db/shop/_api/document/c", "{}"), 202);
    assert_eq!(status(&reader, "GET", "/_db/shop/_api/collection/c/count", ""), 200);
    assert_eq!(status(&reader, "GET", "/_db/shop/_api/collection/secret/count", ""), 403);
    assert_eq!(status(&reader, "POST", "/_db/shop/_api/document/c", "{}"), 403);
    // Rights of a local user follow that user.
    let like_ann = token(&mock, "bob", r#", "groups": ["like-ann"]"#);
    assert_eq!(status(&like_ann, "GET", "/_db/other/_api/version", ""), 200);
    store
        .change_user("ann", |user| {
            user.active = false;
            Ok(())
        })
        .unwrap();
    assert_eq!(status(&like_ann, "GET", "/_db/other/_api/version", ""), 401);
    assert_eq!(status(&like_ann, "GET", "/_db/shop/_api/version", ""), 200);
}

#[test]
fn a_user_of_an_issuer_is_a_user_everywhere() {
    let mock = MockIssuer::start().unwrap();
    let (running, store) = start(&mock, RULES, fast());
    let mut client = running.client();
    let writer = token(&mock, "eve", r#", "groups": ["writers"]"#);
    let mut call = |token: &str, method: &str, path: &str, body: &str| {
        call(&mut client, token, method, &format!("/_db/shop{path}"), body)
    };
    let reply = call(&writer, "POST", "/_api/cursor", r#"{"query": "RETURN CURRENT_USER()"}"#);
    assert_eq!(reply.json()["result"][0], "m:eve");
    let own = call(&writer, "GET", "/_api/user/m%3Aeve", "").json();
    assert_eq!((own["user"].as_str(), own["extra"]["roles"][0].as_str()), (Some("m:eve"), Some("writer")));
    assert_eq!(call(&writer, "GET", "/_api/user/m:eve/database", "").json()["result"]["shop"], "rw");
    assert_eq!(call(&writer, "GET", "/_api/database/user", "").json()["result"], serde_json::json!(["shop"]));
    assert_eq!(call(&writer, "GET", "/_api/user/root", "").status, 403);
    assert_eq!(call(&writer, "PATCH", "/_api/user/m:eve", r#"{"passwd": "x"}"#).status, 404);
    assert_eq!(call(&writer, "POST", "/_api/token/m:eve", r#"{"name": "x"}"#).status, 404);
    // The name owns what is begun.
    let begun = r#"{"collections": {}}"#;
    let begun = call(&writer, "POST", "/_api/transaction/begin", begun).json();
    let path = format!("/_api/transaction/{}", begun["result"]["id"].as_str().unwrap());
    let other = token(&mock, "bob", r#", "groups": ["writers"]"#);
    assert_eq!(call(&other, "GET", "/_api/transaction", "").json()["transactions"], serde_json::json!([]));
    assert_eq!(call(&writer, "DELETE", &path, "").status, 200);
    // Work that outlives the token needs another owner.
    let task = r#"{"command": "1", "period": 1000}"#;
    let refused = call(&writer, "POST", "/_api/tasks", task);
    assert!(refused.error(403, 11).contains("a task outlives the token of 'm:eve'"), "{}", refused.text());
    let hook = r#"{"name": "h", "url": "https://a.example/"}"#;
    let refused = call(&writer, "POST", "/_api/changes/webhooks", hook);
    assert!(refused.error(403, 11).contains("a webhook outlives"), "{}", refused.text());
    assert_eq!(call(&writer, "POST", "/_open/auth/renew", "").status, 401, "only the issuer renews");
    // A local user of the same name ends that.
    store.create_user(UserDefinition::new("m:eve", password::hash("").unwrap())).unwrap();
    assert_eq!(call(&writer, "GET", "/_api/version", "").status, 403);
}

#[test]
fn tokens_that_do_not_fit_are_refused() {
    let mock = MockIssuer::start().unwrap();
    let rules = r#"[{"claim": "ok", "equals": true, "databases": {"_system": "ro"}}]"#;
    let (running, _) = start(&mock, rules, slow());
    let mut client = running.client();
    let mut status = |token: &str| call(&mut client, token, "GET", "/_api/version", "").status;
    let key = SigningKey::rsa("first");
    assert_eq!(status(&token(&mock, "eve", r#", "ok": true"#)), 200);
    assert_eq!(status(&token(&mock, "eve", "")), 403, "no rule fits");
    let good = claims(&mock, "eve", r#", "ok": true"#);
    assert_eq!(status(&SigningKey::second_rsa("first").sign(&good)), 401);
    assert_eq!(status(&key.sign(&good.replace("persea", "x"))), 401);
    assert_eq!(status(&key.sign(&good.replace("4000000000", "1000000000"))), 401);
    // The public key is no secret, and none of the server's own.
    let header = r#"{"alg": "HS256", "typ": "JWT", "kid": "first"}"#;
    for secret in [key.public().into_bytes(), key.modulus()] {
        assert_eq!(status(&SigningKey::forge(&secret, header, &good)), 401);
    }
    // Own tokens work as before, and an issuer cannot sign them.
    let own = r#"{"iss": "arangodb", "preferred_username": "root"}"#;
    assert_eq!(status(&SigningKey::forge(b"secret", header, own)), 200);
    assert_eq!(status(&key.sign(own)), 401);
}

#[test]
fn keys_rotate_and_strangers_cannot_rush() {
    let mock = MockIssuer::start().unwrap();
    let rules = r#"[{"everyone": true, "databases": {"_system": "ro"}}]"#;
    let (running, _) = start(&mock, rules, fast());
    let mut client = running.client();
    let mut status = |token: &str| call(&mut client, token, "GET", "/_api/version", "").status;
    assert_eq!(status(&token(&mock, "eve", "")), 200);
    mock.set_keys(&[SigningKey::p256("next")]);
    let key = SigningKey::second_rsa("later");
    assert_eq!(status(&key.sign(&claims(&mock, "eve", ""))), 503, "the keys change all the time");
    mock.set_keys(std::slice::from_ref(&key));
    assert_eq!(status(&key.sign(&claims(&mock, "eve", ""))), 200);

    let mock = MockIssuer::start().unwrap();
    let (running, _) = start(&mock, rules, slow());
    let mut client = running.client();
    assert_eq!(call(&mut client, &token(&mock, "eve", ""), "GET", "/_api/version", "").status, 200);
    let begin = Instant::now();
    for number in 0..300 {
        let header = format!(r#"{{"alg": "RS256", "kid": "x{number}"}}"#);
        let token = SigningKey::rsa("first").sign_with(&header, &claims(&mock, "eve", ""));
        assert_eq!(call(&mut client, &token, "GET", "/_api/version", "").status, 401);
    }
    assert_eq!(mock.discoveries(), 1);
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
}

#[test]
fn an_issuer_may_be_down_at_the_start() {
    let mock = MockIssuer::start().unwrap();
    mock.set_down(true);
    let rules = r#"[{"everyone": true, "databases": {"_system": "ro"}}]"#;
    let (running, _) = start(&mock, rules, fast());
    let mut client = running.client();
    let token = token(&mock, "eve", "");
    let refused = call(&mut client, &token, "GET", "/_api/version", "");
    assert!(refused.error(503, 503).contains("try again later"), "{}", refused.text());
    mock.set_down(false);
    test_engine::wait_until("the issuer is asked again", || {
        call(&mut client, &token, "GET", "/_api/version", "").status == 200
    });
}

#[test]
fn requests_wait_for_keys_without_a_thread() {
    let mock = MockIssuer::start().unwrap();
    mock.set_delay(Duration::from_millis(300));
    let rules = r#"[{"everyone": true, "databases": {"_system": "ro"}}]"#;
    let (running, _) = start(&mock, rules, slow());
    let (address, token) = (running.address, token(&mock, "eve", ""));
    let waiting: Vec<_> = (0..20)
        .map(|_| {
            let token = token.clone();
            std::thread::spawn(move || {
                call(&mut Client::connect(address), &token, "GET", "/_api/version", "").status
            })
        })
        .collect();
    assert!(waiting.into_iter().all(|thread| thread.join().unwrap() == 200));
    assert_eq!(mock.discoveries(), 1);
}

#[test]
fn the_web_interface_signs_in_with_a_code() {
    let mock = MockIssuer::start().unwrap();
    mock.set_claims(r#""sub": "eve""#);
    let (running, _) = start(&mock, RULES, slow());
    let mut client = running.client();
    let listed = client.get("/_open/auth/openid").json();
    assert_eq!(listed["result"], serde_json::json!([{"id": "mock", "name": "Mock & Co"}]));
    let mut post = |path: &str, body: &str| {
        client.request("POST", &format!("/_open/auth/openid/{path}"), "", body.as_bytes())
    };
    post("nobody/start", "").error(404, 404);
    let started = post("mock/start", "").json();
    let (code, state) = mock.authorize(started["url"].as_str().unwrap()).unwrap();
    assert_eq!(started["state"], state);
    let body = format!(r#"{{"state": "{state}", "code": "{code}"}}"#);
    let finished = post("mock/finish", &body).json();
    assert_eq!(finished["user"], "m:eve");
    post("mock/finish", &body).error(401, 401);
    post("mock/finish", "{}").error(400, 400);
    post("mock/finish", r#"{"state": "x", "code": "y"}"#).error(401, 401);
    let token = finished["jwt"].as_str().unwrap();
    assert_eq!(call(&mut client, token, "GET", "/_db/shop/_api/version", "").status, 200);
}

#[test]
fn without_issuers_there_is_nothing_to_sign_in_at() {
    let running = crate::harness::start();
    let mut client = running.client();
    assert_eq!(client.get("/_open/auth/openid").json()["result"], serde_json::json!([]));
    client.request("POST", "/_open/auth/openid/x/start", "", b"").error(404, 404);
}
