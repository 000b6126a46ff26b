//! A server with data of its own copies another one once, by the route of ArangoDB 3.11.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arangodb_mock::{Fault, Mock, Model, Role, Version};
use serde_json::{Value, json};

use super::{accepts_writes, check_documents, collections, documents, source_of, state, wait_for_phase};
use crate::support::{Reply, Server, post, query, tool};

/// Writes what the other server has: documents and edges in `shop`, with an index, a view and a
/// graph.
fn fill(model: &mut Model) {
    model.create_database("shop");
    for (name, kind) in [("docs", 2), ("knows", 3)] {
        model.create_collection("shop", name, kind, json!({}));
    }
    for number in 0..300 {
        model.put("shop", "docs", json!({"_key": format!("k{number}"), "n": number, "text": "a b"}));
    }
    model.put("shop", "knows", json!({"_key": "1", "_from": "docs/k1", "_to": "docs/k2"}));
    let index = json!({"type": "persistent", "fields": ["n"], "name": "by_n", "unique": true});
    model.create_index("shop", "docs", index);
    model.create_view(
        "shop",
        "search",
        json!({"type": "arangosearch", "links": {"docs": {"includeAllFields": true}}}),
    );
    model.create_graph("shop", "friends", "knows", "docs", "docs");
}

/// Starts a server whose database `shop` has a collection with a name of the other server, another
/// one, and a view.
fn server_with_data(folder: &std::path::Path) -> Server {
    let server = Server::start(folder, &[]);
    let mut client = server.connect();
    post(&mut client, "/_api/database", &json!({"name": "shop"}));
    for name in ["docs", "mine"] {
        post(&mut client, "/_db/shop/_api/collection", &json!({"name": name}));
        let old = json!([{"_key": "k1", "n": "old"}, {"_key": "own"}]);
        post(&mut client, &format!("/_db/shop/_api/document/{name}"), &old);
    }
    let index = json!({"type": "persistent", "fields": ["text"], "name": "by_n"});
    post(&mut client, "/_db/shop/_api/index?collection=docs", &index);
    post(&mut client, "/_db/shop/_api/view", &json!({"name": "own_view", "type": "arangosearch"}));
    server
}

fn sync(server: &Server, path: &str, body: &Value) -> Reply {
    server.connect().json("PUT", &format!("{path}/_api/replication/sync"), &body.to_string())
}

