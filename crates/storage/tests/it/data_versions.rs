//! The versions of collections by which caches know that nothing has changed, where several servers
//! share the store.

use std::sync::Arc;

use catalog::CollectionType;
use kv_tikv::MemoryCluster;
use storage::{DataVersion, LoadOutcome, OverwriteMode, Store, TransactionOptions, WriteOptions};
use velocypack::Slice;

use crate::common::{LOAD_WAIT, create, create_index, present, remove, update, value};
use crate::servers::open;

/// A commit to the collection, with its name in messages.
type NamedCommit<'a> = (&'a str, &'a dyn Fn(&Store));

fn version(store: &Store) -> Option<DataVersion> {
    store.data_versions().of(&present(store, "c"))
}

/// Writes a document of a dump, which keeps its revision.
fn restore(store: &Store, body: &str) {
    let collection = present(store, "c");
    let options =
        WriteOptions { is_restore: true, overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
    let mut transaction = store.begin(&TransactionOptions::single_operation(&collection)).unwrap();
    transaction.insert(&collection, Slice::new(&value(body)), &options).unwrap();
    transaction.commit(storage::Durability::Buffered).unwrap();
}

fn load(store: &Store, body: &str) {
    let options = WriteOptions { is_restore: true, ..WriteOptions::default() };
    let mut load = store.load_documents(&present(store, "c"), &options, LOAD_WAIT).unwrap().unwrap();
    load.add(Slice::new(&value(body))).unwrap();
    assert_eq!(load.finish().unwrap(), LoadOutcome::Loaded);
}

/// Every commit of any server changes the version for all of them, and nothing else does.
#[test]
fn each_commit_changes_the_version() {
    let cluster = MemoryCluster::new();
    let (left, right) = (open(&cluster), open(&cluster));
    create(&left, "c", CollectionType::Document);
    create(&left, "other", CollectionType::Document);
    let commits: [NamedCommit<'_>; 10] = [
        ("an insert", &|store| restore(store, r#"{"_key":"a","n":1}"#)),
        ("an old revision", &|store| restore(store, r#"{"_key":"a","_rev":"_YU0HOEG---","n":2}"#)),
        ("the same revision", &|store| restore(store, r#"{"_key":"a","_rev":"_YU0HOEG---","n":3}"#)),
        ("a revision of the future", &|store| restore(store, r#"{"_key":"a","_rev":"zzzzzzzzzz","n":4}"#)),
        ("an old one again", &|store| restore(store, r#"{"_key":"a","_rev":"_YU0HOEG---","n":5}"#)),
        ("an update", &|store| drop(update(store, &present(store, "c"), "a", r#"{"n":6}"#).unwrap())),
        ("a removal", &|store| drop(remove(store, &present(store, "c"), "a").unwrap())),
        ("the same document", &|store| restore(store, r#"{"_key":"a","_rev":"_YU0HOEG---","n":5}"#)),
        ("a load", &|store| load(store, r#"{"_key":"b","_rev":"-"}"#)),
        ("a truncation", &|store| store.truncate(&present(store, "c")).unwrap()),
    ];
    let mut seen = vec![version(&left)];
    for (name, commit) in commits {
        // One after another, so that both write into the same collection.
        for store in [&left, &right] {
            if name == "a load" {
                store.truncate(&present(store, "c")).unwrap();
                seen.push(version(&left));
            }
            if name == "a removal" {
                restore(store, r#"{"_key":"a","n":0}"#);
            }
            commit(store);
            let now = version(&left);
            assert!(now.is_some() && !seen.contains(&now), "{name}");
            assert_eq!(version(&right), now, "{name}");
            seen.push(now);
        }
    }
    let other = present(&right, "other");
    crate::common::insert(&right, &other, r#"{"n":1}"#).unwrap();
    create_index(&right, &present(&right, "c"), r#"{"type":"persistent","fields":["n"]}"#).unwrap();
    assert_eq!(version(&left).as_ref(), seen.last().unwrap().as_ref());
}

/// A server that takes over the number of another one, and with it the records of its commits,
/// continues them.
#[test]
fn a_new_server_repeats_no_version() {
    let cluster = MemoryCluster::new();
    let reader = open(&cluster);
    create(&reader, "c", CollectionType::Document);
    let mut seen = Vec::new();
    for _ in 0..3 {
        let writer: Arc<Store> = open(&cluster);
        restore(&writer, r#"{"_key":"a","_rev":"_YU0HOEG---"}"#);
        let now = version(&reader);
        assert!(now.is_some() && !seen.contains(&now));
        seen.push(now);
        writer.close().unwrap();
    }
}
