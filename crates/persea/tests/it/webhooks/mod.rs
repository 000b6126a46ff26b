//! Webhooks of a running server: what a receiver gets, and what follows from its replies.

mod receiver;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use harness::wait_until;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use self::receiver::{Act, Heard, Receiver};
use crate::support::{Client, Server, post};

const HOOKS: &str = "/_api/changes/webhooks";
const ALLOWED: [&str; 2] = ["--webhooks.allow", "127.0.0.1"];
const OK: Act = Act::Reply(200, "");
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn start(folder: &tempfile::TempDir) -> Server {
    Server::start(&folder.path().join("data"), &ALLOWED)
}

/// Makes a webhook `hook` for the collection `docs`.
fn define(client: &mut Client, receiver: &Receiver, further: &Value) {
    post(client, "/_api/collection", &json!({"name": "docs"}));
    let mut body = json!({"name": "hook", "url": receiver.url, "collections": ["docs"]});
    body.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    post(client, HOOKS, &body);
}

fn write(client: &mut Client, key: &str) {
    post(client, "/_api/document/docs", &json!({"_key": key}));
}

fn hook(client: &mut Client) -> Value {
    client.json("GET", &format!("{HOOKS}/hook"), "").json()
}

/// Waits until an attribute of the webhook has a value.
fn wait(client: &mut Client, attribute: &str, value: &Value) {
    let mut last = Value::Null;
    let waited = wait_until(attribute, || {
        last = hook(client);
        last[attribute] == *value
    });
    assert!(waited.is_ok(), "{attribute} must be {value}: {last}");
}

fn verify(delivery: &Heard) {
    let key = STANDARD.decode(SECRET.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    let (id, timestamp) = (delivery.header("webhook-id"), delivery.header("webhook-timestamp"));
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(&delivery.body);
    let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    assert_eq!(delivery.header("webhook-signature"), expected);
    let age =
        std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() - timestamp.parse::<u64>().unwrap();
    assert!(age < 60, "the time of the attempt");
}

#[test]
fn deliveries_are_signed_and_come_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&folder);
    let mut client = server.connect();
    let receiver = Receiver::start(|_, _| OK);
    let further = json!({"secret": SECRET, "batchSize": 7, "headers": {"X-Tenant": "7"}});
    define(&mut client, &receiver, &further);
    let keys: Vec<String> = (0..100).map(|n| format!("{n:03}")).collect();
    keys.iter().for_each(|key| write(&mut client, key));
    let mut seen = Vec::new();
    while seen.len() < keys.len() {
        let delivery = receiver.next();
        verify(&delivery);
        assert_eq!(delivery.header("content-type"), "application/json");
        assert_eq!(delivery.header("x-tenant"), "7");
        let body = delivery.json();
        assert_eq!((&body["webhook"], &body["database"]), (&json!("hook"), &json!("_system")));
        assert!(delivery.keys().len() <= 7);
        assert_eq!(body["token"], body["changes"].as_array().unwrap().last().unwrap()["token"]);
        seen.extend(delivery.keys());
    }
    assert_eq!(seen, keys);
    wait(&mut client, "lag", &json!(0));
    let hook = hook(&mut client);
    assert_eq!((&hook["state"], &hook["lastError"]), (&json!("running"), &Value::Null));
    assert!(hook["lastSuccess"].is_string());
    assert!(receiver.is_quiet(), "positions that are saved are no changes");
    let metrics = client.json("GET", "/_admin/metrics/v2", "").text();
    assert!(metrics.contains("persea_webhooks 1") || metrics.contains("persea_webhooks{} 1"), "{metrics}");
}

#[test]
fn events_and_pings_have_their_forms() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&folder);
    let mut client = server.connect();
    let receiver = Receiver::start(|_, _| OK);
    define(&mut client, &receiver, &json!({"format": "cloudevents", "batchWait": 1.5}));
    let outcome = post(&mut client, &format!("{HOOKS}/hook/ping"), &json!({}));
    assert_eq!(outcome, json!({"delivered": true, "status": 200, "error": null}));
    assert_eq!(receiver.next().json(), json!([]));
    write(&mut client, "a");
    write(&mut client, "b");
    let delivery = receiver.next();
    assert_eq!(delivery.header("content-type"), "application/cloudevents-batch+json");
    let body = delivery.json();
    let subjects: Vec<&str> =
        body.as_array().unwrap().iter().map(|event| event["subject"].as_str().unwrap()).collect();
    assert_eq!(subjects, ["docs/a", "docs/b"], "a delivery waits for more changes");
}

