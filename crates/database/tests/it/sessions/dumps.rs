//! Dumps: any number of requests fetch every document once, as of one moment; and restores of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use database::Session;
use database::dump::{ChunkRequest, DumpBatch, DumpRequest, Form};
use database::restore::RestoreBody;
use serde_json::Value;
use velocypack::Slice;

use crate::common::{count, create, query, session, value};

/// Enough documents to divide a collection.
const DOCUMENTS: u64 = 25_000;

fn lines(numbers: std::ops::Range<u64>) -> String {
    numbers.map(|n| format!("{{\"_key\":\"{n:06}\",\"_rev\":\"_cPlZM_e---\",\"n\":{n}}}\n")).collect()
}

fn filled(collections: &[&str]) -> Session {
    let session = session();
    for name in collections {
        create(&session, &format!(r#"{{"name": "{name}"}}"#));
        session.restore_data(name, RestoreBody::Lines(lines(0..DOCUMENTS).as_bytes())).unwrap();
    }
    session
}

fn request(collections: &[&str], parallelism: u64) -> DumpRequest {
    DumpRequest {
        collections: collections.iter().map(|name| (*name).to_owned()).collect(),
        batch_bytes: 32 << 10,
        prefetch: 3,
        parallelism,
        velocypack: false,
        packed: false,
        batch: None,
    }
}

/// Makes batches ahead on other threads, which start further threads for the same.
fn read_ahead(session: &Session, id: u64) {
    for job in session.dump_read_ahead(id) {
        let own = session.clone();
        std::thread::spawn(move || job.run(&|| read_ahead(&own, id)));
    }
}

/// Returns the lines of a batch.
fn text(batch: &DumpBatch) -> String {
    let bytes = match batch.is_packed {
        true => gzip_members::unpack(&batch.bytes, 1 << 20).unwrap(),
        false => batch.bytes.to_vec(),
    };
    String::from_utf8(bytes).unwrap()
}

/// Fetches a dump with several threads, and returns the documents of each collection by key.
fn fetch(session: &Session, id: u64, threads: usize) -> BTreeMap<String, Vec<Value>> {
    let next = AtomicU64::new(1);
    let fetch_some = || {
        let (mut found, mut last) = (Vec::new(), None);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let more = || read_ahead(session, id);
            let Some(batch) = session.next_dump_batch(id, number, last, &more).unwrap() else { return found };
            read_ahead(session, id);
            // A client that did not get the reply requests it again.
            let again = session.next_dump_batch(id, number, None, &more).unwrap().unwrap();
            assert_eq!((&again.collection, &again.bytes), (&batch.collection, &batch.bytes));
            found.push((batch.collection.to_string(), text(&batch)));
            last = Some(number);
        }
    };
    let batches: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(fetch_some)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (collection, text) in batches {
        let documents = all.entry(collection).or_default();
        documents.extend(text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    for documents in all.values_mut() {
        documents.sort_by_key(|document| document["_key"].as_str().unwrap().to_owned());
    }
    all
}

fn numbers(documents: &[Value]) -> Vec<u64> {
    documents.iter().map(|document| document["n"].as_u64().unwrap()).collect()
}

#[test]
fn all_dumps_of_a_batch_show_its_moment() {
    let session = filled(&["a", "b"]);
    let batch = session.open_batch(None).unwrap();
    query(&session, "FOR d IN a FILTER d.n < 1000 REMOVE d IN a").unwrap();
    query(&session, "INSERT {_key: 'new', n: -1} INTO b").unwrap();
    let expected: Vec<u64> = (0..DOCUMENTS).collect();
    // The batch is given by number, or is the newest of the user.
    for (batch, threads, packed) in [(Some(batch.id), 1, false), (None, 3, true), (None, 3, false)] {
        let id = session.start_dump(&DumpRequest { batch, packed, ..request(&["a", "b"], 3) }).unwrap();
        let found = fetch(&session, id, threads);
        assert_eq!(found.len(), 2);
        for documents in found.values() {
            assert!(numbers(documents) == expected);
        }
        session.close_dump(id).unwrap();
    }
    session.close_batch(batch.id).unwrap();
    let id = session.start_dump(&request(&["a"], 1)).unwrap();
    assert_eq!(fetch(&session, id, 1)["a"].len() as u64, DOCUMENTS - 1000);
}

#[test]
fn a_batch_that_is_not_kept_is_refused_rather_than_replaced() {
    let session = filled(&["a"]);
    let id = session.start_dump(&request(&["a"], 1)).unwrap();
    for number in 0..20 {
        session.next_dump_batch(id, number, None, &|| {}).unwrap().unwrap();
    }
    // Only the last batches that were not given back can be requested again.
    assert_eq!(session.next_dump_batch(id, 0, None, &|| {}).unwrap_err().number(), 1600);
    assert!(session.next_dump_batch(id, 19, None, &|| {}).unwrap().is_some());
}

#[test]
fn batches_are_made_before_they_are_asked_for() {
    let session = filled(&["a"]);
    let id = session.start_dump(&request(&["a"], 1)).unwrap();
    assert!(session.ready_dump_batch(id, 1, None).unwrap().is_none());
    // A job that found no thread is ordered again.
    drop(session.dump_read_ahead(id));
    session.dump_read_ahead(id).into_iter().for_each(|job| job.run(&|| {}));
    let ready = session.ready_dump_batch(id, 1, None).unwrap().unwrap();
    for again in [session.ready_dump_batch(id, 1, None), session.next_dump_batch(id, 1, None, &|| {})] {
        assert_eq!(again.unwrap().unwrap().bytes, ready.bytes);
    }
    for number in 2..4 {
        assert!(session.ready_dump_batch(id, number, Some(number - 1)).unwrap().is_some());
    }
    assert!(session.ready_dump_batch(id, 4, Some(3)).unwrap().is_none());
    assert!(session.next_dump_batch(id, 4, None, &|| {}).unwrap().is_some());
}

#[test]
fn one_client_gets_a_collection_in_the_order_of_keys() {
    let session = filled(&["a"]);
    for packed in [false, true] {
        let id = session.start_dump(&DumpRequest { packed, ..request(&["a"], 3) }).unwrap();
        let mut last = None;
        let mut keys = Vec::new();
        for number in 0.. {
            read_ahead(&session, id);
            let more = || read_ahead(&session, id);
            let Some(batch) = session.next_dump_batch(id, number, last, &more).unwrap() else { break };
            let document = |line| serde_json::from_str::<Value>(line).unwrap();
            keys.extend(text(&batch).lines().map(|line| document(line)["n"].as_u64().unwrap()));
            last = Some(number);
        }
        assert!(keys == (0..DOCUMENTS).collect::<Vec<_>>(), "{packed}");
    }
}

#[test]
fn chunks_continue_where_they_ended_and_repeat_on_request() {
    let session = filled(&["a"]);
    let batch = session.open_batch(Some(60.0)).unwrap().id;
    let chunk = |from| {
        let collection = "a".to_owned();
        let request = ChunkRequest { batch, collection, from, bytes: 100_000, form: Form::Envelopes };
        session.dump_chunk(&request).unwrap()
    };
    let (mut from, mut text) = (0, Vec::new());
    loop {
        let first = chunk(Some(from));
        let again = chunk(Some(from));
        assert_eq!((first.last_included, &first.bytes), (again.last_included, &again.bytes));
        text.extend(again.bytes);
        from = again.last_included;
        if !again.has_more {
            break;
        }
    }
    let target = filled(&[]);
    create(&target, r#"{"name": "a"}"#);
    target.restore_data("a", RestoreBody::Lines(&text)).unwrap();
    assert_eq!(count(&target, "a"), DOCUMENTS);
}

#[test]
fn velocypack_goes_there_and_back() {
    let session = filled(&["a"]);
    let id = session.start_dump(&DumpRequest { velocypack: true, ..request(&["a"], 1) }).unwrap();
    let target = filled(&[]);
    create(&target, r#"{"name": "a"}"#);
    let mut all = Vec::new();
    for number in 0.. {
        let Some(batch) = session.next_dump_batch(id, number, None, &|| {}).unwrap() else { break };
        all.extend_from_slice(&batch.bytes);
    }
    target.restore_data("a", RestoreBody::VelocyPack(&all)).unwrap();
    assert_eq!(count(&target, "a"), DOCUMENTS);
    let error = target.restore_data("a", RestoreBody::VelocyPack(&all[..all.len() - 1])).unwrap_err();
    assert_eq!(error.number(), 600);
    let error = target.restore_data("a", RestoreBody::VelocyPack(b"\xff\xff")).unwrap_err();
    assert_eq!(error.number(), 600);
}

#[test]
fn batches_that_come_from_many_threads_and_again_are_stored_once() {
    let session = filled(&[]);
    create(&session, r#"{"name": "a"}"#);
    create(&session, r#"{"name": "u"}"#);
    let index = value(r#"{"type": "persistent", "fields": ["n"], "unique": true}"#);
    session.create_index("u", Slice::new(&index)).unwrap();
    for name in ["a", "u"] {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let session = &session;
                scope.spawn(move || {
                    for batch in 0..10 {
                        let start = (batch + thread * 3) % 10 * 500;
                        let lines = lines(start..start + 600);
                        session.restore_data(name, RestoreBody::Lines(lines.as_bytes())).unwrap();
                    }
                });
            }
        });
        assert_eq!(count(&session, name), 5_100, "{name}");
        let wrong = format!("FOR d IN {name} FILTER d.n != TO_NUMBER(d._key) RETURN d");
        assert_eq!(crate::common::rows(&session, &wrong), serde_json::json!([]));
    }
}

#[test]
fn what_a_dropped_database_held_is_gone() {
    let session = filled(&[]);
    session.create_database("shop").unwrap();
    let shop =
        Session::open(std::sync::Arc::clone(session.instance()), "shop", database::Identity::Superuser)
            .unwrap();
    create(&shop, r#"{"name": "a"}"#);
    shop.open_batch(None).unwrap();
    shop.start_dump(&request(&["a"], 1)).unwrap();
    let instance = session.instance();
    assert_eq!((instance.batches().len(), instance.dump_contexts().len()), (1, 1));
    session.drop_database("shop").unwrap();
    assert!(instance.batches().is_empty() && instance.dump_contexts().is_empty());
}
