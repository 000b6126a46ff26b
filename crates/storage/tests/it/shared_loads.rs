//! Loads of new documents where several servers share the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use catalog::CollectionType;
use errors::{ErrorCode, Result};
use kv_tikv::MemoryCluster;
use storage::{Collection, Durability, LoadOutcome, Store, TransactionOptions, WriteOptions};
use velocypack::Slice;

use crate::common::{LOAD_WAIT, create, create_index, indexed_keys, present, value};
use crate::servers::open;
use crate::servers_model::may_fail;

fn load(store: &Store, collection: &Collection, bodies: &[String]) -> Result<LoadOutcome> {
    let mut load = store.load_documents(collection, &WriteOptions::default(), LOAD_WAIT)?.unwrap();
    for body in bodies {
        load.add(Slice::new(&value(body)))?;
    }
    load.finish()
}

fn documents(numbers: std::ops::Range<u64>) -> Vec<String> {
    numbers.map(|n| format!(r#"{{"_key": "{n:06}", "n": {n}}}"#)).collect()
}

fn pair() -> (MemoryCluster, Arc<Store>, Arc<Store>) {
    let cluster = MemoryCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    create(&left, "c", CollectionType::Document);
    create_index(&left, &present(&left, "c"), r#"{"type": "persistent", "fields": ["n"]}"#).unwrap();
    (cluster, left, right)
}

/// Returns the keys in the index of `n`.
fn indexed(store: &Store) -> Vec<String> {
    let collection = present(store, "c");
    indexed_keys(store, &collection, &collection.indexes()[1])
}

fn count(store: &Store) -> u64 {
    store.snapshot().unwrap().count(&present(store, "c")).unwrap()
}

/// Documents, entries of indexes and counts of a load are there for every server.
#[test]
fn a_load_is_there_for_all_servers() {
    let (cluster, left, right) = pair();
    cluster.split(&1024_u64.to_be_bytes());
    let c = present(&left, "c");
    assert_eq!(load(&left, &c, &documents(0..5_000)).unwrap(), LoadOutcome::Loaded);
    assert_eq!((count(&right), present(&right, "c").count_now()), (5_000, 5_000));
    assert_eq!(indexed(&right).len(), 5_000);
}

/// A key that any server has written makes a load fail as a whole.
#[test]
fn a_load_stores_nothing_if_a_key_is_taken() {
    let (cluster, left, right) = pair();
    // The documents and the entries of the index are in several regions.
    cluster.split(&1024_u64.to_be_bytes());
    let (here, there) = (present(&left, "c"), present(&right, "c"));
    assert_eq!(load(&right, &there, &documents(500..501)).unwrap(), LoadOutcome::Loaded);
    assert_eq!(load(&left, &here, &documents(0..1_000)).unwrap(), LoadOutcome::KeysTaken);
    assert_eq!((count(&left), indexed(&left)), (1, vec!["000500".to_owned()]));
    assert_eq!(load(&left, &here, &documents(501..1_000)).unwrap(), LoadOutcome::Loaded);
    assert_eq!(
        load(&left, &here, &[documents(0..1), documents(0..1)].concat()).unwrap(),
        LoadOutcome::KeysTaken
    );
    assert_eq!((count(&right), here.count_now(), indexed(&right).len()), (500, 500, 500));
}

/// The values of a unique index are claimed as keys are.
#[test]
fn a_load_respects_unique_indexes() {
    let (_cluster, left, right) = pair();
    let unique = r#"{"type": "persistent", "fields": ["u"], "unique": true, "sparse": true}"#;
    create_index(&left, &present(&left, "c"), unique).unwrap();
    let (here, there) = (present(&left, "c"), present(&right, "c"));
    let body = |key: &str, unique: u64| format!(r#"{{"_key": "{key}", "u": {unique}}}"#);
    assert_eq!(load(&left, &here, &[body("a", 1), body("b", 2)]).unwrap(), LoadOutcome::Loaded);
    assert_eq!(load(&right, &there, &[body("c", 3), body("d", 2)]).unwrap(), LoadOutcome::KeysTaken);
    assert_eq!(load(&right, &there, &[body("c", 3), body("d", 3)]).unwrap(), LoadOutcome::KeysTaken);
    assert_eq!(load(&right, &there, &[body("c", 3), body("d", 4)]).unwrap(), LoadOutcome::Loaded);
    assert_eq!(count(&left), 4);
}

/// Loads and transactions of two servers for the same keys: each key has one document, which its
/// count and its index know.
#[test]
fn loads_and_transactions_of_several_servers_take_each_key_once() {
    const KEYS: u64 = 300;
    let (cluster, left, right) = pair();
    cluster.split(&1024_u64.to_be_bytes());
    cluster.fail_at_random(40);
    let (loaded, inserted) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for store in [&left, &right] {
            let (loaded, inserted) = (&loaded, &inserted);
            scope.spawn(move || {
                let collection = present(store, "c");
                for first in (0..KEYS).step_by(10) {
                    match load(store, &collection, &documents(first..first + 10)) {
                        Ok(LoadOutcome::Loaded) => drop(loaded.fetch_add(10, Ordering::Relaxed)),
                        Ok(LoadOutcome::KeysTaken) => {}
                        Err(error) => assert!(may_fail(&error), "{error}"),
                    }
                }
            });
            scope.spawn(move || {
                let collection = present(store, "c");
                // Loads begin at the other end.
                for key in (0..KEYS).rev().step_by(7) {
                    let [body] = documents(key..key + 1).try_into().unwrap();
                    let options = TransactionOptions::single_operation(&collection);
                    let outcome = store.begin(&options).and_then(|mut transaction| {
                        let body = value(&body);
                        transaction.insert(&collection, Slice::new(&body), &WriteOptions::default())?;
                        transaction.commit(Durability::Buffered)
                    });
                    match outcome {
                        Ok(()) => drop(inserted.fetch_add(1, Ordering::Relaxed)),
                        Err(error) => {
                            let is_taken = error.code() == ErrorCode::UniqueConstraintViolated;
                            assert!(is_taken || may_fail(&error), "{error}");
                        }
                    }
                }
            });
        }
    });
    cluster.fail_at_random(0);
    let (loaded, inserted) = (loaded.into_inner(), inserted.into_inner());
    assert!(loaded > 0 && inserted > 0, "{loaded} loaded, {inserted} inserted");
    let keys = indexed(&right);
    assert!(keys.is_sorted_by(|left, right| left < right), "a key is there twice: {keys:?}");
    // A write that failed because a message was lost may be there as well.
    assert!(keys.len() as u64 >= loaded + inserted, "{loaded} loaded, {inserted} inserted, {keys:?}");
    assert_eq!(count(&left), keys.len() as u64);
}
