//! Scripts on one of two servers, which use what belongs to the other one.

use database::{InstanceOptions, JavaScriptOptions};
use kv_tikv::MemoryCluster;
use mock_issuer::MockIssuer;
use serde_json::{Value, json};
use server::service::authentication::create_root;

use crate::authentication::{authenticating, basic, bearer};
use crate::client::{Client, Reply};
use crate::harness::{options, wait_until};
use crate::openid::{RULES, fast, token, trusting};
use crate::servers::{batch_to, pair, query, start_instance_on, start_on_with};

/// Runs the body of an action in a transaction that writes `c`.
fn act(client: &mut Client, headers: &str, action: &str, params: &Value) -> Reply {
    let action = format!("function (params) {{ const {{ arango, db }} = require('@arangodb'); {action} }}");
    let body = json!({"collections": {"write": "c"}, "action": action, "params": params});
    client.request("POST", "/_api/transaction", headers, body.to_string().as_bytes())
}

fn result(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()["result"].clone()
}

#[test]
fn an_action_reads_a_cursor_of_another_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let first = query(&mut left, r#"{"query": "FOR i IN 1..5 RETURN i", "batchSize": 2}"#).json();
    let path = format!("/_api/cursor/{}", first["id"].as_str().unwrap());
    let action = "db.c.save({_key: 'own'}); return arango.PUT(params, '').result;";
    assert_eq!(result(&act(&mut right, "", action, &json!(path))), json!([3, 4]));
    // The transaction of the action was the other server's business at no time.
    assert_eq!(left.get("/_api/document/c/own").status, 200);
    assert_eq!(left.request("PUT", &path, "", b"").json()["result"], json!([5]));
    let gone = "const reply = arango.PUT(params, ''); return [reply.code, reply.errorNum];";
    assert_eq!(result(&act(&mut right, "", gone, &json!(path))), json!([404, 1600]));
}

