//! Exports: every document once, as of one moment, and resumed after any key.

use database::Format;
use database::Session;
use database::export::{ExportRequest, Restriction};
use database::import::{ImportBody, ImportForm, ImportRequest};
use database::query::request::QueryRequest;
use serde_json::Value;
use storage::{Durability, OverwriteMode};
use velocypack::Slice;

use crate::common::{body, create, query, session, value};

/// More documents than one block of the storage layer holds.
const DOCUMENTS: usize = 3_500;

fn filled() -> Session {
    let session = session();
    create(&session, r#"{"name": "docs"}"#);
    let lines: String =
        (0..DOCUMENTS).map(|n| format!("{{\"_key\":\"{n:05}\",\"n\":{n},\"a\":1}}\n")).collect();
    let request = ImportRequest {
        form: ImportForm::Lines,
        on_duplicate: OverwriteMode::Conflict,
        complete: true,
        details: false,
        overwrite: false,
        ignore_missing: false,
        from_prefix: String::new(),
        to_prefix: String::new(),
        overwrite_prefix: false,
        skip_validation: false,
        durability: Durability::Buffered,
    };
    session.import("docs", ImportBody::Json(lines.as_bytes()), &request).unwrap();
    session
}

/// Returns all rows of an export in batches, and the number of batches.
fn all(session: &Session, request: ExportRequest, mut between: impl FnMut()) -> (Vec<Value>, usize) {
    let mut reply = session.export("docs", request, Format::Json).unwrap();
    let (mut rows, mut batches) = (Vec::new(), 0);
    loop {
        let batch = body(&reply);
        rows.extend(batch["result"].as_array().unwrap().iter().cloned());
        batches += 1;
        assert_eq!(batch["hasMore"].as_bool(), Some(reply.cursor.is_some()));
        let Some(cursor) = reply.cursor else { return (rows, batches) };
        between();
        // Every other batch is computed before it is requested.
        if let Some(read_ahead) = reply.read_ahead.take().filter(|_| batches % 2 == 0) {
            read_ahead.run();
        }
        reply = session.fetch(cursor, None, Format::Json).unwrap();
    }
}

fn lines(session: &Session, request: ExportRequest) -> Vec<Value> {
    let mut export = session.export_lines("docs", request).unwrap();
    let mut out = Vec::new();
    while export.next_lines(1_000, &mut out).unwrap() {
        export.release();
    }
    assert!(out.is_empty() || out.ends_with(b"\n"));
    String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_document_comes_once_in_any_batch_size() {
    let session = filled();
    let keys = |rows: &[Value]| -> Vec<u64> { rows.iter().map(|row| row["n"].as_u64().unwrap()).collect() };
    let expected: Vec<u64> = (0..DOCUMENTS as u64).collect();
    for batch_size in [1, 7, 999, 1_000, 1_001, DOCUMENTS - 1, DOCUMENTS, usize::MAX] {
        let (rows, batches) = all(&session, ExportRequest { batch_size, ..ExportRequest::default() }, || {});
        assert_eq!(keys(&rows), expected, "{batch_size}");
        assert_eq!(batches, DOCUMENTS.div_ceil(batch_size), "{batch_size}");
    }
    assert_eq!(keys(&lines(&session, ExportRequest::default())), expected);
}

#[test]
fn an_export_is_of_the_moment_at_which_it_began() {
    let session = filled();
    let mut round = 0;
    let request = ExportRequest { batch_size: 1_000, count: true, ..ExportRequest::default() };
    let (rows, _) = all(&session, request, || {
        round += 1;
        query(&session, &format!("INSERT {{_key: 'z{round}'}} INTO docs")).unwrap();
        query(&session, "FOR d IN docs FILTER d.n >= 3000 REMOVE d IN docs").unwrap();
        query(&session, "FOR d IN docs UPDATE d WITH {n: -1} IN docs").unwrap();
    });
    assert!(round > 2);
    assert_eq!(rows.len(), DOCUMENTS);
    assert!(rows.iter().enumerate().all(|(n, row)| row["n"] == n));
}

#[test]
fn a_batch_that_is_read_ahead_is_waited_for() {
    let session = filled();
    let request = ExportRequest { batch_size: 100, ..ExportRequest::default() };
    let mut reply = session.export("docs", request, Format::Json).unwrap();
    let (mut rows, mut read_ahead) = (0, 0);
    while let Some(cursor) = reply.cursor {
        rows += body(&reply)["result"].as_array().unwrap().len();
        reply = match reply.read_ahead.take() {
            None => session.fetch(cursor, None, Format::Json).unwrap(),
            Some(batch) => std::thread::scope(|scope| {
                read_ahead += 1;
                scope.spawn(|| batch.run());
                session.fetch(cursor, None, Format::Json).unwrap()
            }),
        };
    }
    rows += body(&reply)["result"].as_array().unwrap().len();
    assert_eq!((rows, read_ahead), (DOCUMENTS, DOCUMENTS / 100 - 2));
}

#[test]
fn what_changes_data_is_not_read_ahead() {
    let session = filled();
    let query = r#"{"query": "FOR d IN docs UPDATE d WITH {b: 1} IN docs RETURN 1", "batchSize": 100, "options": {"stream": true}}"#;
    let request = QueryRequest::from_body(Slice::new(&value(query))).unwrap();
    let mut reply = session.query(&request, Format::Json).unwrap();
    while let Some(cursor) = reply.cursor {
        reply = session.fetch(cursor, None, Format::Json).unwrap();
        assert!(reply.read_ahead.is_none());
    }
}

#[test]
fn a_limit_ends_both_forms() {
    let session = filled();
    for limit in [1, 999, 1_000, 1_001, DOCUMENTS as u64, u64::MAX] {
        let request = ExportRequest { limit: Some(limit), ..ExportRequest::default() };
        let expected = usize::try_from(limit).unwrap().min(DOCUMENTS);
        assert_eq!(all(&session, request.clone(), || {}).0.len(), expected);
        assert_eq!(lines(&session, request).len(), expected);
    }
    let request = ExportRequest { limit: Some(10), count: true, ..ExportRequest::default() };
    assert_eq!(body(&session.export("docs", request, Format::Json).unwrap())["count"], 10);
}

#[test]
fn it_continues_after_any_key() {
    let session = filled();
    let from = |key: &str| ExportRequest { from: Some(key.to_owned()), ..ExportRequest::default() };
    for position in [0, 1, 999, 1_000, 1_001, DOCUMENTS - 2] {
        let rows = lines(&session, from(&format!("{position:05}")));
        assert_eq!(rows.len(), DOCUMENTS - 1 - position);
        assert_eq!(rows[0]["n"], position + 1);
    }
    assert!(lines(&session, from(&format!("{:05}", DOCUMENTS - 1))).is_empty());
    // Keys that no document has: before all, between two, and after all.
    assert_eq!(lines(&session, from("!")).len(), DOCUMENTS);
    assert_eq!(lines(&session, from("00010.5"))[0]["n"], 11);
    assert!(lines(&session, from("z")).is_empty());
    assert_eq!(all(&session, from("03000"), || {}).0.len(), DOCUMENTS - 3_001);
}

#[test]
fn attributes_are_chosen_by_name() {
    let session = filled();
    let restricted = |restrict| {
        let request = ExportRequest { restrict, limit: Some(1), ..ExportRequest::default() };
        lines(&session, request)[0].to_string()
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(restricted(Restriction::Include(names(&["_id", "n"]))), r#"{"_id":"docs/00000","n":0}"#);
    assert_eq!(restricted(Restriction::Include(names(&["nothing"]))), "{}");
    assert_eq!(restricted(Restriction::Exclude(names(&["_id", "_rev", "a"]))), r#"{"_key":"00000","n":0}"#);
}

#[test]
fn requests_are_checked() {
    let number = |json: &str| ExportRequest::from_body(Slice::new(&value(json))).unwrap_err().number();
    for json in [
        "[]",
        "5",
        r#"{"batchSize": 0}"#,
        r#"{"batchSize": "1"}"#,
        r#"{"count": 1}"#,
        r#"{"flush": 1}"#,
        r#"{"ttl": "1"}"#,
        r#"{"limit": true}"#,
        r#"{"restrict": []}"#,
        r#"{"restrict": {"type": "include"}}"#,
        r#"{"restrict": {"fields": ["a"]}}"#,
        r#"{"restrict": {"type": "some", "fields": ["a"]}}"#,
        r#"{"restrict": {"type": "include", "fields": [1]}}"#,
    ] {
        assert_eq!(number(json), 17, "{json}");
    }
    assert_eq!(number(r#"{"limit": -1}"#), 10);
    for json in ["null", "{}", r#"{"limit": null, "restrict": null, "unknown": 1}"#, r#"{"limit": 0}"#] {
        assert_eq!(ExportRequest::from_body(Slice::new(&value(json))).unwrap().limit, None, "{json}");
    }
}