#[test]
fn a_killed_server_delivers_at_least_once() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::start(|_, _| {
        // A slow receiver makes it likely that the server dies between delivery and save.
        std::thread::sleep(Duration::from_millis(5));
        OK
    });
    let mut written = Vec::new();
    for life in 0..3 {
        let server = start(&folder);
        let mut client = server.connect();
        if life == 0 {
            define(&mut client, &receiver, &json!({"batchSize": 5}));
        }
        for n in 0..100 {
            let key = format!("{life}-{n:03}");
            write(&mut client, &key);
            written.push(key);
        }
        server.kill();
    }
    let server = start(&folder);
    let mut client = server.connect();
    wait(&mut client, "lag", &json!(0));
    let (mut firsts, mut known) = (Vec::new(), BTreeSet::new());
    while firsts.len() < written.len() {
        for key in receiver.next().keys() {
            if known.insert(key.clone()) {
                firsts.push(key);
            }
        }
    }
    assert_eq!(firsts, written, "each change comes, in the order of commits");
}

#[test]
fn a_delivery_is_repeated_until_the_receiver_takes_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&folder);
    let mut client = server.connect();
    let receiver = Receiver::start(|number, _| match number {
        0 => Act::Silence,
        1 => Act::Reply(500, ""),
        2 => Act::Reply(302, "location: http://127.0.0.1:1/\r\n"),
        3 => Act::Endless,
        _ => OK,
    });
    define(&mut client, &receiver, &json!({}));
    write(&mut client, "a");
    let first = receiver.next();
    let since = Instant::now();
    // Later changes wait, and are not part of the repeated delivery.
    write(&mut client, "b");
    wait(&mut client, "state", &json!("retrying"));
    for _ in 0..3 {
        let again = receiver.next();
        assert_eq!((again.header("webhook-id"), &again.body), (first.header("webhook-id"), &first.body));
    }
    assert!(since.elapsed() >= Duration::from_secs(9), "the first attempt has its time");
    let next = receiver.next();
    assert_eq!(next.keys(), ["b"]);
    assert_ne!(next.header("webhook-id"), first.header("webhook-id"));
    wait(&mut client, "state", &json!("running"));
}

#[test]
fn dead_letters_are_kept_and_sent_once_more() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&folder);
    let mut client = server.connect();
    let is_well = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let well = std::sync::Arc::clone(&is_well);
    let receiver = Receiver::start(move |_, delivery| {
        let is_bad = delivery.keys().contains(&"bad".to_owned());
        match is_bad && !well.load(std::sync::atomic::Ordering::Relaxed) {
            true => Act::Reply(400, ""),
            false => OK,
        }
    });
    define(&mut client, &receiver, &json!({"maxAttempts": 2, "batchSize": 1}));
    write(&mut client, "bad");
    write(&mut client, "good");
    let attempts = [receiver.next(), receiver.next()];
    assert_eq!(attempts[0].body, attempts[1].body);
    assert_eq!(receiver.next().keys(), ["good"], "delivery goes on");
    wait(&mut client, "deadLetters", &json!(1));
    let list = client.json("GET", &format!("{HOOKS}/hook/dead-letters"), "").json();
    let letter = &list["deadLetters"][0];
    assert_eq!((&letter["attempts"], &letter["changes"]), (&json!(2), &json!(1)));
    assert!(letter["error"].as_str().unwrap().contains("400"));
    // A restart forgets none.
    server.kill();
    let server = start(&folder);
    let mut client = server.connect();
    let retry = format!("{HOOKS}/hook/dead-letters/retry");
    assert_eq!(post(&mut client, &retry, &json!({}))["queued"], 1);
    assert_eq!(receiver.next().keys(), ["bad"], "it fails again, and stays");
    wait(&mut client, "deadLetters", &json!(1));
    is_well.store(true, std::sync::atomic::Ordering::Relaxed);
    let again = wait_until("the dead letter is delivered", || {
        post(&mut client, &retry, &json!({}));
        hook(&mut client)["deadLetters"] == 0
    });
    again.unwrap();
    assert_eq!(receiver.next().header("webhook-id"), attempts[0].header("webhook-id"));
}