/// Returns the body that synchronizes with the mock, with more members.
fn body(mock: &Mock, more: &Value) -> Value {
    let mut body = source_of(mock);
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[track_caller]
fn succeed(server: &Server, path: &str, body: &Value) -> Value {
    let reply = sync(server, path, body);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

#[track_caller]
fn refuse(server: &Server, path: &str, body: &Value, number: u64, text: &str) {
    let reply = sync(server, path, body);
    let error = reply.json();
    assert_eq!(error["errorNum"], number, "{body}: {error}");
    assert!(error["errorMessage"].as_str().unwrap().contains(text), "{body}: {error}");
}

fn indexes(server: &Server, collection: &str) -> BTreeMap<String, Value> {
    let path = format!("/_db/shop/_api/index?collection={collection}");
    let list = server.connect().json("GET", &path, "").json()["indexes"].as_array().unwrap().clone();
    list.into_iter().map(|index| (index["name"].as_str().unwrap().to_owned(), index)).collect()
}

fn names(synced: &Value) -> Vec<&str> {
    let list = synced["collections"].as_array().unwrap();
    let mut names: Vec<&str> = list.iter().map(|one| one["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn collections_with_the_same_name_are_replaced_and_others_stay() {
    for version in [Version::V311, Version::V312] {
        let folder = tempfile::tempdir().unwrap();
        let (mock, server) = (Mock::start(version).unwrap(), server_with_data(folder.path()));
        mock.write(fill);
        let tick = mock.read(|model| model.last_tick());
        let synced = succeed(&server, "/_db/shop", &source_of(&mock));
        assert_eq!(synced["lastLogTick"], tick.to_string());
        assert_eq!(synced["problems"], json!([]), "{synced}");
        let names = names(&synced);
        assert!(["_graphs", "docs", "knows"].iter().all(|name| names.contains(name)), "{synced}");
        check_documents(&server, &mock, "shop", &["docs", "knows"]);
        assert_eq!(collections(&server, "shop"), ["docs", "knows", "mine"]);
        assert_eq!(documents(&server, "shop", "mine").len(), 2);
        let by_n = &indexes(&server, "docs")["by_n"];
        assert_eq!((&by_n["fields"], &by_n["unique"]), (&json!(["n"]), &json!(true)));
        let mut client = server.connect();
        let views = client.json("GET", "/_db/shop/_api/view", "").json()["result"].clone();
        assert_eq!(views.as_array().unwrap().len(), 2, "{views}");
        assert_eq!(client.json("GET", "/_db/shop/_api/gharial/friends", "").status, 200);
        // It follows nobody, and accepts writes.
        assert_eq!(state(&server)["phase"], "none");
        assert!(accepts_writes(&server));
        // The log cannot be applied: this server has more than the other one.
        let path = format!("/_db/shop/_api/replication/applier-start?from={tick}");
        assert_eq!(
            client
                .json("PUT", "/_db/shop/_api/replication/applier-config", &source_of(&mock).to_string())
                .status,
            200
        );
        let refused = client.json("PUT", &path, "");
        assert_eq!(refused.json()["errorNum"], 10, "{}", refused.text());
        assert_eq!(mock.open_snapshots(), 0);
    }
}

#[test]
fn only_what_differs_is_transferred() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (Mock::start(Version::V312).unwrap(), server_with_data(folder.path()));
    mock.write(fill);
    let incremental = body(&mock, &json!({"incremental": true}));
    succeed(&server, "/_db/shop", &incremental);
    check_documents(&server, &mock, "shop", &["docs", "knows"]);
    // Two documents exchange their unique values, one is new, one is gone here and one there.
    mock.write(|model| {
        model.put("shop", "docs", json!({"_key": "k1", "n": -1}));
        model.put("shop", "docs", json!({"_key": "k2", "n": 1}));
        model.put("shop", "docs", json!({"_key": "k1", "n": 2}));
        model.put("shop", "docs", json!({"_key": "new", "n": "new"}));
        model.remove("shop", "docs", "k3");
        model.create_index(
            "shop",
            "docs",
            json!({"type": "persistent", "fields": ["text"], "name": "by_text"}),
        );
        model.change_collection("shop", "docs", json!({"waitForSync": true}));
    });
    let mut client = server.connect();
    assert_eq!(client.json("DELETE", "/_db/shop/_api/document/docs/k4", "").status, 202);
    post(&mut client, "/_db/shop/_api/document/docs", &json!({"_key": "extra"}));
    post(
        &mut client,
        "/_db/shop/_api/index?collection=docs",
        &json!({"type": "persistent", "fields": ["x"]}),
    );
    let id = client.json("GET", "/_db/shop/_api/collection/docs", "").json()["id"].clone();
    let before = mock.requests().len();
    succeed(&server, "/_db/shop", &incremental);
    check_documents(&server, &mock, "shop", &["docs", "knows"]);
    let of_docs: Vec<String> =
        mock.requests().split_off(before).into_iter().filter(|one| one.contains("/docs")).collect();
    // One request has all four documents.
    let asked = of_docs.iter().filter(|one| one.contains("/_api/document/docs")).count();
    assert_eq!(asked, 1, "{of_docs:?}");
    let found: Vec<String> = indexes(&server, "docs").into_keys().collect();
    assert_eq!(found, ["by_n", "by_text", "primary"]);
    let properties = client.json("GET", "/_db/shop/_api/collection/docs/properties", "").json();
    assert_eq!((&properties["waitForSync"], &properties["id"]), (&json!(true), &id));
    // Nothing differs any more.
    let before = mock.requests().len();
    succeed(&server, "/_db/shop", &incremental);
    let later = mock.requests().split_off(before);
    assert!(!later.iter().any(|one| one.contains("/_api/document")), "{later:?}");
    // A collection of another type is replaced.
    mock.write(|model| {
        model.drop_collection("shop", "docs");
        model.create_collection("shop", "docs", 3, json!({}));
        model.put("shop", "docs", json!({"_key": "edge", "_from": "knows/1", "_to": "knows/1"}));
    });
    succeed(&server, "/_db/shop", &incremental);
    check_documents(&server, &mock, "shop", &["docs"]);
}

#[test]
fn a_synchronization_may_be_of_some_collections_and_of_another_database() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (Mock::start(Version::V312).unwrap(), server_with_data(folder.path()));
    mock.write(fill);
    let some = |kind: &str, list: &[&str]| {
        body(&mock, &json!({"database": "shop", "restrictType": kind, "restrictCollections": list}))
    };
    let synced = succeed(&server, "", &some("include", &["knows"]));
    assert_eq!(names(&synced), ["knows"]);
    assert_eq!(collections(&server, "_system"), ["knows"]);
    // A name that is not there changes nothing.
    refuse(&server, "", &some("include", &["docs", "nowhere"]), 1203, "nowhere");
    assert_eq!(collections(&server, "_system"), ["knows"]);
    let mut without_system = some("exclude", &["knows"]);
    without_system["includeSystem"] = json!(false);
    assert_eq!(names(&succeed(&server, "", &without_system)), ["docs"]);
    let there = mock.read(|model| model.documents("shop", "docs").len());
    assert_eq!(documents(&server, "_system", "docs").len(), there);
    assert_eq!(documents(&server, "shop", "docs").len(), 2, "another database stays");
    let mut client = server.connect();
    assert_eq!(client.json("GET", "/_api/view/search", "").status, 200);
    assert_eq!(client.json("GET", "/_api/gharial/friends", "").status, 404);
}

#[test]
fn all_databases_are_copied_and_the_log_can_be_applied_if_nothing_else_is_here() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (Mock::start(Version::V311).unwrap(), server_with_data(folder.path()));
    mock.write(fill);
    let mut client = server.connect();
    assert_eq!(client.json("DELETE", "/_db/shop/_api/collection/mine", "").status, 200);
    assert_eq!(client.json("DELETE", "/_db/shop/_api/view/own_view", "").status, 200);
    let synced = succeed(&server, "", &source_of(&mock));
    assert_eq!(names(&synced).iter().filter(|name| !name.starts_with('_')).count(), 0, "{synced}");
    let global = sync(&server, "", &json!({}));
    assert_eq!(global.json()["errorNum"], 10, "{}", global.text());
    let reply = client.json("PUT", "/_api/replication/sync?global=true", &source_of(&mock).to_string());
    assert_eq!(reply.status, 200, "{}", reply.text());
    let synced = reply.json();
    let of_shop = |one: &&Value| one["name"] == "docs" && one["database"] == "shop";
    assert_eq!(synced["collections"].as_array().unwrap().iter().filter(of_shop).count(), 1, "{synced}");
    check_documents(&server, &mock, "shop", &["docs", "knows"]);
    mock.write(|model| drop(model.put("shop", "docs", json!({"_key": "later", "n": "later"}))));
    let source = source_of(&mock).to_string();
    // The mock has the user `root` with a password, and so has this server now.
    let configured = client.json("PUT", "/_api/replication/applier-config?global=true", &source);
    assert_eq!(configured.status, 200, "{}", configured.text());
    let path = format!("/_api/replication/applier-start?from={}", synced["lastLogTick"].as_str().unwrap());
    let started = client.json("PUT", &path, "");
    assert_eq!(started.status, 200, "{}", started.text());
    let has_later = || documents(&server, "shop", "docs").contains_key("later");
    harness::wait_until("the log is not applied", has_later).unwrap();
    // It is a copy now.
    refuse(&server, "", &source_of(&mock), 1411, "");
    assert_eq!(client.json("PUT", "/_api/replication/applier-stop", "").status, 200);
    wait_for_phase(&server, "paused");
    refuse(&server, "", &source_of(&mock), 1411, "");
}

#[test]
fn a_server_that_cannot_be_copied_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (Mock::start(Version::V312).unwrap(), server_with_data(folder.path()));
    mock.write(fill);
    let shop = "/_db/shop";
    refuse(&server, shop, &body(&mock, &json!({"password": "wrong"})), 1402, "401");
    refuse(&server, shop, &body(&mock, &json!({"endpoint": "tcp://127.0.0.1:1"})), 1400, "127.0.0.1:1");
    refuse(&server, shop, &body(&mock, &json!({"endpoint": "nonsense"})), 10, "endpoint");
    refuse(&server, shop, &body(&mock, &json!({"database": "nowhere"})), 10, "nowhere");
    refuse(&server, shop, &body(&mock, &json!({"database": 1})), 10, "database");
    refuse(&server, shop, &body(&mock, &json!({"restrictType": "only"})), 10, "restrictType");
    refuse(&server, shop, &json!({"endpoint": server.endpoint()}), 1405, "this one");
    let global = body(&mock, &json!({"database": "shop"}));
    let reply = server.connect().json("PUT", "/_api/replication/sync?global=true", &global.to_string());
    assert_eq!(reply.json()["errorNum"], 10, "{}", reply.text());
    for version in [Version::V39, Version::V40] {
        let other = Mock::start(version).unwrap();
        other.write(fill);
        refuse(&server, shop, &source_of(&other), 1403, version.number());
    }
    mock.configure(|model| model.set_role(Role::Coordinator));
    refuse(&server, shop, &source_of(&mock), 1403, "cluster");
    assert_eq!(documents(&server, "shop", "docs").len(), 2);
    assert_eq!(query(&mut server.connect(), "RETURN 1"), json!([1]));
}

