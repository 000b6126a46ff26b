//! All that ArangoDB's inventory and log have, of each version.

use arangodb_mock::{Mock, Model, Version};
use serde_json::{Value, json};

use super::{accepts_writes, check_documents, collections, documents, migrate, read, state, wait_for_log};
use crate::support::Server;

/// Writes what is there before the copy: documents, edges, indexes, a view, a graph, an Analyzer, a
/// function, and a user with rights.
fn fill(model: &mut Model) {
    model.create_database("shop");
    model.create_analyzer("shop", "words", "delimiter", json!({"delimiter": " "}));
    for (name, kind) in [("people", 2), ("knows", 3), ("cleared", 2), ("dropped", 2)] {
        model.create_collection("shop", name, kind, json!({}));
    }
    for number in 0..500 {
        model.put("shop", "people", json!({"_key": format!("p{number}"), "n": number, "name": "a b"}));
        model.put("shop", "cleared", json!({"n": number}));
    }
    for number in 0..100 {
        let (from, to) = (format!("people/p{number}"), format!("people/p{}", number + 1));
        model.put("shop", "knows", json!({"_from": from, "_to": to}));
    }
    model.create_index("shop", "people", json!({"type": "persistent", "fields": ["n"], "name": "by_n"}));
    let link = json!({"people": {"fields": {"name": {"analyzers": ["words"]}}}});
    model.create_view("shop", "search", json!({"type": "arangosearch", "links": link}));
    model.create_graph("shop", "friends", "knows", "people", "people");
    model.create_function("shop", "MY::DOUBLE", "function (n) { return 2 * n }");
    model.create_user("ann", "ann's password", &[("shop", "rw"), ("_system", "none")]);
}

/// Writes an entry of each kind.
fn change(model: &mut Model) {
    let ages = model.create_index("shop", "people", json!({"type": "persistent", "fields": ["age"]}));
    model.create_index(
        "shop",
        "knows",
        json!({"type": "persistent", "fields": ["since"], "name": "by_since"}),
    );
    model.drop_index("shop", "people", ages);
    model.create_collection("shop", "added", 2, json!({}));
    model.put("shop", "added", json!({"_key": "1", "in": "added"}));
    model.change_collection("shop", "added", json!({"waitForSync": true}));
    model.rename_collection("shop", "added", "renamed");
    model.put("shop", "renamed", json!({"_key": "2", "in": "renamed"}));
    model.truncate("shop", "cleared");
    model.drop_collection("shop", "dropped");
    model.put("shop", "people", json!({"_key": "p1", "n": -1}));
    model.remove("shop", "people", "p2");
    model.remove("shop", "people", "p2");
    let (whole, aborted) = (model.begin("shop"), model.begin("shop"));
    model.put_in(whole, "people", json!({"_key": "both", "n": 1}));
    model.put_in(aborted, "people", json!({"_key": "never"}));
    model.put("shop", "people", json!({"_key": "between"}));
    model.put_in(whole, "renamed", json!({"_key": "both"}));
    model.remove_in(whole, "people", "p3");
    model.abort(aborted);
    model.commit(whole);
    model.create_view("shop", "second", json!({"type": "arangosearch", "links": {}}));
    model.change_view("shop", "second", json!({"links": {"renamed": {"includeAllFields": true}}}));
    model.create_view("shop", "passing", json!({"type": "arangosearch", "links": {}}));
    model.drop_view("shop", "passing");
    model.create_database("other");
    model.create_collection("other", "docs", 2, json!({}));
    model.put("other", "docs", json!({"_key": "1"}));
    model.create_database("gone");
    model.create_collection("gone", "docs", 2, json!({}));
    model.drop_database("gone");
    model.create_user("bob", "bob's password", &[("*", "ro")]);
}

fn get(server: &Server, path: &str) -> Value {
    let reply = read(server, "GET", path, &Value::Null);
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()
}

/// Returns the names of a list of objects.
fn names(list: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        list.as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    names.sort_unstable();
    names
}

fn check_state(server: &Server, mock: &Mock) {
    assert_eq!(get(server, "/_api/database")["result"], json!(["_system", "other", "shop"]));
    assert_eq!(collections(server, "shop"), ["cleared", "knows", "people", "renamed"]);
    check_documents(server, mock, "shop", &["cleared", "knows", "people", "renamed"]);
    check_documents(server, mock, "other", &["docs"]);
    let people = documents(server, "shop", "people");
    assert!(people.contains_key("both") && people.contains_key("between") && !people.contains_key("never"));
    assert_eq!(get(server, "/_db/shop/_api/collection/renamed/properties")["waitForSync"], true);
    assert_eq!(get(server, "/_db/shop/_api/collection/knows/properties")["type"], 3);
    let indexes = get(server, "/_db/shop/_api/index?collection=people");
    assert_eq!(names(&indexes["indexes"]), ["by_n", "primary"]);
    let indexes = get(server, "/_db/shop/_api/index?collection=knows");
    assert_eq!(names(&indexes["indexes"]), ["by_since", "edge", "primary"]);
    assert_eq!(names(&get(server, "/_db/shop/_api/view")["result"]), ["search", "second"]);
    let second = get(server, "/_db/shop/_api/view/second/properties");
    assert_eq!(second["links"]["renamed"]["includeAllFields"], true);
}

