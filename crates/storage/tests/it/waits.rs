//! Transactions that wait for others, and whose owner ends.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use catalog::CollectionType;
use errors::ErrorCode;
use kv::Interrupt;
use storage::{
    Collection, Durability, Store, StoreOptions, Transaction, TransactionOptions, WaitPolicy, WriteOptions,
};
use velocypack::Slice;

use crate::common::*;

/// A time that no test takes.
const LONG: WaitPolicy = WaitPolicy::UpTo(Duration::from_secs(600));

fn prepared() -> (Arc<Store>, Arc<Collection>) {
    let store = Store::open(engine(), StoreOptions { collection_wait: LONG, ..options() }).unwrap();
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, r#"{"_key": "x"}"#).unwrap();
    (store, c)
}

/// Changes a document in a transaction whose owner ends while it waits. Returns the error.
fn change_and_end(mut transaction: Transaction, collection: &Collection) -> ErrorCode {
    let interrupt = Interrupt::new();
    transaction.set_interrupt(Some(interrupt.clone()));
    let patch = value(r#"{"n": 1}"#);
    thread::scope(|scope| {
        let change = || {
            transaction
                .update(collection, "x", Slice::new(&patch), &WriteOptions::default())
                .unwrap_err()
                .code()
        };
        let changed = scope.spawn(change);
        interrupt.kill();
        changed.join().unwrap()
    })
}

#[test]
fn a_wait_for_a_collection_that_was_not_declared_ends_with_its_owner() {
    let (store, c) = prepared();
    let options = TransactionOptions { exclusive: vec![Arc::clone(&c)], ..Default::default() };
    let alone = store.begin(&options).unwrap();
    assert_eq!(change_and_end(begin(&store), &c), ErrorCode::QueryKilled);
    alone.commit(Durability::Buffered).unwrap();
}

#[test]
fn a_wait_for_a_document_ends_with_its_owner() {
    let (store, c) = prepared();
    let mut holder = begin(&store);
    let patch = value(r#"{"n": 2}"#);
    holder.update(&c, "x", Slice::new(&patch), &WriteOptions::default()).unwrap();
    let options = TransactionOptions { wait: LONG, ..TransactionOptions::single_operation(&c) };
    assert_eq!(change_and_end(store.begin(&options).unwrap(), &c), ErrorCode::QueryKilled);
    // The owner stays the same after an intermediate commit.
    let mut waiting = store.begin(&options).unwrap();
    let interrupt = Interrupt::new();
    waiting.set_interrupt(Some(interrupt.clone()));
    waiting.commit_intermediate(Durability::Buffered).unwrap();
    interrupt.kill();
    let refused = waiting.update(&c, "x", Slice::new(&patch), &WriteOptions::default()).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::QueryKilled);
}