#[test]
fn a_reply_that_takes_too_long_ends_the_synchronization() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (Mock::start(Version::V312).unwrap(), server_with_data(folder.path()));
    mock.write(fill);
    mock.fail("/_db/shop/_api/dump/next", Fault::Delay(Duration::from_secs(20)));
    let began = Instant::now();
    refuse(&server, "/_db/shop", &body(&mock, &json!({"initialSyncMaxWaitTime": 0.5})), 1400, "answer");
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    succeed(&server, "/_db/shop", &source_of(&mock));
    check_documents(&server, &mock, "shop", &["docs", "knows"]);
}

#[test]
fn a_source_that_falls_silent_ends_the_synchronization() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (Mock::start(Version::V312).unwrap(), server_with_data(folder.path()));
    mock.write(fill);
    let (wake, woken) = std::sync::mpsc::channel::<()>();
    // The mock answers nothing else meanwhile.
    mock.before("/_db/shop/_api/dump/next", move |_| _ = woken.recv());
    refuse(&server, "/_db/shop", &source_of(&mock), 1400, "/_api/version");
    drop(wake);
    succeed(&server, "/_db/shop", &source_of(&mock));
    check_documents(&server, &mock, "shop", &["docs", "knows"]);
}

#[test]
fn the_end_of_its_request_ends_a_synchronization() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (Mock::start(Version::V312).unwrap(), server_with_data(folder.path()));
    mock.write(fill);
    let (wake, woken) = std::sync::mpsc::channel::<()>();
    mock.before("/_db/shop/_api/dump/next", move |_| _ = woken.recv());
    let (mut client, source) = (server.connect(), source_of(&mock).to_string());
    let header = ("x-arango-async".to_owned(), "store".to_owned());
    let path = "/_db/shop/_api/replication/sync";
    let begun = client.send("PUT", path, &[header], source.as_bytes());
    let id = begun.header("x-arango-async-id").unwrap().to_owned();
    // Meanwhile nothing else may begin.
    let mut configure = || client.json("PUT", "/_api/replication/applier-config", &source).status;
    harness::wait_until("it has not begun", || configure() == 400).unwrap();
    let mut other = server.connect();
    assert_eq!(other.json("PUT", "/_api/follow", &source).json()["errorNum"], 1411);
    assert_eq!(other.json("PUT", path, &source).json()["errorNum"], 1411);
    assert_eq!(other.json("PUT", &format!("/_api/job/{id}/cancel"), "").status, 200);
    let asked = Instant::now();
    harness::wait_until("it goes on", || configure() == 200).unwrap();
    // The source is silent all the time.
    assert!(asked.elapsed() < Duration::from_secs(4), "{:?}", asked.elapsed());
    drop(wake);
    let mut outcome = Value::Null;
    let has_ended = || {
        let reply = other.json("PUT", &format!("/_api/job/{id}"), "");
        outcome = if reply.status == 204 { Value::Null } else { reply.json() };
        !outcome.is_null()
    };
    harness::wait_until("it has no outcome", has_ended).unwrap();
    assert_eq!(outcome["errorNum"], 21, "{outcome}");
}

