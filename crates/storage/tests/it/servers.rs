//! Several servers on one store: definitions, locks, counts, keys and revisions.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use catalog::{CollectionType, SYSTEM_DATABASE};
use errors::ErrorCode;
use kv_tikv::MemoryCluster;
use storage::{
    Collection, Durability, OverwriteMode, SearchOptions, Store, StoreOptions, TransactionOptions,
    WaitPolicy, WriteKind, WriteOptions,
};
use test_engine::wait_until;
use velocypack::Slice;

use crate::common::{self, create, create_index, create_with, indexed_keys, present, value};

/// A lease that outlives the time that tests let pass.
const LONG: Duration = Duration::from_secs(3600);

/// Indexes of the attribute `n`.
const INDEX: &str = r#"{"type":"persistent","fields":["n"]}"#;
const UNIQUE: &str = r#"{"type":"persistent","fields":["n"],"unique":true}"#;

/// The maximum wait for something that takes some hundredths of a second.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn open(cluster: &MemoryCluster) -> Arc<Store> {
    open_with(cluster, LONG, Duration::from_secs(20))
}

fn open_with(cluster: &MemoryCluster, lease: Duration, collection_wait: Duration) -> Arc<Store> {
    let engine = cluster.open(lease).unwrap();
    let options = StoreOptions {
        collection_wait: WaitPolicy::UpTo(collection_wait),
        sync_definitions: false,
        ..StoreOptions::default()
    };
    Store::open(engine, options).unwrap()
}

fn pair() -> (MemoryCluster, Arc<Store>, Arc<Store>) {
    let cluster = MemoryCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    (cluster, left, right)
}

/// Inserts a document. Repeats what conflicts with the other server. Returns its key and revision.
fn insert(store: &Store, name: &str, json: &str) -> errors::Result<(String, String)> {
    loop {
        let collection = present(store, name);
        let options = TransactionOptions::single_operation(&collection);
        let outcome = store.begin(&options).and_then(|mut transaction| {
            let outcome =
                transaction.insert(&collection, Slice::new(&value(json)), &WriteOptions::default())?;
            transaction.commit(Durability::Buffered)?;
            Ok((outcome.key, outcome.revision.to_string()))
        });
        match outcome {
            Err(error) if error.code() == ErrorCode::Conflict => {}
            outcome => return outcome,
        }
    }
}

fn get(store: &Store, name: &str, key: &str) -> Option<serde_json::Value> {
    let snapshot = store.snapshot().unwrap();
    let collection = snapshot.catalog().database(SYSTEM_DATABASE)?.collection(name).cloned()?;
    let documents = snapshot.get(&collection, &[key]).unwrap();
    documents.get(0).map(|document| common::to_json(document, name))
}

fn count(store: &Store, name: &str) -> u64 {
    let snapshot = store.snapshot().unwrap();
    let collection = snapshot.catalog().database(SYSTEM_DATABASE).unwrap().collection(name).cloned().unwrap();
    snapshot.count(&collection).unwrap()
}

pub(crate) fn find(store: &Store, name: &str) -> Option<Arc<Collection>> {
    store.catalog().database(SYSTEM_DATABASE)?.collection(name).cloned()
}

