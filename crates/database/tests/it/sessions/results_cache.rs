//! The results cache: a result is used again until the data that it was read from changes, and no
//! longer.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use database::Format;
use database::query::request::QueryRequest;
use database::query::results_cache::{CacheMode, CacheProperties};
use database::{InstanceOptions, Session};
use serde_json::{Value, json};
use velocypack::Slice;

use crate::common::{body, create, query, session_with, value};

fn cached_session() -> Session {
    let results_cache = CacheProperties { mode: CacheMode::On, ..CacheProperties::default() };
    let session = session_with(InstanceOptions { results_cache, ..InstanceOptions::default() });
    create(&session, r#"{"name": "docs"}"#);
    create(&session, r#"{"name": "other"}"#);
    session
}

/// Returns the rows, and whether they came from the cache.
fn ask(session: &Session, text: &str) -> (Value, bool) {
    let reply = body(&query(session, text).unwrap());
    (reply["result"].clone(), reply["cached"] == json!(true))
}

const READ: &str = "FOR d IN docs SORT d._key RETURN d.n";

#[test]
fn a_kept_result_comes_in_any_format_with_the_statistics_of_its_run() {
    for (first, second) in [(Format::Json, Format::VelocyPack), (Format::VelocyPack, Format::Json)] {
        let session = cached_session();
        let request = QueryRequest::new("FOR d IN docs RETURN d.n");
        query(&session, "FOR n IN 1..3 INSERT {n} INTO docs").unwrap();
        let [mut run, mut kept] =
            [first, second].map(|format| body(&session.query(&request, format).unwrap()));
        assert_eq!((run["cached"].take(), kept["cached"].take()), (json!(false), json!(true)));
        assert_eq!(run["extra"]["stats"]["scannedFull"], 3);
        assert_eq!(run, kept);
    }
}

#[test]
fn a_result_is_used_until_its_collection_is_written() {
    let session = cached_session();
    assert_eq!(ask(&session, READ), (json!([]), false));
    assert_eq!(ask(&session, READ), (json!([]), true));
    query(&session, "INSERT {_key: 'a', n: 1} INTO docs").unwrap();
    assert_eq!(ask(&session, READ), (json!([1]), false));
    query(&session, "INSERT {n: 1} INTO other").unwrap();
    assert_eq!(ask(&session, READ), (json!([1]), true));
    for (change, expected) in [
        ("UPDATE 'a' WITH {n: 2} IN docs", json!([2])),
        ("REPLACE 'a' WITH {n: 3} IN docs", json!([3])),
        ("REMOVE 'a' IN docs", json!([])),
    ] {
        query(&session, change).unwrap();
        assert_eq!(ask(&session, READ), (expected.clone(), false), "{change}");
        assert_eq!(ask(&session, READ), (expected, true), "{change}");
    }
    query(&session, "INSERT {_key: 'a', n: 1} INTO docs").unwrap();
    assert_eq!(ask(&session, READ), (json!([1]), false));
    session.truncate_collection("docs").unwrap();
    assert_eq!(ask(&session, READ), (json!([]), false));
}

#[test]
fn a_name_may_come_to_mean_another_collection() {
    let session = cached_session();
    query(&session, "INSERT {n: 1} INTO docs").unwrap();
    assert_eq!(ask(&session, READ), (json!([1]), false));
    session.rename_collection("docs", "old").unwrap();
    assert_eq!(query(&session, READ).unwrap_err().number(), 1203);
    create(&session, r#"{"name": "docs"}"#);
    assert_eq!(ask(&session, READ), (json!([]), false));
    session.drop_collection("docs", false).unwrap();
    assert_eq!(query(&session, READ).unwrap_err().number(), 1203);
}

#[test]
fn a_search_is_used_until_its_documents_its_index_or_its_view_change() {
    let session = cached_session();
    let view = r#"{"name": "v", "type": "arangosearch", "commitIntervalMsec": 0, "links": {"docs": {"fields": {"n": {}}}}}"#;
    session.create_view(Slice::new(&value(view))).unwrap();
    let index = r#"{"name": "inv", "type": "inverted", "fields": ["n"], "commitIntervalMsec": 0}"#;
    session.create_index("docs", Slice::new(&value(index))).unwrap();
    let alias =
        r#"{"name": "alias", "type": "search-alias", "indexes": [{"collection": "docs", "index": "inv"}]}"#;
    session.create_view(Slice::new(&value(alias))).unwrap();
    let late = "FOR d IN v SEARCH d.n > 0 SORT d.n RETURN d.n";
    let ahead = "FOR d IN v SEARCH d.n > 0 OPTIONS {waitForSync: true} SORT d.n RETURN d.n";
    let others = [
        "FOR d IN alias SEARCH d.n > 0 OPTIONS {waitForSync: true} SORT d.n RETURN d.n",
        "FOR d IN docs OPTIONS {indexHint: 'inv', forceIndexHint: true, waitForSync: true}
           FILTER d.n > 0 SORT d.n RETURN d.n",
    ];
    for text in [late, ahead].into_iter().chain(others) {
        ask(&session, text);
        assert_eq!(ask(&session, text), (json!([]), true), "{text}");
    }
    query(&session, "INSERT {n: 1} INTO docs").unwrap();
    // The index does not know the document yet.
    assert_eq!(ask(&session, late), (json!([]), false));
    assert_eq!(ask(&session, late), (json!([]), true));
    assert_eq!(ask(&session, ahead), (json!([1]), false));
    assert_eq!(ask(&session, ahead), (json!([1]), true));
    // The index has changed, and the documents have not.
    assert_eq!(ask(&session, late), (json!([1]), false));
    assert_eq!(ask(&session, late), (json!([1]), true));
    for text in others {
        assert_eq!(ask(&session, text), (json!([1]), false), "{text}");
        assert_eq!(ask(&session, text), (json!([1]), true), "{text}");
    }
    query(&session, "INSERT {n: 2} INTO other").unwrap();
    assert_eq!(ask(&session, ahead), (json!([1]), true));
    let linked = r#"{"links": {"other": {"fields": {"n": {}}}}}"#;
    session.change_view("v", Slice::new(&value(linked)), true).unwrap();
    assert_eq!(ask(&session, ahead), (json!([1, 2]), false));
    assert_eq!(ask(&session, ahead), (json!([1, 2]), true));
    session.truncate_collection("other").unwrap();
    assert_eq!(ask(&session, ahead), (json!([1]), false));
}

#[test]
fn what_is_not_repeatable_is_not_kept() {
    let session = cached_session();
    for text in [
        "RETURN RAND()",
        "RETURN DATE_NOW()",
        "RETURN DOCUMENT('docs/a')",
        "RETURN 1 / 0",
        "INSERT {} INTO docs RETURN 1",
        "FOR u IN _graphs RETURN u",
    ] {
        assert!(!ask(&session, text).1 && !ask(&session, text).1, "{text}");
    }
    let mut streamed = QueryRequest::new("RETURN 1");
    streamed.options.stream = true;
    for _ in 0..2 {
        assert_eq!(body(&session.query(&streamed, Format::Json).unwrap())["cached"], json!(false));
    }
}

#[test]
fn a_result_is_handed_out_in_any_batches_and_formats() {
    let session = cached_session();
    let mut request = QueryRequest::new("FOR i IN 1..5 RETURN {i}");
    request.count = true;
    let first = body(&session.query(&request, Format::Json).unwrap());
    request.batch_size = 2;
    let reply = session.query(&request, Format::Json).unwrap();
    let again = body(&reply);
    assert_eq!(
        (&again["cached"], &again["count"], &again["hasMore"]),
        (&json!(true), &json!(5), &json!(true))
    );
    let mut rows = again["result"].as_array().unwrap().clone();
    while rows.len() < 5 {
        let next = body(&session.fetch(reply.cursor.unwrap(), None, Format::Json).unwrap());
        assert_eq!(next["cached"], json!(true));
        rows.extend(next["result"].as_array().unwrap().clone());
    }
    assert_eq!(json!(rows), first["result"]);
    request.batch_size = 1_000;
    let packed = session.query(&request, Format::VelocyPack).unwrap();
    let packed: Value = serde_json::from_str(&velocypack::Slice::new(&packed.body).to_json_string()).unwrap();
    assert_eq!(packed["result"], first["result"]);
}

/// One writer counts up. A reader must never see less than the last commit before its query.
#[test]
fn nobody_reads_what_a_commit_has_replaced() {
    let session = cached_session();
    query(&session, "INSERT {_key: 'a', n: 0} INTO docs").unwrap();
    let committed = AtomicU64::new(0);
    let is_done = AtomicBool::new(false);
    let hits: u64 = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut hits = 0;
                    while !is_done.load(Ordering::SeqCst) {
                        let least = committed.load(Ordering::SeqCst);
                        let (rows, is_cached) = ask(&session, READ);
                        assert!(
                            rows[0].as_u64().unwrap() >= least,
                            "{rows} after {least}, cached: {is_cached}"
                        );
                        hits += u64::from(is_cached);
                    }
                    hits
                })
            })
            .collect();
        for n in 1..=500_u64 {
            query(&session, &format!("UPDATE 'a' WITH {{n: {n}}} IN docs")).unwrap();
            committed.store(n, Ordering::SeqCst);
            if n % 10 == 0 {
                // Readers get a chance to ask twice between two writes.
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
        }
        is_done.store(true, Ordering::SeqCst);
        readers.into_iter().map(|reader| reader.join().unwrap()).sum()
    });
    // Without hits the test would show nothing.
    assert!(hits > 0);
}

#[test]
fn memory_is_charged_and_released() {
    let results_cache = CacheProperties { mode: CacheMode::On, ..CacheProperties::default() };
    let result_memory_bytes = 1 << 20;
    let session =
        session_with(InstanceOptions { results_cache, result_memory_bytes, ..InstanceOptions::default() });
    for i in 0..40 {
        let text = format!("FOR i IN 1..1000 RETURN CONCAT({i}, REPEAT('x', 50))");
        assert!(!ask(&session, &text).1);
        assert!(ask(&session, &text).1, "{i}");
    }
    // Half of the memory for results, at about 60 KB per result.
    let kept = session.cached_results().unwrap().len();
    assert!((2..10).contains(&kept), "{kept}");
    assert!(!ask(&session, "FOR i IN 1..100000 RETURN REPEAT('x', 50)").1);
    assert!(!ask(&session, "FOR i IN 1..100000 RETURN REPEAT('x', 50)").1);
}