#[test]
fn one_persea_copies_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let (source, server) =
        (Server::start(&folder.path().join("source"), &[]), server_with_data(&folder.path().join("server")));
    post(&mut source.connect(), "/_api/database", &json!({"name": "shop"}));
    post(&mut source.connect(), "/_db/shop/_api/collection", &json!({"name": "docs"}));
    let load = json!({"query": "FOR i IN 1..5000 INSERT {_key: CONCAT('k', i), n: i} INTO docs"});
    post(&mut source.connect(), "/_db/shop/_api/cursor", &load);
    let address = json!({"endpoint": source.endpoint()});
    succeed(&server, "/_db/shop", &address);
    assert_eq!(documents(&server, "shop", "docs"), documents(&source, "shop", "docs"));
    let change = json!({"query": "FOR d IN docs FILTER d.n % 10 == 0 UPDATE d WITH {n: -d.n} IN docs"});
    post(&mut source.connect(), "/_db/shop/_api/cursor", &change);
    let remove = json!({"query": "FOR d IN docs FILTER d.n % 100 == 1 REMOVE d IN docs"});
    post(&mut source.connect(), "/_db/shop/_api/cursor", &remove);
    let incremental = json!({"endpoint": source.endpoint(), "incremental": true});
    succeed(&server, "/_db/shop", &incremental);
    assert_eq!(documents(&server, "shop", "docs"), documents(&source, "shop", "docs"));
}

