//! Isolation of transactions: snapshots do not move, and no write is lost.

use std::sync::Arc;
use std::thread;

use catalog::CollectionType;
use errors::ErrorCode;
use storage::{Collection, Durability, Store, Transaction, TransactionOptions, WaitPolicy, WriteOptions};
use velocypack::Slice;

use crate::common::*;

fn put(transaction: &mut Transaction, collection: &Collection, body: &str) -> errors::Result<()> {
    transaction.insert(collection, Slice::new(&value(body)), &WriteOptions::default()).map(drop)
}

fn change(
    transaction: &mut Transaction,
    collection: &Collection,
    key: &str,
    patch: &str,
) -> errors::Result<()> {
    transaction.update(collection, key, Slice::new(&value(patch)), &WriteOptions::default()).map(drop)
}

/// Changes a document in a transaction of its own.
fn change_now(store: &Store, collection: &Collection, key: &str, patch: &str) {
    let mut writer = begin(store);
    change(&mut writer, collection, key, patch).unwrap();
    commit(writer);
}

fn commit(transaction: Transaction) {
    transaction.commit(Durability::Buffered).unwrap();
}

fn prepared() -> (Arc<Store>, Arc<Collection>) {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, r#"{"_key": "x", "n": 1}"#).unwrap();
    insert(&store, &c, r#"{"_key": "y", "n": 1}"#).unwrap();
    (store, c)
}

#[test]
fn nothing_uncommitted_is_seen() {
    let (store, c) = prepared();
    let mut writer = begin(&store);
    change(&mut writer, &c, "x", r#"{"n": 2}"#).unwrap();
    put(&mut writer, &c, r#"{"_key": "z"}"#).unwrap();
    let outside = store.snapshot().unwrap();
    assert_eq!(get(&outside, &c, "x").unwrap()["n"], 1);
    assert_eq!(outside.count(&c).unwrap(), 2);
    let own = writer.view();
    assert_eq!((get(&own, &c, "x").unwrap()["n"].as_i64(), own.count(&c).unwrap()), (Some(2), 3));
    writer.rollback();
    assert_eq!(get_now(&store, &c, "z"), None);
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 2);
}

#[test]
fn a_snapshot_does_not_move() {
    let (store, c) = prepared();
    let (index, _) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["n"]}"#).unwrap();
    let c = present(&store, "c");
    let before = store.snapshot().unwrap();
    update(&store, &c, "x", r#"{"n": 2}"#).unwrap();
    remove(&store, &c, "y").unwrap();
    insert(&store, &c, r#"{"_key": "z", "n": 3}"#).unwrap();
    assert_eq!(keys(&before, &c), ["x", "y"]);
    assert_eq!(before.count(&c).unwrap(), 2);
    let found = entries(&before, &c, &index, &storage::IndexBounds::all(), false);
    assert_eq!(found.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["x", "y"]);
    assert_eq!(keys(&store.snapshot().unwrap(), &c), ["x", "z"]);
}

#[test]
fn a_transaction_reads_the_same_twice() {
    let (store, c) = prepared();
    let mut reader = begin(&store);
    assert_eq!(get(&reader.view(), &c, "x").unwrap()["n"], 1);
    update(&store, &c, "x", r#"{"n": 2}"#).unwrap();
    insert(&store, &c, r#"{"_key": "phantom"}"#).unwrap();
    assert_eq!(get(&reader.view(), &c, "x").unwrap()["n"], 1);
    assert_eq!(keys(&reader.view(), &c), ["x", "y"]);
}

#[test]
fn a_view_does_not_see_later_writes_of_its_transaction() {
    let (store, c) = prepared();
    let mut transaction = begin(&store);
    change(&mut transaction, &c, "x", r#"{"n": 2}"#).unwrap();
    let view = transaction.view();
    change(&mut transaction, &c, "x", r#"{"n": 3}"#).unwrap();
    put(&mut transaction, &c, r#"{"_key": "z"}"#).unwrap();
    assert_eq!((get(&view, &c, "x").unwrap()["n"].as_i64(), view.count(&c).unwrap()), (Some(2), 2));
    commit(transaction);
    assert_eq!(get(&view, &c, "x").unwrap()["n"], 2);
}

#[test]
fn the_first_writer_of_a_document_wins() {
    let (store, c) = prepared();
    let mut first = begin(&store);
    let mut second = begin(&store);
    change(&mut first, &c, "x", r#"{"a": 1}"#).unwrap();
    let error = change(&mut second, &c, "x", r#"{"b": 1}"#).unwrap_err();
    assert_eq!((error.code(), error.message()), (ErrorCode::Conflict, "write-write conflict; key: x"));
    assert!(error.is_retryable() && error.status() == 409);
    assert_eq!(error.document().unwrap().key, "x");
    commit(first);
    assert_eq!(change(&mut second, &c, "x", r#"{"b": 1}"#).unwrap_err().code(), ErrorCode::Conflict);
    change(&mut second, &c, "y", r#"{"b": 1}"#).unwrap();
    commit(second);
    let x = get_now(&store, &c, "x").unwrap();
    assert_eq!((x["a"].as_i64(), x.get("b")), (Some(1), None));
    assert_eq!(get_now(&store, &c, "y").unwrap()["b"], 1);
}

#[test]
fn removing_conflicts_with_changing() {
    let (store, c) = prepared();
    let mut transaction = begin(&store);
    remove(&store, &c, "x").unwrap();
    assert_eq!(change(&mut transaction, &c, "x", r#"{"a": 1}"#).unwrap_err().code(), ErrorCode::Conflict);
    let mut transaction = begin(&store);
    update(&store, &c, "y", r#"{"a": 1}"#).unwrap();
    let error = transaction.remove(&c, "y", Slice::NONE, &WriteOptions::default()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Conflict);
}

#[test]
fn two_inserts_of_one_key_do_not_both_succeed() {
    let (store, c) = prepared();
    let mut first = begin(&store);
    let mut second = begin(&store);
    put(&mut first, &c, r#"{"_key": "z", "n": 1}"#).unwrap();
    assert_eq!(put(&mut second, &c, r#"{"_key": "z", "n": 2}"#).unwrap_err().code(), ErrorCode::Conflict);
    let bodies = [value(r#"{"_key": "z", "n": 3}"#)];
    let slices: Vec<Slice<'_>> = bodies.iter().map(|body| Slice::new(body)).collect();
    let many = second.insert_many(&c, &slices, &WriteOptions::default()).unwrap();
    assert_eq!(many[0].as_ref().unwrap_err().code(), ErrorCode::Conflict);
    commit(first);
    commit(second);
    assert_eq!(get_now(&store, &c, "z").unwrap()["n"], 1);
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 3);
}

#[test]
fn unique_values_are_not_taken_by_two_transactions() {
    let (store, c) = prepared();
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["u"], "unique": true, "sparse": true}"#)
        .unwrap();
    let mut first = begin(&store);
    let mut second = begin(&store);
    change(&mut first, &c, "x", r#"{"u": 1}"#).unwrap();
    assert_eq!(change(&mut second, &c, "y", r#"{"u": 1}"#).unwrap_err().code(), ErrorCode::Conflict);
    assert_eq!(put(&mut second, &c, r#"{"u": 1}"#).unwrap_err().code(), ErrorCode::Conflict);
    put(&mut second, &c, r#"{"u": 2}"#).unwrap();
    commit(first);
    commit(second);
    let mut late = begin(&store);
    update(&store, &c, "x", r#"{"u": 5}"#).unwrap();
    // Another transaction released 1 after this one began, so this one must not take it.
    assert!(put(&mut late, &c, r#"{"u": 1}"#).is_err());
    drop(late);
    insert(&store, &c, r#"{"u": 1}"#).unwrap();
}

#[test]
fn write_skew_is_possible_as_snapshot_isolation_says() {
    let (store, c) = prepared();
    let mut first = begin(&store);
    let mut second = begin(&store);
    assert_eq!(get(&first.view(), &c, "y").unwrap()["n"], 1);
    assert_eq!(get(&second.view(), &c, "x").unwrap()["n"], 1);
    change(&mut first, &c, "x", r#"{"n": 0}"#).unwrap();
    change(&mut second, &c, "y", r#"{"n": 0}"#).unwrap();
    commit(first);
    commit(second);
    assert_eq!(get_now(&store, &c, "x").unwrap()["n"], 0);
    assert_eq!(get_now(&store, &c, "y").unwrap()["n"], 0);
}

#[test]
fn an_error_takes_back_its_operation_only() {
    let (store, c) = prepared();
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["a"]}"#).unwrap();
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["u"], "unique": true, "sparse": true}"#)
        .unwrap();
    let mut transaction = begin(&store);
    put(&mut transaction, &c, r#"{"_key": "1", "a": 1, "u": 1}"#).unwrap();
    assert_eq!(put(&mut transaction, &c, r#"{"_key": "2", "a": 2, "u": 1}"#).unwrap_err().number(), 1210);
    assert_eq!(change(&mut transaction, &c, "x", r#"{"a": 3, "u": 1}"#).unwrap_err().number(), 1210);
    put(&mut transaction, &c, r#"{"_key": "2", "a": 2, "u": 2}"#).unwrap();
    assert_eq!(transaction.view().count(&c).unwrap(), 4);
    commit(transaction);
    let c = present(&store, "c");
    assert_eq!(indexed_keys(&store, &c, &c.indexes()[2]), ["1", "2"]);
    assert_eq!(indexed_keys(&store, &c, &c.indexes()[1]), ["x", "y", "1", "2"]);
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 4);
}

#[test]
fn single_operations_wait_for_each_other() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 50;
    let (store, c) = prepared();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, c) = (&store, &c);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let mut transaction = store.begin(&TransactionOptions::single_operation(c)).unwrap();
                    change(&mut transaction, c, "x", &format!(r#"{{"t{thread}": {round}}}"#)).unwrap();
                    commit(transaction);
                }
            });
        }
    });
    let document = get_now(&store, &c, "x").unwrap();
    for thread in 0..THREADS {
        assert_eq!(document[format!("t{thread}")], ROUNDS - 1);
    }
}

#[test]
fn counts_are_exact_under_many_writers() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 100;
    let engine = engine();
    let store = open(&engine);
    let c = create(&store, "c", CollectionType::Document);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, c) = (&store, &c);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    insert(store, c, &format!(r#"{{"_key": "{thread}-{round}"}}"#)).unwrap();
                    if round % 3 == 0 {
                        remove(store, c, &format!("{thread}-{round}")).unwrap();
                    }
                }
            });
        }
    });
    let expected = keys(&store.snapshot().unwrap(), &c).len() as u64;
    assert_eq!(expected, (THREADS * (ROUNDS - ROUNDS.div_ceil(3))) as u64);
    assert_eq!((c.count_now(), store.snapshot().unwrap().count(&c).unwrap()), (expected, expected));
    let reopened = open(&engine);
    assert_eq!(present(&reopened, "c").count_now(), expected);
    assert_eq!(reopened.recalculate_count(&present(&reopened, "c")).unwrap(), expected);
}

#[test]
fn exclusive_writers_are_alone() {
    let (store, c) = prepared();
    let options = TransactionOptions { exclusive: vec![Arc::clone(&c)], ..Default::default() };
    let mut alone = store.begin(&options).unwrap();
    let mut other = begin(&store);
    assert_eq!(put(&mut other, &c, "{}").unwrap_err().code(), ErrorCode::LockTimeout);
    change(&mut alone, &c, "x", r#"{"n": 9}"#).unwrap();
    commit(alone);
    put(&mut other, &c, "{}").unwrap();
    assert_eq!(store.begin(&options).err().unwrap().code(), ErrorCode::LockTimeout);
}

#[test]
fn changes_of_definitions_wait_for_writers() {
    let (store, c) = prepared();
    let mut writer = begin(&store);
    put(&mut writer, &c, "{}").unwrap();
    let index = r#"{"type": "persistent", "fields": ["n"]}"#;
    assert_eq!(create_index(&store, &c, index).unwrap_err().code(), ErrorCode::LockTimeout);
    assert_eq!(store.truncate(&c).unwrap_err().code(), ErrorCode::LockTimeout);
    assert_eq!(store.drop_collection(&c, false).unwrap_err().code(), ErrorCode::LockTimeout);
    commit(writer);
    create_index(&store, &c, index).unwrap();
    store.truncate(&c).unwrap();
}

#[test]
fn a_transaction_that_began_before_an_index_keeps_the_index_right() {
    let (store, c) = prepared();
    let mut old = begin(&store);
    let mut other = begin(&store);
    let (index, _) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["n"]}"#).unwrap();
    change(&mut old, &c, "x", r#"{"n": 7}"#).unwrap();
    put(&mut old, &c, r#"{"_key": "z", "n": 5}"#).unwrap();
    other.remove(&c, "y", Slice::NONE, &WriteOptions::default()).unwrap();
    commit(old);
    commit(other);
    assert_eq!(indexed_keys(&store, &present(&store, "c"), &index), ["z", "x"]);
}

#[test]
fn a_transaction_does_not_write_what_was_truncated_or_dropped() {
    let (store, c) = prepared();
    let mut old = begin(&store);
    let mut older = begin(&store);
    store.truncate(&c).unwrap();
    assert_eq!(get(&old.view(), &c, "x").unwrap()["n"], 1);
    let error = put(&mut old, &c, "{}").unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), (ErrorCode::Conflict, true));
    put(&mut begin(&store), &c, "{}").unwrap();
    store.drop_collection(&c, false).unwrap();
    assert_eq!(put(&mut older, &c, "{}").unwrap_err().code(), ErrorCode::DataSourceNotFound);
    create(&store, "c", CollectionType::Document);
    assert_eq!(put(&mut begin(&store), &c, "{}").unwrap_err().code(), ErrorCode::DataSourceNotFound);
}

#[test]
fn definitions_and_snapshots_are_of_one_moment() {
    let store = store();
    let done = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..60 {
                let c = create(&store, "c", CollectionType::Document);
                insert(&store, &c, &format!(r#"{{"_key": "k", "n": {n}}}"#)).unwrap();
                if n % 2 == 0 {
                    store.truncate(&c).unwrap();
                }
                store.drop_collection(&present(&store, "c"), false).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            let snapshot = store.snapshot().unwrap();
            if let Some(c) = snapshot.catalog().database("_system").unwrap().collection("c") {
                assert_eq!(keys(&snapshot, c).len() as u64, snapshot.count(c).unwrap());
            }
        }
    });
}

#[test]
fn an_intermediate_commit_is_seen_and_the_transaction_continues() {
    let (store, c) = prepared();
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["n"], "unique": false}"#).unwrap();
    let c = present(&store, "c");
    let mut writer = begin(&store);
    let before = writer.view();
    change(&mut writer, &c, "x", r#"{"n": 2}"#).unwrap();
    put(&mut writer, &c, r#"{"_key": "z", "n": 7}"#).unwrap();
    writer.commit_intermediate(Durability::Buffered).unwrap();
    assert_eq!((writer.write_count(), writer.memory_bytes()), (0, 0));
    assert_eq!(get_now(&store, &c, "z").unwrap()["n"], 7);
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 3);
    // The earlier snapshot stays as it was.
    assert_eq!((get(&before, &c, "x").unwrap()["n"].as_i64(), before.count(&c).unwrap()), (Some(1), 2));

    // The transaction may change again what it has committed, and sees its own writes.
    change(&mut writer, &c, "x", r#"{"n": 3}"#).unwrap();
    put(&mut writer, &c, r#"{"_key": "w"}"#).unwrap();
    let own = writer.view();
    assert_eq!((get(&own, &c, "x").unwrap()["n"].as_i64(), own.count(&c).unwrap()), (Some(3), 4));
    writer.rollback();
    assert_eq!(get_now(&store, &c, "x").unwrap()["n"], 2);
    assert_eq!(get_now(&store, &c, "w"), None);
    assert_eq!(store.snapshot().unwrap().count(&c).unwrap(), 3);
}

#[test]
fn after_an_intermediate_commit_conflicts_are_those_with_later_writers() {
    let (store, c) = prepared();
    let mut writer = begin(&store);
    change(&mut writer, &c, "x", r#"{"n": 2}"#).unwrap();
    // Another transaction writes a document that this one has not touched yet, and ends.
    change_now(&store, &c, "y", r#"{"n": 5}"#);
    writer.commit_intermediate(Durability::Buffered).unwrap();
    change(&mut writer, &c, "y", r#"{"m": 6}"#).unwrap();
    let own = writer.view();
    assert_eq!(get(&own, &c, "y").unwrap()["n"], 5, "the transaction sees the current state");
    // Writes that this transaction has not committed belong to it alone.
    let mut other = begin(&store);
    let error = change(&mut other, &c, "y", r#"{"n": 9}"#).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Conflict);
    drop(other);
    // A write by another transaction after the first read is not overwritten unseen.
    change_now(&store, &c, "x", r#"{"n": 8}"#);
    let error = change(&mut writer, &c, "x", r#"{"n": 9}"#).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Conflict);
    commit(writer);
    assert_eq!(get_now(&store, &c, "y").unwrap()["m"], 6);
    assert_eq!(get_now(&store, &c, "x").unwrap()["n"], 8);
}

#[test]
fn an_intermediate_commit_keeps_its_collections() {
    let (store, c) = prepared();
    let options = TransactionOptions { exclusive: vec![Arc::clone(&c)], ..TransactionOptions::default() };
    let mut writer = store.begin(&options).unwrap();
    change(&mut writer, &c, "x", r#"{"n": 2}"#).unwrap();
    writer.commit_intermediate(Durability::Buffered).unwrap();
    let no_wait = TransactionOptions {
        write: vec![Arc::clone(&c)],
        collection_wait: Some(WaitPolicy::NoWait),
        ..TransactionOptions::default()
    };
    assert_eq!(store.begin(&no_wait).err().unwrap().code(), ErrorCode::LockTimeout);
    commit(writer);
    assert!(store.begin(&no_wait).is_ok());
}