#[test]
fn an_action_sees_and_ends_what_runs_on_another_server() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let begun = left.request("POST", "/_api/transaction/begin", "", br#"{"collections": {"write": "c"}}"#);
    let id = begun.json()["result"]["id"].as_str().unwrap().to_owned();
    let status = "return arango.GET('/_api/transaction/' + params).result.status;";
    assert_eq!(result(&act(&mut right, "", status, &json!(id))), "running");
    left.write("POST", "/_api/cursor", "", br#"{"query": "RETURN SLEEP(600)"}"#);
    let mut query = None;
    wait_until("the query runs", || {
        let running = pair.left.client().get("/_api/query/current").json();
        query = running[0]["id"].as_str().map(str::to_owned);
        query.is_some()
    });
    // The module wants its replies in VelocyPack.
    let kill = "require('@arangodb/aql/queries').kill(params); return 'killed';";
    assert_eq!(result(&act(&mut right, "", kill, &json!(query))), "killed");
    left.read_reply(false).error(410, 1500);
}

#[test]
fn a_script_is_told_that_another_server_is_silent() {
    let pair = pair();
    let (mut left, mut right) = (pair.left.client(), pair.right.client());
    let first = query(&mut left, r#"{"query": "FOR i IN 1..5 RETURN i", "batchSize": 2}"#).json();
    let path = format!("/_api/cursor/{}", first["id"].as_str().unwrap());
    let address = pair.left.address;
    pair.left.server.shutdown().request();
    wait_until("the server stops", || std::net::TcpStream::connect(address).is_err());
    let action = "const reply = arango.PUT(params, ''); return [reply.code, reply.errorNum];";
    assert_eq!(result(&act(&mut right, "", action, &json!(path))), json!([503, 1465]));
}

/// A task sends no header of a client. The other server knows its user by a token, and checks that
/// the object is that user's.
#[test]
fn a_task_is_its_user_on_another_server() {
    let cluster = MemoryCluster::new();
    let (left, right) =
        (start_on_with(&cluster, authenticating()), start_on_with(&cluster, authenticating()));
    assert!(create_root(left.server.instance().store(), "secret").unwrap());
    let root = basic("root", "secret");
    let (mut left, mut right) = (left.client(), right.client());
    let send = |client: &mut Client, method: &str, path: &str, user: &str, body: &Value| {
        let reply = client.request(method, path, user, body.to_string().as_bytes());
        assert!(reply.status < 300, "{method} {path}: {}", reply.text());
        reply.json()
    };
    send(&mut left, "POST", "/_api/collection", &root, &json!({"name": "c"}));
    send(&mut left, "POST", "/_api/user", &root, &json!({"user": "ann", "passwd": "x"}));
    send(&mut left, "PUT", "/_api/user/ann/database/_system", &root, &json!({"grant": "rw"}));
    send(&mut left, "PUT", "/_api/user/ann/database/_system/*", &root, &json!({"grant": "rw"}));
    let ann = basic("ann", "x");
    let body = json!({"query": "FOR i IN 1..6 RETURN i", "batchSize": 2});
    for (user, key, expected) in [(&ann, "own", json!([3, 4])), (&root, "other", json!(404))] {
        let first = send(&mut left, "POST", "/_api/cursor", user, &body);
        let path = format!("/_api/cursor/{}", first["id"].as_str().unwrap());
        let command = format!(
            "const {{ arango, db }} = require('@arangodb'); const reply = arango.PUT(params, '');
             db.c.save({{_key: '{key}', seen: reply.result || reply.code}});"
        );
        send(&mut right, "POST", "/_api/tasks", &ann, &json!({"command": command, "params": path}));
        let path = format!("/_api/document/c/{key}");
        wait_until("the task runs", || right.request("GET", &path, &root, b"").status == 200);
        assert_eq!(right.request("GET", &path, &root, b"").json()["seen"], expected, "{key}");
    }
    // So is an action, whose client's password stays here.
    let first = send(&mut left, "POST", "/_api/cursor", &ann, &body);
    let path = format!("/_api/cursor/{}", first["id"].as_str().unwrap());
    let action = "return arango.PUT(params, '').result;";
    assert_eq!(result(&act(&mut right, &ann, action, &json!(path))), json!([3, 4]));
    assert_eq!(result(&act(&mut right, &root, action, &json!(path))), Value::Null);
}

/// Only the token of an issuer proves the rights of its user, so the script's server passes it on.
#[test]
fn a_user_of_an_issuer_is_known_by_its_own_token() {
    let mock = MockIssuer::start().unwrap();
    let cluster = MemoryCluster::new();
    let start = || start_on_with(&cluster, trusting(&mock, RULES, fast()));
    let (left, right) = (start(), start());
    left.server.instance().store().create_database("shop").unwrap();
    let eve = bearer(&token(&mock, "eve", r#", "groups": ["writers"]"#));
    let (mut left, mut right) = (left.client(), right.client());
    let body = br#"{"query": "FOR i IN 1..9 RETURN i", "batchSize": 2}"#;
    let first = left.request("POST", "/_db/shop/_api/cursor", &eve, body);
    assert_eq!(first.status, 201, "{}", first.text());
    let path = format!("/_api/cursor/{}", first.json()["id"].as_str().unwrap());
    let action = "function (params) {
        const { arango } = require('@arangodb');
        return [arango.PUT(params, '').result, require('@arangodb/tasks').get().length];
    }";
    let body = json!({"collections": {}, "action": action, "params": path}).to_string();
    let reply = right.request("POST", "/_db/shop/_api/transaction", &eve, body.as_bytes());
    assert_eq!(result(&reply), json!([[3, 4], 0]));
    // The part of a batch has the token of the batch.
    let parts = [format!("POST /_api/transaction HTTP/1.1\r\n\r\n{body}")];
    let (reply, _) = batch_to(&mut right, ("/_db/shop/_api/batch", &eve), &parts);
    assert!(reply.text().contains(r#""result":[[5,6],0]"#), "{}", reply.text());
}

#[test]
fn a_shell_session_goes_on_at_either_server() {
    let cluster = MemoryCluster::new();
    let javascript = JavaScriptOptions { admin_execute: true, ..JavaScriptOptions::default() };
    let [left, right] = [(); 2].map(|()| {
        start_instance_on(&cluster, options(), InstanceOptions { javascript, ..InstanceOptions::default() })
    });
    let (mut left, mut right) = (left.client(), right.client());
    let id = left.request("POST", "/_admin/shell", "", b"").json()["id"].as_str().unwrap().to_owned();
    let path = format!("/_admin/shell/{id}");
    let shown = |client: &mut Client, input: &str| {
        let reply = client.request("POST", &path, "", input.as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["shown"].clone()
    };
    assert_eq!(shown(&mut right, "let n = 1; n"), "1");
    assert_eq!(shown(&mut left, "n += 1"), "2");
    assert_eq!(shown(&mut right, "n += 1"), "3");
    assert_eq!(right.request("DELETE", &path, "", b"").status, 200);
    left.request("POST", &path, "", b"n").error(404, 404);
    right.request("POST", "/_admin/shell/n", "", b"n").error(404, 404);
}
