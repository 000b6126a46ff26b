//! Named graphs: concurrent operations leave no edge without its vertices, and users stay within
//! their rights.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use catalog::AccessLevel;
use database::{GraphWrite, Identity, InstanceOptions, Session, WriteOperation};
use serde_json::json;
use storage::{Durability, WriteOptions};
use velocypack::Slice;

use crate::common::{create, query, rows, session, session_with, value};

fn graph_session() -> Session {
    let session = session();
    let body = value(
        r#"{"name": "g", "edgeDefinitions": [{"collection": "e", "from": ["v"], "to": ["v"]}],
            "orphanCollections": ["o"]}"#,
    );
    session.create_graph(Slice::new(&body), Durability::Buffered).unwrap();
    session
}

fn write(
    session: &Session,
    collection: &str,
    operation: WriteOperation,
    key: &str,
    body: &str,
) -> Result<(), u32> {
    let body = value(body);
    let write = GraphWrite {
        graph: "g",
        collection,
        operation,
        key,
        body: Slice::new(&body),
        options: &WriteOptions::default(),
        durability: Durability::Buffered,
    };
    let written = if collection == "e" { session.write_edge(&write) } else { session.write_vertex(&write) };
    written.map(drop).map_err(|error| error.number())
}

#[test]
fn a_vertex_that_goes_while_edges_come_leaves_none_behind() {
    const VERTICES: usize = 8;
    let session = graph_session();
    let insert =
        |key: usize| write(&session, "v", WriteOperation::Insert, "", &format!(r#"{{"_key": "{key}"}}"#));
    (0..VERTICES).for_each(|key| insert(key).unwrap());
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let (session, is_done) = (&session, &is_done);
            scope.spawn(move || {
                for i in (seed..).take_while(|_| !is_done.load(Ordering::Relaxed)) {
                    let (from, to) = (i * 5 % VERTICES, i * 3 % VERTICES);
                    let edge = format!(r#"{{"_from": "v/{from}", "_to": "v/{to}"}}"#);
                    let inserted = write(session, "e", WriteOperation::Insert, "", &edge);
                    // The vertex is gone, or too many other transactions use it at this moment.
                    assert!(matches!(inserted, Ok(()) | Err(1202 | 1200)), "{inserted:?}");
                }
            });
        }
        for round in 0..150 {
            let key = round % VERTICES;
            let removed = write(&session, "v", WriteOperation::Remove, &key.to_string(), "{}");
            assert!(matches!(removed, Ok(()) | Err(1200)), "{removed:?}");
            if removed.is_ok() {
                let dangling = "RETURN LENGTH(FOR e IN e FILTER e._from == @v || e._to == @v RETURN 1)";
                let dangling = dangling.replace("@v", &format!("'v/{key}'"));
                assert_eq!(rows(&session, &dangling), json!([0]), "after {round}");
                insert(key).unwrap();
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
    let dangling = "FOR e IN e FILTER DOCUMENT(e._from) == null || DOCUMENT(e._to) == null RETURN e";
    assert_eq!(rows(&session, dangling), json!([]));
}

/// Opens a session of a user who administers the database, but has a lower level on one collection.
fn restricted(session: &Session, collection: &str, level: AccessLevel) -> Session {
    let name = format!("{collection}-{}", level.name());
    let mut user = catalog::UserDefinition::new(&name, String::new());
    user.rights.grant_database("_system", AccessLevel::ReadWrite);
    user.rights.grant_collection("_system", collection, level);
    session.instance().store().create_user(user).unwrap();
    Session::open(Arc::clone(session.instance()), "_system", Identity::User(name.as_str().into())).unwrap()
}

#[test]
fn rights_on_collections_count_through_a_graph() {
    let session = graph_session();
    for key in ["a", "b"] {
        write(&session, "v", WriteOperation::Insert, "", &format!(r#"{{"_key": "{key}"}}"#)).unwrap();
    }
    write(&session, "e", WriteOperation::Insert, "", r#"{"_key": "ab", "_from": "v/a", "_to": "v/b"}"#)
        .unwrap();

    let no_vertices = restricted(&session, "v", AccessLevel::None);
    assert_eq!(no_vertices.read_vertex("g", "v", "a").unwrap_err().number(), 11);
    let edge = r#"{"_from": "v/a", "_to": "v/b"}"#;
    assert_eq!(write(&no_vertices, "e", WriteOperation::Insert, "", edge), Err(11));

    let reads_edges = restricted(&session, "e", AccessLevel::ReadOnly);
    assert!(reads_edges.read_edge("g", "e", "ab").unwrap().1.get(0).is_some());
    assert_eq!(write(&reads_edges, "e", WriteOperation::Remove, "ab", "{}"), Err(1004));
    // The user may remove the vertex, but not its edge.
    assert_eq!(write(&reads_edges, "v", WriteOperation::Remove, "a", "{}"), Err(1004));
    assert_eq!(rows(&session, "RETURN [LENGTH(v), LENGTH(e)]"), json!([[2, 1]]));
    assert_eq!(reads_edges.drop_graph("g", true, Durability::Buffered).unwrap_err().number(), 11);
    assert!(session.graph("g").is_ok());

    let mut reader = catalog::UserDefinition::new("reader", String::new());
    reader.rights.grant_database("_system", AccessLevel::ReadOnly);
    session.instance().store().create_user(reader).unwrap();
    let reader =
        Session::open(Arc::clone(session.instance()), "_system", Identity::User("reader".into())).unwrap();
    assert!(reader.graph("g").is_ok() && reader.read_vertex("g", "v", "a").is_ok());
    assert_eq!(reader.drop_graph("g", false, Durability::Buffered).unwrap_err().number(), 11);
    let body = value(r#"{"name": "h"}"#);
    assert_eq!(reader.create_graph(Slice::new(&body), Durability::Buffered).unwrap_err().number(), 11);
    let changed = reader.add_vertex_collection("g", "w", Durability::Buffered);
    assert_eq!(changed.unwrap_err().number(), 11);
}

#[test]
fn a_plan_is_made_anew_when_its_graph_changes() {
    let session = graph_session();
    let version = session.catalog().version();
    session.add_vertex_collection("g", "w", Durability::Buffered).unwrap();
    assert!(session.catalog().version() > version);
    create(&session, r#"{"name": "docs"}"#);
    let version = session.catalog().version();
    rows(&session, "INSERT {} INTO docs");
    assert_eq!(session.catalog().version(), version);
    rows(&session, "FOR g IN _graphs UPDATE g WITH {note: 1} IN _graphs");
    assert!(session.catalog().version() > version);
}

#[test]
fn collections_of_vertices_must_be_named_if_that_is_asked_for() {
    let options = InstanceOptions { query_requires_with: true, ..InstanceOptions::default() };
    let session = session_with(options);
    for (name, kind) in [("v", 2), ("w", 2), ("e", 3)] {
        create(&session, &json!({"name": name, "type": kind}).to_string());
    }
    rows(&session, "INSERT {_key: 'a'} INTO v");
    rows(&session, "INSERT {_key: 'b'} INTO w");
    rows(&session, "INSERT {_from: 'v/a', _to: 'w/b'} INTO e");
    let error = |text: &str| query(&session, text).err().map(|error| error.number());
    assert_eq!(error("FOR x IN 1..1 OUTBOUND 'v/a' e RETURN x._key"), Some(1521));
    assert_eq!(error("WITH v FOR x IN 1..1 OUTBOUND 'v/a' e RETURN x._key"), Some(1521));
    assert_eq!(rows(&session, "WITH v, w FOR x IN 1..1 OUTBOUND 'v/a' e RETURN x._key"), json!(["b"]));
    assert_eq!(rows(&session, "RETURN DOCUMENT('w/b')._key"), json!(["b"]));
    let graph =
        value(r#"{"name": "g", "edgeDefinitions": [{"collection": "e", "from": ["v"], "to": ["w"]}]}"#);
    session.create_graph(Slice::new(&graph), Durability::Buffered).unwrap();
    assert_eq!(rows(&session, "FOR x IN 1..1 OUTBOUND 'v/a' e RETURN x._key"), json!(["b"]));
    assert_eq!(rows(&session, "FOR x IN 1..1 OUTBOUND 'v/a' GRAPH 'g' RETURN x._key"), json!(["b"]));
}