#[test]
fn the_shell_copies_collections_and_databases() {
    let folder = tempfile::tempdir().unwrap();
    let (mock, server) = (Mock::start(Version::V312).unwrap(), server_with_data(folder.path()));
    mock.write(fill);
    let source = source_of(&mock);
    let script = format!(
        r#"const replication = require("@arangodb/replication");
        db._useDatabase("shop");
        const names = (synced) => synced.collections.map((one) => one.name).join();
        print("one: " + names(replication.syncCollection("docs", {source})));
        const id = replication.sync({{ ...{source}, incremental: true, includeSystem: false, async: true }});
        let result = false;
        while (result === false) {{
          require("internal").sleep(0.01);
          result = replication.getSyncResult(id);
        }}
        print("both: " + names(result).split(",").sort().join());
        try {{
          replication.syncCollection("nowhere", {source});
        }} catch (error) {{
          print("error: " + error.errorNum);
        }}
        db._useDatabase("_system");
        print("all: " + replication.syncGlobal({source}).collections.some((one) => one.database === "shop"));"#
    );
    let said = tool::run(&server, "shell", &["--javascript.execute-string", &script]).success();
    for line in ["one: docs", "both: docs,knows", "error: 1203", "all: true"] {
        assert!(said.stdout.contains(line), "{}", said.stdout);
    }
    check_documents(&server, &mock, "shop", &["docs", "knows"]);
}
