//! Loads of many new documents: all of a load or nothing, with indexes and counts, concurrent with
//! other writers.

use std::sync::Arc;

use catalog::CollectionType;
use errors::Result;
use kv_rocksdb::{RocksEngine, RocksOptions};
use storage::{Collection, Durability, EdgeDirection, LoadOutcome, Store, WriteOptions};
use test_engine::{Death, WrappedEngine};
use velocypack::Slice;

use crate::common::*;

fn restore() -> WriteOptions {
    WriteOptions { is_restore: true, ..WriteOptions::default() }
}

fn load(store: &Store, collection: &Collection, bodies: &[String]) -> Result<LoadOutcome> {
    let mut load = store.load_documents(collection, &restore(), LOAD_WAIT)?.unwrap();
    for body in bodies {
        load.add(Slice::new(&value(body)))?;
    }
    load.finish()
}

fn edges(numbers: std::ops::Range<usize>) -> Vec<String> {
    let edge = |n| format!(r#"{{"_key": "{n:06}", "_from": "v/{}", "_to": "v/{}", "n": {n}}}"#, n % 7, n % 3);
    numbers.map(edge).collect()
}

/// Returns sorted documents, which an engine may load as tables.
fn documents(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|n| format!(r#"{{"_key": "{n:06}", "n": {n}}}"#)).collect()
}

fn edges_at(store: &Store, collection: &Collection, vertex: &str) -> usize {
    let snapshot = store.snapshot().unwrap();
    let mut scan = snapshot.edges(collection, EdgeDirection::Outbound, &[vertex]).unwrap();
    let mut count = 0;
    while let Some(entries) = scan.next_block(LIMITS).unwrap() {
        count += entries.len();
    }
    count
}

fn count(store: &Store, collection: &Collection) -> u64 {
    store.snapshot().unwrap().count(collection).unwrap()
}

#[test]
fn documents_indexes_and_counts_come_together() {
    let folder = tempfile::tempdir().unwrap();
    let other = engine_in(&folder.path().join("engine"));
    for engine in [engine(), other] {
        let store = open(&engine);
        let c = create(&store, "c", CollectionType::Edge);
        create_index(&store, &c, r#"{"type": "persistent", "fields": ["n"]}"#).unwrap();
        let c = present(&store, "c");
        assert_eq!(load(&store, &c, &edges(0..700)).unwrap(), LoadOutcome::Loaded);
        assert_eq!(load(&store, &c, &edges(700..1400)).unwrap(), LoadOutcome::Loaded);
        assert_eq!((count(&store, &c), edges_at(&store, &c, "v/3")), (1400, 200));
        // Loading a batch again changes nothing, and reports that.
        assert_eq!(load(&store, &c, &edges(600..800)).unwrap(), LoadOutcome::KeysTaken);
        // The same holds for a batch that has a key twice.
        let twice = [edges(2000..2001), edges(2000..2001)].concat();
        assert_eq!(load(&store, &c, &twice).unwrap(), LoadOutcome::KeysTaken);
        assert_eq!((count(&store, &c), c.count_now()), (1400, 1400));
        remove(&store, &c, "000003").unwrap();
        assert_eq!((count(&store, &c), edges_at(&store, &c, "v/3")), (1399, 199));
    }
}

/// Batches of a dump by two threads come alternately from two places.
#[test]
fn batches_of_several_places_are_loaded_like_those_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let other = engine_in(&folder.path().join("engine"));
    for engine in [engine(), other] {
        let store = open(&engine);
        let c = create(&store, "c", CollectionType::Document);
        for batch in 0..3 {
            let start = batch * 2500;
            let both = [documents(50_000 + start..52_500 + start), documents(start..start + 2500)].concat();
            assert_eq!(load(&store, &c, &both).unwrap(), LoadOutcome::Loaded);
            // One of the documents exists, so nothing is stored.
            let again = [documents(60_000..62_500), documents(start..start + 1)].concat();
            assert_eq!(load(&store, &c, &again).unwrap(), LoadOutcome::KeysTaken);
        }
        assert_eq!((count(&store, &c), c.count_now()), (15_000, 15_000));
        let snapshot = store.snapshot().unwrap();
        let keys: Vec<String> = (0..7500).chain(50_000..57_500).map(|n| format!("{n:06}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        assert!(snapshot.get(&c, &keys).unwrap().offsets.iter().all(Option::is_some));
    }
}

#[test]
fn keys_and_revisions_of_a_dump_are_kept() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let bodies = [
        r#"{"_key": "a", "_rev": "_cPlZM_e---", "_id": "other/a", "x": 1}"#,
        r#"{"_key": "b", "_rev": "12345"}"#,
    ];
    load(&store, &c, &bodies.map(str::to_owned)).unwrap();
    let snapshot = store.snapshot().unwrap();
    let documents = snapshot.get(&c, &["a", "b"]).unwrap();
    let a = to_json(documents.get(0).unwrap(), "c");
    assert_eq!(a, serde_json::json!({"_key": "a", "_id": "c/a", "_rev": "_cPlZM_e---", "x": 1}));
    // Revisions of old versions cannot be kept, so the document gets a new one.
    assert_ne!(to_json(documents.get(1).unwrap(), "c")["_rev"], "12345");
}

#[test]
fn a_wrong_document_is_refused_and_the_rest_is_loaded() {
    let store = store();
    let c = create(&store, "c", CollectionType::Edge);
    let mut load = store.load_documents(&c, &restore(), LOAD_WAIT).unwrap().unwrap();
    assert_eq!(load.add(Slice::new(&value(r#"{"_key": "x"}"#))).unwrap_err().number(), 1233);
    assert_eq!(load.add(Slice::new(&value("[]"))).unwrap_err().number(), 1227);
    load.add(Slice::new(&value(&edges(0..1)[0]))).unwrap();
    assert_eq!(load.finish().unwrap(), LoadOutcome::Loaded);
    assert_eq!((count(&store, &c), edges_at(&store, &c, "v/0")), (1, 1));
}

#[test]
fn transactions_and_loads_do_not_miss_each_other() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    let mut early = begin(&store);
    let mut writer = begin(&store);
    writer.insert(&c, Slice::new(&value(r#"{"_key": "w"}"#)), &WriteOptions::default()).unwrap();
    assert!(store.load_documents(&c, &restore(), LOAD_WAIT).unwrap().is_none(), "a transaction is writing");
    writer.commit(Durability::Buffered).unwrap();
    load(&store, &c, &[r#"{"_key": "a"}"#.to_owned()]).unwrap();
    // The transaction does not see the document, and would overwrite it.
    let body = value(r#"{"_key": "a"}"#);
    let error = early.insert(&c, Slice::new(&body), &WriteOptions::default()).unwrap_err();
    assert!(error.number() == 1200 && error.is_retryable(), "{error}");
    let error = insert(&store, &c, r#"{"_key": "a"}"#).unwrap_err();
    assert_eq!(error.number(), 1210);
    assert_eq!(count(&store, &c), 2);
}

#[test]
fn a_unique_index_needs_a_transaction() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["n"], "unique": true}"#).unwrap();
    assert!(store.load_documents(&present(&store, "c"), &restore(), LOAD_WAIT).unwrap().is_none());
}

#[test]
fn threads_load_one_collection_and_each_key_once() {
    let store = store();
    let c = create(&store, "c", CollectionType::Edge);
    let loaded: usize = std::thread::scope(|scope| {
        let batches = (0..8).map(|n| {
            let (store, c) = (&store, &c);
            // Each batch is sent twice.
            scope.spawn(move || load(store, c, &edges(n / 2 * 100..(n / 2 + 1) * 100)).unwrap())
        });
        let batches: Vec<_> = batches.collect();
        let outcomes = batches.into_iter().map(|thread| thread.join().unwrap());
        outcomes.filter(|outcome| *outcome == LoadOutcome::Loaded).count()
    });
    assert_eq!((loaded, count(&store, &c), edges_at(&store, &c, "v/0")), (4, 400, 58));
}

/// Loads ten documents or edges at a time with an engine that dies, and checks the state
/// afterwards.
fn load_until_death(kind: CollectionType, loads: usize, changes: i64, death: Death) {
    let bodies = |numbers| if kind == CollectionType::Edge { edges(numbers) } else { documents(numbers) };
    let engine = engine();
    let c = create(&open(&engine), "c", kind);
    let dying = Arc::new(WrappedEngine::new(Arc::clone(&engine)).dying_after(changes, death));
    let acknowledged =
        Store::open(Arc::clone(&dying) as Arc<dyn kv::Engine>, options()).ok().and_then(|store| {
            let c = Arc::clone(store.catalog().database("_system")?.collection(c.name())?);
            (0..loads).take_while(|n| load(&store, &c, &bodies(n * 10..(n + 1) * 10)).is_ok()).last()
        });
    assert!(dying.is_dead() || acknowledged == Some(loads - 1));
    let store = open(&engine);
    let c = present(&store, "c");
    let found = count(&store, &c);
    let expected = acknowledged.map_or(0, |last| (last as u64 + 1) * 10);
    assert!(found == expected || found == expected + 10, "{found} of {expected}");
    assert_eq!(keys(&store.snapshot().unwrap(), &c).len() as u64, found);
    if kind == CollectionType::Edge {
        let entries: usize = (0..7).map(|n| edges_at(&store, &c, &format!("v/{n}"))).sum();
        assert_eq!(entries as u64, found);
    }
}

#[test]
fn a_crash_leaves_all_of_a_load_or_nothing() {
    for (changes, death) in (0..6).flat_map(|n| [(n, Death::Before), (n, Death::After)]) {
        load_until_death(CollectionType::Edge, 4, changes, death);
    }
}

/// Loads of sorted documents have counters of their own. After several loads these are summed up,
/// which is another change.
#[test]
fn a_crash_while_counts_are_summed_up_loses_none() {
    for (changes, death) in (10..45).flat_map(|n| [(n, Death::Before), (n, Death::After)]) {
        load_until_death(CollectionType::Document, 40, changes, death);
    }
}

/// The next values of a count follow from the values that are known to be stored.
#[test]
fn counts_are_right_after_a_load_or_a_sum_that_nobody_knows() {
    for (changes, took_place) in (2..65).flat_map(|n| [(n, true), (n, false)]) {
        let engine = engine();
        create(&open(&engine), "c", CollectionType::Document);
        let unclear = Arc::new(
            WrappedEngine::new(Arc::clone(&engine)).dying_after(changes, Death::Unclear(took_place)),
        );
        let store = open(&(unclear as Arc<dyn kv::Engine>));
        let c = present(&store, "c");
        let mut expected = 0;
        for n in 0..60 {
            let bodies = documents(n * 10..(n + 1) * 10);
            // A single document is counted in the slot that takes the sum of the loads.
            let (added, is_known) = match n % 3 {
                2 => (1, insert(&store, &c, &bodies[0]).is_ok()),
                _ => (10, load(&store, &c, &bodies).is_ok()),
            };
            expected += if is_known || took_place { added } else { 0 };
            assert_eq!(count(&store, &c), expected, "{changes} {took_place} {n}");
        }
        assert_eq!(count(&open(&engine), &c), expected, "{changes} {took_place}");
    }
}

/// Tables that had to lie above others would pile up during further loads, which would then go
/// through the log.
#[test]
fn many_loads_leave_the_engine_nothing_to_merge() {
    let folder = tempfile::tempdir().unwrap();
    let engine = RocksEngine::open(folder.path().join("engine"), &RocksOptions::default()).unwrap();
    let engine = engine as Arc<dyn kv::Engine>;
    let store = open(&engine);
    let c = create(&store, "c", CollectionType::Document);
    let memtable_bytes = || engine.statistics().memtable_bytes;
    let before = memtable_bytes();
    for n in 0..20 {
        assert_eq!(load(&store, &c, &documents(n * 2000..(n + 1) * 2000)).unwrap(), LoadOutcome::Loaded);
    }
    assert!(memtable_bytes() < before + (200 << 10), "{before} bytes became {}", memtable_bytes());
    assert_eq!(count(&store, &c), 40_000);
}
