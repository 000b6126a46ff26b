//! The beginning and the end of a log that several servers write, and changes of definitions.

use std::time::Duration;

use catalog::CollectionType;
use errors::ErrorCode;
use kv_tikv::MemoryCluster;
use storage::{ChangeKind, ChangeLogMode, Durability, TransactionOptions, WriteOptions};
use test_engine::wait_until;
use velocypack::Slice;

use super::{BLOCK, LONG, PATIENCE, insert, key, open, open_as, scope, servers, settled, whole};
use crate::common::{create, present, value};

/// The log begins after the end of every transaction that notes nothing, on whichever server.
#[test]
fn a_log_begins_after_the_transactions_of_all_servers() {
    let cluster = MemoryCluster::new();
    let [left, right] = [open(&cluster, LONG), open(&cluster, LONG)];
    create(&left, "c", CollectionType::Document);
    let collection = present(&right, "c");
    let mut unlogged = right.begin(&TransactionOptions::default()).unwrap();
    let document = value(r#"{"_key":"unlogged"}"#);
    unlogged.insert(&collection, Slice::new(&document), &WriteOptions::default()).unwrap();
    let error = left.begin_change_log(Duration::from_millis(300)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::LockTimeout);
    assert!(left.change_log().is_none() && right.change_log().is_none());
    // Transactions that begin from now on are in the log, if they end after its beginning.
    let mut logged = right.begin(&TransactionOptions::default()).unwrap();
    let document = value(r#"{"_key":"logged"}"#);
    logged.insert(&collection, Slice::new(&document), &WriteOptions::default()).unwrap();
    unlogged.commit(Durability::Buffered).unwrap();
    let start = left.begin_change_log(PATIENCE).unwrap();
    assert_eq!(right.begin_change_log(PATIENCE).unwrap(), start);
    logged.commit(Durability::Buffered).unwrap();
    for store in [&left, &right] {
        assert_eq!(whole(store).iter().map(key).collect::<Vec<_>>(), ["logged"]);
    }
    let (snapshot, below, _) = left.snapshot_with_changes(scope(&left)).unwrap();
    assert!(below >= start.first);
    assert_eq!(snapshot.count(&present(&left, "c")).unwrap(), 2);
}

/// A log that ends is gone for all servers. The next one is another, and has nothing of the first.
#[test]
fn a_log_ends_for_all_servers() {
    let (cluster, [left, right]) = servers::<2>(LONG);
    let first = left.begin_change_log(PATIENCE).unwrap();
    insert(&right, r#"{"_key":"first"}"#).unwrap();
    right.end_change_log().unwrap();
    wait_until("the other server knows of the end", || left.change_log().is_none());
    insert(&left, r#"{"_key":"between"}"#).unwrap();
    let second = left.begin_change_log(PATIENCE).unwrap();
    assert!(second.id != first.id && second.first > first.first);
    insert(&right, r#"{"_key":"second"}"#).unwrap();
    assert_eq!(whole(&left).iter().map(key).collect::<Vec<_>>(), ["second"]);
    // A server without a log of its own writes that of the others, and one that is to have none
    // ends it.
    let third = open_as(&cluster, LONG, ChangeLogMode::Never);
    wait_until("the log has ended", || left.change_log().is_none());
    assert_eq!(third.begin_change_log(PATIENCE).unwrap_err().code(), ErrorCode::NotImplemented);
    let again = left.begin_change_log(PATIENCE).unwrap();
    insert(&third, r#"{"_key":"third"}"#).unwrap();
    assert_eq!(whole(&left).iter().map(key).collect::<Vec<_>>(), ["third"]);
    let always = open_as(&cluster, LONG, ChangeLogMode::Always);
    assert_eq!(always.change_log(), Some(again));
}

/// Definitions are in the log too, from all servers.
#[test]
fn changes_of_definitions_are_in_the_log() {
    let (_cluster, [left, right]) = servers::<2>(LONG);
    create(&right, "d", CollectionType::Document);
    left.drop_collection(&present(&left, "d"), false).unwrap();
    settled(&right);
    let mut kinds = Vec::new();
    let mut scan = right.scan_changes(scope(&right), right.change_log().unwrap().first - 1).unwrap();
    while let Some(block) = scan.next_block(BLOCK).unwrap() {
        block
            .for_each(0, |_, changes| {
                kinds.extend(changes.iter().map(|change| change.kind));
                Ok(())
            })
            .unwrap();
    }
    assert_eq!(kinds, [ChangeKind::CollectionCreated, ChangeKind::CollectionDropped]);
}