#[test]
fn a_webhook_is_paused_resumed_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&folder);
    let mut client = server.connect();
    let receiver = Receiver::start(|number, _| if number == 1 { Act::Reply(410, "") } else { OK });
    define(&mut client, &receiver, &json!({}));
    let begin = hook(&mut client)["token"].clone();
    write(&mut client, "a");
    assert_eq!(receiver.next().keys(), ["a"]);
    // The receiver wants no more.
    write(&mut client, "b");
    assert_eq!(receiver.next().keys(), ["b"]);
    wait(&mut client, "state", &json!("paused"));
    write(&mut client, "c");
    assert!(receiver.is_quiet());
    assert_eq!(client.json("PATCH", &format!("{HOOKS}/hook"), r#"{"paused": false}"#).status, 200);
    assert_eq!(receiver.next().keys(), ["b", "c"]);
    wait(&mut client, "lag", &json!(0));
    post(&mut client, &format!("{HOOKS}/hook/replay"), &json!({"since": begin}));
    assert_eq!(receiver.next().keys(), ["a", "b", "c"]);
    // Without the webhook nothing comes, and its name is free.
    assert_eq!(client.json("DELETE", &format!("{HOOKS}/hook"), "").status, 200);
    write(&mut client, "d");
    assert!(receiver.is_quiet());
}

#[test]
fn a_webhook_ends_with_the_rights_of_its_user() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--server.authentication", "true", "--database.password", "root", ALLOWED[0], ALLOWED[1]];
    let server = Server::start(&folder.path().join("data"), &options);
    let mut client = server.connect();
    let mut send = |user: &str, method: &str, path: &str, body: &str| {
        let credentials = STANDARD.encode(format!("{user}:{user}"));
        let headers = [("authorization".to_owned(), format!("Basic {credentials}"))];
        let reply = client.send(method, path, &headers, body.as_bytes());
        assert!(reply.status < 300, "{method} {path}: {}", reply.status);
        if reply.body.is_empty() { Value::Null } else { reply.json() }
    };
    send("root", "POST", "/_api/user", r#"{"user": "eve", "passwd": "eve"}"#);
    send("root", "PUT", "/_api/user/eve/database/_system", r#"{"grant": "rw"}"#);
    for name in ["docs", "secret"] {
        send("root", "POST", "/_api/collection", &format!(r#"{{"name": "{name}"}}"#));
    }
    send("root", "PUT", "/_api/user/eve/database/_system/secret", r#"{"grant": "none"}"#);
    let receiver = Receiver::start(|_, _| OK);
    let body = json!({"name": "hook", "url": receiver.url, "filter": "document != null"});
    send("eve", "POST", HOOKS, &body.to_string());
    send("root", "POST", "/_api/document/secret", r#"{"_key": "hidden"}"#);
    send("root", "POST", "/_api/document/docs", r#"{"_key": "first"}"#);
    assert_eq!(receiver.next().keys(), ["first"]);
    send("root", "PUT", "/_api/user/eve/database/_system", r#"{"grant": "none"}"#);
    send("root", "POST", "/_api/document/docs", r#"{"_key": "second"}"#);
    let path = format!("{HOOKS}/hook");
    wait_until("the webhook fails", || send("root", "GET", &path, "")["state"] == "failed").unwrap();
    let error = send("root", "GET", &path, "")["lastError"].to_string();
    assert!(error.contains("forbidden"), "{error}");
    assert!(receiver.is_quiet());
    send("root", "PUT", "/_api/user/eve/database/_system", r#"{"grant": "rw"}"#);
    send("root", "PATCH", &path, r#"{"paused": false}"#);
    assert_eq!(receiver.next().keys(), ["second"]);
}

#[test]
fn slow_receivers_leave_threads_to_others_and_let_the_server_stop() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&folder);
    let mut client = server.connect();
    let silent = Receiver::start(|_, _| Act::Silence);
    let receiver = Receiver::start(|_, _| OK);
    define(&mut client, &receiver, &json!({}));
    for n in 0..5 {
        post(&mut client, HOOKS, &json!({"name": format!("silent{n}"), "url": silent.url}));
    }
    for n in 0..3 {
        write(&mut client, &n.to_string());
        assert_eq!(receiver.next().keys(), [n.to_string()]);
    }
    silent.next();
    let since = Instant::now();
    assert_eq!(server.stop(), Some(0));
    assert!(since.elapsed() < Duration::from_secs(8), "the server waited for a receiver");
}