/// Checks what queries see of definitions.
fn check_queries(server: &Server) {
    let rows = |text: &str| {
        let body = json!({"query": text}).to_string();
        let reply = server.connect().json("POST", "/_db/shop/_api/cursor", &body);
        assert_eq!(reply.status, 201, "{text}: {}", reply.text());
        reply.json()["result"].clone()
    };
    assert_eq!(
        rows("FOR v IN 1..3 OUTBOUND 'people/p10' GRAPH 'friends' RETURN v._key"),
        json!(["p11", "p12", "p13"])
    );
    let found = "FOR d IN search SEARCH ANALYZER(d.name == 'b', 'words') OPTIONS {waitForSync: true} \
                 COLLECT WITH COUNT INTO n RETURN n";
    assert_eq!(rows(found), json!([497]));
    assert_eq!(rows("FOR f IN _aqlfunctions RETURN f.name"), json!(["MY::DOUBLE"]));
}

/// Checks that the users of the mock sign in with their passwords.
fn check_passwords(server: &Server) {
    for (name, password) in [("ann", "ann's password"), ("bob", "bob's password"), ("root", "secret")] {
        let body = json!({"username": name, "password": password}).to_string();
        let reply = server.connect().json("POST", "/_open/auth", &body);
        assert_eq!(reply.status, 200, "{name}: {}", reply.text());
    }
}

fn check_rights(server: &Server) {
    let rights = get(server, "/_api/user/ann/database");
    assert_eq!((&rights["result"]["shop"], &rights["result"]["_system"]), (&json!("rw"), &Value::Null));
}

fn take_over(version: Version) {
    let folder = tempfile::tempdir().unwrap();
    let mock = Mock::start(version).unwrap();
    mock.write(fill);
    // Parts of the log end after each entry, also within transactions.
    mock.configure(|model| model.limit_parts(1));
    let server = Server::start(folder.path(), &[]);
    let probe = migrate(&server, Some(&mock), &["probe"]).success();
    assert!(probe.stdout.contains("shop: 4 collections, 1100 documents"), "{probe:?}");
    assert!(probe.stdout.contains(version.number()), "{probe:?}");
    let started = migrate(&server, Some(&mock), &["start", "--wait"]).success();
    assert!(started.stdout.contains("following"), "{started:?}");
    assert!(!accepts_writes(&server), "{}", state(&server));
    mock.write(change);
    wait_for_log(&server, &mock);
    check_state(&server, &mock);
    let ended = migrate(&server, None, &["cut-over", "--wait"]).success();
    assert!(ended.stdout.contains("ended"), "{ended:?}");
    assert!(mock.read(Model::is_read_only));
    assert_eq!(mock.open_snapshots(), 0);
    check_state(&server, &mock);
    check_queries(&server);
    check_rights(&server);
    assert!(accepts_writes(&server), "{}", state(&server));
    assert_eq!(server.stop(), Some(0));
    check_passwords(&Server::start(folder.path(), &["--server.authentication", "true"]));
}

#[test]
fn everything_of_3_10_comes_over() {
    take_over(Version::V310);
}

#[test]
fn everything_of_3_11_comes_over() {
    take_over(Version::V311);
}

#[test]
fn everything_of_3_12_comes_over() {
    take_over(Version::V312);
}

#[test]
fn indexes_of_unknown_types_are_left_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let mock = Mock::start(Version::V312).unwrap();
    let unknown = |name: &str| json!({"type": "quantum", "fields": ["n"], "name": name});
    mock.write(|model| {
        model.create_collection("_system", "docs", 2, json!({}));
        model.create_index("_system", "docs", unknown("early"));
        model.create_index("_system", "docs", json!({"type": "persistent", "fields": ["n"], "name": "by_n"}));
    });
    let server = Server::start(folder.path(), &[]);
    migrate(&server, Some(&mock), &["start", "--wait"]).success();
    mock.write(|model| {
        model.create_index("_system", "docs", unknown("late"));
        let dropped = model.create_index("_system", "docs", unknown("dropped"));
        model.drop_index("_system", "docs", dropped);
        model.put("_system", "docs", json!({"_key": "last"}));
    });
    wait_for_log(&server, &mock);
    check_documents(&server, &mock, "_system", &["docs"]);
    let status = migrate(&server, None, &["status"]).success();
    for name in ["early", "late", "dropped"] {
        let problems = state(&server)["problems"].clone();
        let found = problems.as_array().unwrap().iter().any(|problem| {
            problem["what"] == format!("index '{name}'")
                && problem["where"] == "_system/docs"
                && problem["effect"].as_str().unwrap().contains("'quantum'")
        });
        assert!(found && status.stdout.contains(&format!("index '{name}'")), "{name}: {problems} {status:?}");
    }
    let indexes = read(&server, "GET", "/_api/index?collection=docs", &Value::Null).json();
    let present: Vec<&str> =
        indexes["indexes"].as_array().unwrap().iter().map(|index| index["name"].as_str().unwrap()).collect();
    assert_eq!(present, ["primary", "by_n"]);
}