/// The other server has the definitions of one server once the change has returned.
#[test]
fn changes_of_definitions_are_followed() {
    let (_cluster, left, right) = pair();
    assert!(left.is_new() && !right.is_new());
    create(&left, "a", CollectionType::Document);
    assert!(find(&right, "a").is_some());
    insert(&right, "a", r#"{"_key":"k"}"#).unwrap();
    assert!(get(&left, "a", "k").is_some());
    right.rename_collection(&present(&right, "a"), "b").unwrap();
    assert!(find(&left, "a").is_none() && find(&left, "b").is_some());
    assert_eq!(common::create_with(&left, r#"{"name":"b"}"#).unwrap_err().code(), ErrorCode::DuplicateName);
    create_index(&left, &present(&left, "b"), INDEX).unwrap();
    assert_eq!(present(&right, "b").indexes().len(), 2);
    right.truncate(&present(&right, "b")).unwrap();
    assert_eq!((count(&left, "b"), present(&left, "b").count_now()), (0, 0));
    left.create_database("d").unwrap();
    assert!(right.catalog().database("d").is_some());
    right.drop_database("d").unwrap();
    assert!(left.catalog().database("d").is_none());
    left.drop_collection(&present(&left, "b"), false).unwrap();
    assert!(find(&right, "b").is_none());
    assert_eq!(left.catalog().version(), right.catalog().version());
}

/// An open text index has segments and files that no second index may share.
#[test]
fn indexes_stay_open_when_another_server_changes_their_collection() {
    let (_cluster, left, right) = pair();
    let collection = create(&left, "a", CollectionType::Document);
    create_index(&left, &collection, INDEX).unwrap();
    let inverted = r#"{"type":"inverted","fields":["t"],"parallelism":1}"#;
    create_index(&left, &present(&left, "a"), inverted).unwrap();
    let before = present(&left, "a");
    create_index(&right, &present(&right, "a"), UNIQUE).unwrap();
    let after = present(&left, "a");
    assert_eq!((before.indexes().len(), after.indexes().len()), (3, 4));
    let mut pairs = before.indexes().iter().zip(after.indexes());
    assert!(pairs.all(|(before, after)| Arc::ptr_eq(before, after)));
}

/// Each lookup is a message, so the keys of many documents share one.
#[test]
fn many_documents_are_written_with_few_messages() {
    const DOCUMENTS: usize = 3_000;
    let (_cluster, left, _right) = pair();
    let collection = create(&left, "a", CollectionType::Document);
    let bodies: Vec<Vec<u8>> = (0..DOCUMENTS).map(|n| value(&format!(r#"{{"_key":"{n}"}}"#))).collect();
    let bodies: Vec<Slice<'_>> = bodies.iter().map(|body| Slice::new(body)).collect();
    let messages = || left.engine().statistics().nodes.iter().map(|node| node.replies.count()).sum::<u64>();
    let options = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
    let before = messages();
    let mut transaction = left.begin(&TransactionOptions::single_operation(&collection)).unwrap();
    let outcomes = transaction.insert_many(&collection, &bodies, &options).unwrap();
    assert!(outcomes.iter().all(|outcome| outcome.as_ref().unwrap().kind == WriteKind::Inserted));
    transaction.commit(Durability::Buffered).unwrap();
    let messages = messages() - before;
    assert!(messages < DOCUMENTS as u64 / 10, "{messages} messages");
    assert_eq!(count(&left, "a"), DOCUMENTS as u64);
}

/// Concurrent changes of both servers are all made, one after another.
#[test]
fn changes_of_both_servers_are_serialized() {
    let (_cluster, left, right) = pair();
    std::thread::scope(|scope| {
        for (name, store) in [("l", &left), ("r", &right)] {
            scope.spawn(move || {
                for number in 0..5 {
                    create(store, &format!("{name}{number}"), CollectionType::Document);
                }
            });
        }
        let both = [&left, &right].map(|store| scope.spawn(|| create_with(store, r#"{"name":"both"}"#)));
        let created = both.map(|thread| thread.join().unwrap());
        assert_eq!(created.iter().filter(|created| created.is_ok()).count(), 1);
    });
    let names = |store: &Store| -> BTreeSet<String> {
        let catalog = store.catalog();
        let database = catalog.database(SYSTEM_DATABASE).unwrap();
        database.collections().map(|collection| collection.name().to_owned()).collect()
    };
    assert_eq!(names(&left), names(&right));
    assert_eq!(names(&open(&_cluster)), names(&left));
}

/// An index that is built while both servers write has every document, and a unique one has each
/// value once.
#[test]
fn indexes_are_built_against_running_writers() {
    let (_cluster, left, right) = pair();
    create(&left, "c", CollectionType::Document);
    let is_done = AtomicBool::new(false);
    let written = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for (server, store) in [(0, &left), (1, &right)] {
            let (is_done, written) = (&is_done, &written);
            scope.spawn(move || {
                let mut number = server;
                while !is_done.load(Ordering::Relaxed) {
                    insert(store, "c", &format!(r#"{{"n":{number}}}"#)).unwrap();
                    number += 2;
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        wait_until("20 are written", || written.load(Ordering::Relaxed) >= 20);
        let built = create_index(&right, &present(&right, "c"), UNIQUE);
        let before = written.load(Ordering::Relaxed);
        wait_until("20 more are written", || written.load(Ordering::Relaxed) >= before + 20);
        is_done.store(true, Ordering::Relaxed);
        built.unwrap();
    });
    let documents = written.load(Ordering::Relaxed) as u64;
    for store in [&left, &right] {
        let snapshot = store.snapshot().unwrap();
        let collection =
            snapshot.catalog().database(SYSTEM_DATABASE).unwrap().collection("c").unwrap().clone();
        let own = collection.indexes()[1].clone();
        let entries = indexed_keys(store, &collection, &own).len() as u64;
        assert_eq!((entries, snapshot.count(&collection).unwrap()), (documents, documents));
        assert_eq!(collection.count_now(), documents);
    }
    assert_eq!(insert(&left, "c", r#"{"n":1}"#).unwrap_err().code(), ErrorCode::UniqueConstraintViolated);
}

/// A change waits for the writers of the other server, and gives up after the time for that.
#[test]
fn a_change_waits_for_the_writers_of_others() {
    let cluster = MemoryCluster::new();
    let left = open_with(&cluster, LONG, Duration::from_millis(700));
    let right = open(&cluster);
    let collection = create(&left, "c", CollectionType::Document);
    let own = present(&right, "c");
    let mut writer = right.begin(&TransactionOptions::default()).unwrap();
    writer.insert(&own, Slice::new(&value(r#"{"_key":"k"}"#)), &WriteOptions::default()).unwrap();
    let refused = create_index(&left, &collection, INDEX).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::LockTimeout);
    writer.commit(Durability::Buffered).unwrap();
    // The collection is given back.
    insert(&right, "c", r#"{"_key":"l"}"#).unwrap();
    create_index(&left, &collection, INDEX).unwrap();
    let exclusive = TransactionOptions { exclusive: vec![present(&right, "c")], ..Default::default() };
    let alone = right.begin(&exclusive).unwrap();
    let blocked = TransactionOptions {
        collection_wait: Some(WaitPolicy::UpTo(Duration::from_millis(100))),
        ..TransactionOptions::single_operation(&present(&left, "c"))
    };
    let begun = Instant::now();
    assert_eq!(left.begin(&blocked).err().map(|error| error.code()), Some(ErrorCode::LockTimeout));
    assert!(begun.elapsed() < PATIENCE);
    drop(alone);
    insert(&left, "c", r#"{"_key":"m"}"#).unwrap();
    // One whose caller does not wait.
    let mut pending = left.prepare_transaction(TransactionOptions {
        exclusive: vec![present(&left, "c")],
        ..Default::default()
    });
    wait_until("the collection is locked", || pending.advance().unwrap());
    let mut alone = pending.begin().unwrap();
    alone
        .insert(&present(&left, "c"), Slice::new(&value(r#"{"_key":"n"}"#)), &WriteOptions::default())
        .unwrap();
    alone.commit(Durability::Buffered).unwrap();
    assert_eq!((count(&left, "c"), count(&right, "c")), (4, 4));
}

/// Keys, revisions and ids of both servers are all different, whatever the generator.
#[test]
fn keys_and_revisions_do_not_repeat() {
    let (cluster, left, right) = pair();
    for kind in ["traditional", "padded", "autoincrement", "uuid"] {
        let json = format!(r#"{{"name":"{kind}","keyOptions":{{"type":"{kind}"}}}}"#);
        create_with(&left, &json).unwrap();
        // A client gives a key that is far ahead.
        if kind == "traditional" {
            insert(&right, kind, r#"{"_key":"9000000000"}"#).unwrap();
        }
        let seen = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for store in [&left, &right] {
                let seen = &seen;
                scope.spawn(move || {
                    for _ in 0..40 {
                        let made = insert(store, kind, "{}").unwrap();
                        seen.lock().unwrap().push(made);
                    }
                });
            }
        });
        let seen = seen.into_inner().unwrap();
        assert_eq!(seen.iter().map(|(key, _)| key).collect::<HashSet<_>>().len(), 80, "{kind}");
        assert_eq!(seen.iter().map(|(_, revision)| revision).collect::<HashSet<_>>().len(), 80, "{kind}");
    }
    let third = open(&cluster);
    let ids: HashSet<u64> =
        [&left, &right, &third].iter().flat_map(|store| (0..100).map(|_| store.next_id().unwrap())).collect();
    assert_eq!(ids.len(), 300);
    // Values that count ascend over all servers.
    let values = [&left, &right, &third, &left].map(|store| insert(store, "autoincrement", "{}").unwrap().0);
    let values: Vec<u64> = values.iter().map(|key| key.parse().unwrap()).collect();
    assert!(values.is_sorted_by(|one, next| one < next), "{values:?}");
    // A key that is taken is generated again.
    insert(&left, "autoincrement", &format!(r#"{{"_key":"{}"}}"#, values[3] + 1)).unwrap();
    assert!(insert(&right, "autoincrement", "{}").unwrap().0.parse::<u64>().unwrap() > values[3] + 1);
}

/// The revision of a document ascends, whichever server replaces it.
#[test]
fn revisions_of_a_document_ascend() {
    let (_cluster, left, right) = pair();
    create(&left, "c", CollectionType::Document);
    insert(&left, "c", r#"{"_key":"k"}"#).unwrap();
    let mut last = None;
    for (round, store) in [&left, &right].into_iter().cycle().take(20).enumerate() {
        let collection = present(store, "c");
        let mut transaction = store.begin(&TransactionOptions::single_operation(&collection)).unwrap();
        let body = value(&format!(r#"{{"n":{round}}}"#));
        let outcome =
            transaction.replace(&collection, "k", Slice::new(&body), &WriteOptions::default()).unwrap();
        transaction.commit(Durability::Buffered).unwrap();
        assert!(last.is_none_or(|last| last < outcome.revision));
        assert_eq!(collection.revision_now(), outcome.revision);
        last = Some(outcome.revision);
    }
}

/// A value that makes a key of an index too long for the store is refused for good. The transaction
/// goes on without the document.
#[test]
fn values_that_are_too_long_for_an_index_are_refused() {
    let cluster = MemoryCluster::new();
    let store = open(&cluster);
    let collection = create(&store, "c", CollectionType::Document);
    create_index(&store, &collection, INDEX).unwrap();
    let long = |bytes: usize| format!(r#"{{"_key":"k{bytes}","n":"{}"}}"#, "x".repeat(bytes));
    insert(&store, "c", &long(6_500)).unwrap();
    let error = insert(&store, "c", &long(7_300)).unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), (ErrorCode::DocumentTooLarge, false), "{error}");
    assert!(error.message().contains("limit of 7271 bytes"), "{error}");
    assert_eq!(count(&store, "c"), 1);
    assert_eq!(get(&store, "c", "k7300"), None);
}

/// A server that is cut off stops; what it held is free for others once its lease has ended.
#[test]
fn a_dead_server_holds_nothing() {
    let cluster = MemoryCluster::new();
    let left = open(&cluster);
    let lost = open_with(&cluster, Duration::from_secs(5), Duration::from_secs(5));
    let collection = create(&left, "c", CollectionType::Document);
    insert(&lost, "c", r#"{"_key":"before"}"#).unwrap();
    let exclusive = TransactionOptions { exclusive: vec![present(&lost, "c")], ..Default::default() };
    let mut alone = lost.begin(&exclusive).unwrap();
    let document = value(r#"{"_key":"lost"}"#);
    alone.insert(&present(&lost, "c"), Slice::new(&document), &WriteOptions::default()).unwrap();
    cluster.cut_last();
    cluster.pass(Duration::from_secs(10));
    let (key, _) = insert(&left, "c", "{}").unwrap();
    create_index(&left, &collection, INDEX).unwrap();
    assert!(alone.commit(Durability::Buffered).is_err());
    // A killed server ends nothing.
    std::mem::forget(lost);
    let next = open(&cluster);
    assert_eq!(next.sharing().unwrap().member(), 1);
    assert_eq!((get(&next, "c", "lost"), count(&next, "c")), (None, 2));
    assert!(get(&next, "c", &key).is_some());
    insert(&next, "c", "{}").unwrap();
    assert_eq!((count(&left, "c"), count(&next, "c")), (3, 3));
}

/// Increments and inserts of both servers, in two phases and with failing messages, are all
/// counted.
#[test]
fn counters_of_both_servers_add_up() {
    let (cluster, left, right) = pair();
    create(&left, "c", CollectionType::Document);
    insert(&left, "c", r#"{"_key":"n","n":0}"#).unwrap();
    cluster.split(&1u64.to_be_bytes());
    cluster.split(&1024u64.to_be_bytes());
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for store in [&left, &right] {
            let done = &done;
            scope.spawn(move || {
                for _ in 0..25 {
                    let collection = present(store, "c");
                    let mut transaction =
                        store.begin(&TransactionOptions::single_operation(&collection)).unwrap();
                    let view = transaction.view();
                    let documents = view.get(&collection, &["n"]).unwrap();
                    let n = documents.get(0).unwrap().get("n").unwrap().as_u64().unwrap();
                    let body = value(&format!(r#"{{"n":{}}}"#, n + 1));
                    let options = WriteOptions::default();
                    let outcome = transaction
                        .replace(&collection, "n", Slice::new(&body), &options)
                        .and_then(|_| transaction.insert(&collection, Slice::new(&value("{}")), &options))
                        .and_then(|_| transaction.commit(Durability::Buffered));
                    match outcome {
                        Ok(()) => drop(done.fetch_add(1, Ordering::Relaxed)),
                        Err(error) => assert_eq!(error.code(), ErrorCode::Conflict, "{error}"),
                    }
                }
            });
        }
    });
    let done = done.into_inner() as u64;
    assert!(done > 0);
    for store in [&left, &right, &open(&cluster)] {
        assert_eq!(get(store, "c", "n").unwrap()["n"], done);
        assert_eq!((count(store, "c"), present(store, "c").count_now()), (done + 1, done + 1));
    }
}

const INVERTED: &str = r#"{"type":"inverted","fields":["a"],"commitIntervalMsec":1}"#;

/// Returns the keys of documents whose attribute `a` is a number, as a server's text index has
/// them.
fn found(store: &Store, number: i64) -> BTreeSet<String> {
    let snapshot = store.snapshot().unwrap();
    let database = snapshot.catalog().database(SYSTEM_DATABASE).unwrap();
    let collection = database.collection("c").unwrap();
    let index = collection.indexes().iter().find(|index| index.search_schema().is_some()).unwrap();
    store.index_now(&[Arc::clone(index)], &|| Ok(())).unwrap();
    let field = index.search_schema().unwrap().field(&[search::Step::Attribute("a")]).unwrap();
    let query = search::Query::equal(field, search::Value::Number(number.into()));
    let state = store.snapshot().unwrap().search_state(&[Arc::clone(index)], &|| Ok(())).unwrap();
    let mut hits =
        search::Hits::new(Arc::clone(state.snapshot()), &query, &[], &aql_value::Interrupt::new()).unwrap();
    let mut keys = BTreeSet::new();
    while let Some(hit) = hits.advance().unwrap() {
        assert!(keys.insert(hits.key(hit).to_owned()), "a document is found twice");
    }
    keys
}

/// Opens a store whose segments are in a folder.
fn open_in(cluster: &MemoryCluster, folder: &Path) -> Arc<Store> {
    let options = StoreOptions {
        search: SearchOptions { folder: Some(folder.to_owned()), ..StoreOptions::default().search },
        sync_definitions: false,
        ..StoreOptions::default()
    };
    Store::open(cluster.open(LONG).unwrap(), options).unwrap()
}

/// Returns the names of the folders of segments of all indexes.
fn segments(folder: &Path) -> BTreeSet<String> {
    let names = |path: &Path| -> Vec<_> {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| (entry.path(), entry.file_name().into_string().unwrap())).collect()
    };
    names(folder).iter().flat_map(|(index, _)| names(index)).map(|(_, name)| name).collect()
}

/// A server begins with the segments that another one has built, and indexes only what was written
/// since then.
#[test]
fn a_server_begins_with_the_segments_of_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let cluster = MemoryCluster::new();
    let (left, right) = (open_in(&cluster, &path("left")), open_in(&cluster, &path("right")));
    let collection = create(&left, "c", CollectionType::Document);
    for number in 0..50 {
        insert(&right, "c", &format!(r#"{{"_key":"k{number}","a":1}}"#)).unwrap();
    }
    create_index(&left, &collection, INVERTED).unwrap();
    assert_eq!(found(&left, 1).len(), 50);
    assert_eq!(left.merge_due(&|| Ok(())), []);
    let built = segments(&path("left"));
    assert_eq!(built.len(), 1);
    // The image lacks this, and the third server is not there yet.
    insert(&right, "c", r#"{"_key":"late","a":1}"#).unwrap();
    let present_in_right = present(&right, "c");
    let mut transaction = right.begin(&TransactionOptions::single_operation(&present_in_right)).unwrap();
    for key in ["k1", "k2"] {
        transaction.remove(&present_in_right, key, Slice::NONE, &WriteOptions::default()).unwrap();
    }
    transaction.commit(Durability::Buffered).unwrap();
    for attempt in 0..2 {
        let third = open_in(&cluster, &path("third"));
        let keys = found(&third, 1);
        assert_eq!((keys.len(), keys.contains("late"), keys.contains("k1")), (49, true, false), "{attempt}");
        assert!(segments(&path("third")).is_superset(&built), "{attempt}");
        insert(&left, "c", &format!(r#"{{"_key":"new{attempt}","a":2}}"#)).unwrap();
        assert_eq!(found(&third, 2).len(), attempt + 1);
    }
}

/// Every server finds what any server has written, also one that joins while others write.
#[test]
fn text_indexes_of_all_servers_have_all_documents() {
    let (cluster, left, right) = pair();
    let collection = create(&left, "c", CollectionType::Document);
    insert(&left, "c", r#"{"_key":"first","a":1}"#).unwrap();
    create_index(&left, &collection, INVERTED).unwrap();
    insert(&right, "c", r#"{"_key":"second","a":1}"#).unwrap();
    let two = BTreeSet::from(["first".to_owned(), "second".to_owned()]);
    assert_eq!((found(&left, 1), found(&right, 1)), (two.clone(), two));
    let is_done = AtomicBool::new(false);
    let third = std::thread::scope(|scope| {
        for store in [&left, &right] {
            let is_done = &is_done;
            scope.spawn(move || {
                while !is_done.load(Ordering::Relaxed) {
                    insert(store, "c", r#"{"a":2}"#).unwrap();
                }
            });
        }
        let third = open(&cluster);
        found(&third, 2);
        is_done.store(true, Ordering::Relaxed);
        third
    });
    let written = count(&left, "c") - 2;
    for store in [&left, &right, &third] {
        assert_eq!(found(store, 2).len() as u64, written);
    }
    // Changes and removals of one server are followed by the others.
    let collection = present(&third, "c");
    let mut transaction = third.begin(&TransactionOptions::single_operation(&collection)).unwrap();
    transaction.remove(&collection, "first", Slice::NONE, &WriteOptions::default()).unwrap();
    transaction.commit(Durability::Buffered).unwrap();
    for store in [&left, &right, &third] {
        assert_eq!(found(store, 1), BTreeSet::from(["second".to_owned()]));
    }
    right.truncate(&present(&right, "c")).unwrap();
    insert(&left, "c", r#"{"_key":"new","a":1}"#).unwrap();
    for store in [&left, &right, &third] {
        assert_eq!(found(store, 1), BTreeSet::from(["new".to_owned()]));
    }
}

/// A snapshot of replicas is old, but never older than the definitions that it is read with: an
/// index that is new has all entries.
#[test]
fn snapshots_of_replicas_are_as_new_as_their_definitions() {
    let cluster = MemoryCluster::new();
    let open = || {
        let engine = cluster.open_with_age(LONG, Duration::from_secs(5)).unwrap();
        Store::open(engine, StoreOptions { sync_definitions: false, ..StoreOptions::default() }).unwrap()
    };
    let (left, right) = (open(), open());
    create(&left, "a", CollectionType::Document);
    insert(&left, "a", r#"{"_key":"old","n":1}"#).unwrap();
    // The first snapshot with new definitions is of the present.
    for store in [&left, &right] {
        assert_eq!(store.replica_snapshot().unwrap().count(&present(store, "a")).unwrap(), 1);
    }
    cluster.pass(Duration::from_secs(20));
    // The servers learn the time.
    assert_eq!((count(&left, "a"), count(&right, "a")), (1, 1));
    insert(&right, "a", r#"{"_key":"new","n":2}"#).unwrap();
    for store in [&left, &right] {
        let snapshot = store.replica_snapshot().unwrap();
        let documents = snapshot.get(&present(store, "a"), &["old", "new"]).unwrap();
        assert_eq!((0..2).map(|row| documents.get(row).is_some()).collect::<Vec<_>>(), [true, false]);
        assert_eq!(snapshot.count(&present(store, "a")).unwrap(), 1);
    }
    create_index(&left, &present(&left, "a"), INDEX).unwrap();
    for store in [&left, &right] {
        let snapshot = store.replica_snapshot().unwrap();
        let collection = present(store, "a");
        assert_eq!(snapshot.count(&collection).unwrap(), 2);
        let index = collection.indexes().last().unwrap();
        let all = common::entries(&snapshot, &collection, index, &storage::IndexBounds::all(), false);
        assert_eq!(all.len(), 2);
    }
}
