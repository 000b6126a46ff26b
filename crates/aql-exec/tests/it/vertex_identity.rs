//! `_key` and `_id` of vertices that a traversal reaches.
//!
//! Those of vertices that exist are set, and null for others, whatever earlier queries have found.

use std::sync::Arc;

use errors::{Error, ErrorCode};
use storage::Collection;

use crate::common::{self, Answer, Fixture, Run};

/// Creates `v/0` with edges to two vertices of `v` and one of `w`, each with an edge to `v/end`.
///
/// Two keys are longer than a value has room for.
fn fan() -> Fixture {
    let fixture = Fixture::new();
    fixture.collection("v").collection("w").edge_collection("e");
    fixture.insert("v", r#"[{"_key":"0"},{"_key":"end"},{"_key":"1"},{"_key":"a-key-of-many-characters"}]"#);
    fixture.insert("w", r#"[{"_key":"another-key-of-many-characters"}]"#);
    let others = ["v/1", "v/a-key-of-many-characters", "w/another-key-of-many-characters"];
    for (key, other) in others.iter().enumerate() {
        let there = format!(r#"{{"_key":"a{key}","_from":"v/0","_to":"{other}"}}"#);
        let on = format!(r#"{{"_key":"b{key}","_from":"{other}","_to":"v/end"}}"#);
        fixture.insert("e", &format!("[{there},{on}]"));
    }
    fixture
}

const NEIGHBOURS: &str = "FOR x IN OUTBOUND 'v/0' e OPTIONS {order: 'bfs'} RETURN [x._key, x._id]";

fn run(fixture: &Fixture, query: &str) -> Answer {
    fixture.run(query, &Run::default()).unwrap()
}

fn lookups(fixture: &Fixture, query: &str) -> u64 {
    run(fixture, query).statistics.document_lookups
}

#[test]
fn vertices_found_once_are_not_looked_up_again() {
    let fixture = fan();
    let expected = [
        r#"["1","v/1"]"#,
        r#"["a-key-of-many-characters","v/a-key-of-many-characters"]"#,
        r#"["another-key-of-many-characters","w/another-key-of-many-characters"]"#,
    ];
    for lookups in [3, 0, 0] {
        let answer = run(&fixture, NEIGHBOURS);
        assert_eq!(
            (answer.results.as_slice(), answer.statistics.document_lookups),
            (&expected.map(String::from)[..], lookups)
        );
    }
    assert_eq!(fixture.query(NEIGHBOURS), expected);
    let two = "FOR x IN 1..2 OUTBOUND 'v/0' e OPTIONS {order: 'bfs', uniqueVertices: 'global'} RETURN x._key";
    assert_eq!((lookups(&fixture, two), lookups(&fixture, two)), (1, 0));
    assert_eq!(fixture.query(two).len(), 4);
    // Attributes of documents require documents, and so do whole vertices.
    assert_eq!(lookups(&fixture, "FOR x IN OUTBOUND 'v/0' e RETURN [x._key, x.n]"), 3);
    assert_eq!(lookups(&fixture, "FOR x IN OUTBOUND 'v/0' e RETURN x"), 3);
    assert_eq!(lookups(&fixture, "FOR x IN OUTBOUND 'v/0' e FILTER x.n == null RETURN x._key"), 3);
}

#[test]
fn a_vertex_that_is_not_there_is_null_and_a_warning() {
    let fixture = fan();
    run(&fixture, NEIGHBOURS);
    assert_eq!(lookups(&fixture, NEIGHBOURS), 0);
    run(&fixture, "REMOVE '1' IN v");
    for _ in 0..3 {
        let answer = run(&fixture, NEIGHBOURS);
        assert_eq!(answer.results[0], "[null,null]");
        let warnings: Vec<u32> = answer.warnings.iter().map(|warning| warning.code.number()).collect();
        assert_eq!(warnings, [1202]);
    }
    fixture.query(NEIGHBOURS);
    fixture.insert("v", r#"[{"_key":"1"}]"#);
    assert_eq!((lookups(&fixture, NEIGHBOURS), lookups(&fixture, NEIGHBOURS)), (3, 0));
    assert_eq!(run(&fixture, NEIGHBOURS).results[0], r#"["1","v/1"]"#);
    // Some of a list's vertices do not prove all of them.
    let first = "FOR x IN OUTBOUND 'v/end' e OPTIONS {order: 'bfs'} LIMIT 1 RETURN x._key";
    fixture.insert(
        "e",
        r#"[{"_key":"c0","_from":"v/end","_to":"v/1"},{"_key":"c1","_from":"v/end","_to":"v/none"}]"#,
    );
    let one_row = Run { batch_rows: 1, ..Run::default() };
    for _ in 0..2 {
        assert_eq!(fixture.run(first, &one_row).unwrap().results, [r#""1""#]);
    }
    assert_eq!(fixture.query("FOR x IN OUTBOUND 'v/end' e RETURN x._key"), ["null", r#""1""#]);
}

#[test]
fn many_rows_forget_nothing_and_mix_up_nothing() {
    let fixture = fan();
    let query = "FOR start IN ['v/0', 'v/1', 'v/0', 'w/another-key-of-many-characters', 'v/none']
        RETURN (FOR x IN 1..2 OUTBOUND start e RETURN x._key)";
    let expected = fixture.query(query);
    assert_eq!(fixture.query(query), expected);
    assert_eq!(lookups(&fixture, query), 0);
    run(&fixture, "REMOVE 'end' IN v");
    assert_eq!(
        fixture.query(query),
        expected.iter().map(|row| row.replace(r#""end""#, "null")).collect::<Vec<_>>()
    );
}

/// A collection's number names it, but is not part of its documents' identifiers.
#[test]
fn an_identifier_with_a_number_is_that_of_the_document() {
    let fixture = fan();
    let catalog = fixture.store.catalog();
    let number = catalog.database(catalog::SYSTEM_DATABASE).unwrap().collection("v").unwrap().id().0;
    fixture.insert("e", &format!(r#"[{{"_key":"n","_from":"v/end","_to":"{number}/1"}}]"#));
    for _ in 0..2 {
        let query = "FOR x IN OUTBOUND 'v/end' e RETURN [x._key, x._id]";
        assert_eq!(run(&fixture, query).results, [r#"["1","v/1"]"#]);
    }
}

#[test]
fn whoever_may_not_read_the_vertices_is_refused_after_others_have_read_them() {
    let fixture = fan();
    run(&fixture, NEIGHBOURS);
    assert_eq!(lookups(&fixture, NEIGHBOURS), 0);
    let authorize_read: aql_exec::ReadAuthorization = Arc::new(|name: &str| match name {
        "w" => Err(Error::of(ErrorCode::Forbidden)),
        _ => Ok(()),
    });
    let refused = Run { authorize_read: Some(authorize_read), ..Run::default() };
    assert_eq!(fixture.run(NEIGHBOURS, &refused).unwrap_err().number(), 11);
}

#[test]
fn a_query_sees_what_its_transaction_has_removed() {
    let fixture = fan();
    run(&fixture, NEIGHBOURS);
    assert_eq!(lookups(&fixture, NEIGHBOURS), 0);
    let vertices: Arc<Collection> = {
        let catalog = fixture.store.catalog();
        Arc::clone(catalog.database(catalog::SYSTEM_DATABASE).unwrap().collection("v").unwrap())
    };
    let mut transaction = fixture.store.begin(&storage::TransactionOptions::default()).unwrap();
    let none = velocypack::Slice::NONE;
    transaction.remove(&vertices, "1", none, &storage::WriteOptions::default()).unwrap();
    let plan = Arc::new(fixture.plan(NEIGHBOURS, &Run::default()).unwrap());
    let data = aql_exec::DataAccess::Read(transaction.view());
    let mut execution = common::start(&plan, data, &Run::default()).unwrap();
    let batch = execution.next_batch(10).unwrap().unwrap();
    assert_eq!(batch.iter().map(aql_value::Value::to_json).next().unwrap(), "[null,null]");
}
