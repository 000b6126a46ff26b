//! Readers that have read commits which a crash of the machine took away.

use std::sync::Arc;

use catalog::CollectionType;
use kv::{BlockLimits, Durability, Engine, KeyRange, ScanSpec};
use storage::Store;

use super::{entries, logging, now};
use crate::common::*;

/// Returns an engine with the present state of another one: what a crash of the machine leaves, if
/// everything after that was not on disk.
fn copy_of(original: &dyn Engine) -> Arc<dyn Engine> {
    let copy = engine();
    let snapshot = original.snapshot().unwrap();
    let everything = KeyRange { start: Vec::new(), end: vec![0xff; 64] };
    let mut scan = snapshot.scan(ScanSpec::forward(everything)).unwrap();
    let mut transaction = copy.begin(Default::default()).unwrap();
    while let Some(block) = scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 }).unwrap() {
        for (key, value) in block.iter() {
            transaction.put(key, value).unwrap();
        }
    }
    transaction.commit(Durability::Synced).unwrap();
    copy
}

fn open(engine: &Arc<dyn Engine>) -> Arc<Store> {
    Store::open(Arc::clone(engine), logging(false)).unwrap()
}

fn write(store: &Store, key: &str) {
    insert(store, &present(store, "c"), &format!(r#"{{"_key": "{key}"}}"#)).unwrap();
}

#[test]
fn a_position_of_lost_commits_is_known_for_good() {
    let first = engine();
    let store = open(&first);
    create(&store, "c", CollectionType::Document);
    write(&store, "kept");
    let kept = now(&store);
    let left = copy_of(first.as_ref());
    write(&store, "lost");
    let lost = now(&store);
    drop(store);

    let store = open(&left);
    let idle = now(&store);
    write(&store, "new");
    for _ in 0..2 {
        assert!(store.has_lost_changes(lost) && !store.has_lost_changes(kept));
        assert!(!store.has_lost_changes(idle) && !store.has_lost_changes(now(&store)));
    }
    assert_eq!(entries(&store, kept).len(), 1);
    drop(store);
    // The log has grown, and later starts know it too.
    let store = open(&left);
    assert!(store.has_lost_changes(lost) && !store.has_lost_changes(kept) && !store.has_lost_changes(idle));
}

#[test]
fn the_only_commit_of_a_run_may_be_lost() {
    let first = engine();
    let store = open(&first);
    create(&store, "c", CollectionType::Document);
    drop(store);
    let store = open(&first);
    let idle = now(&store);
    let left = copy_of(first.as_ref());
    write(&store, "lost");
    let lost = now(&store);
    drop(store);

    let store = open(&left);
    write(&store, "new");
    assert!(now(&store) > lost, "a position was used twice");
    assert!(store.has_lost_changes(lost) && !store.has_lost_changes(idle));
}

#[test]
fn a_start_after_an_orderly_stop_loses_nothing() {
    let engine = engine();
    let store = open(&engine);
    create(&store, "c", CollectionType::Document);
    let mut positions = vec![now(&store)];
    drop(store);
    for run in 0..5 {
        let store = open(&engine);
        positions.push(now(&store));
        if run % 2 == 0 {
            write(&store, &run.to_string());
            positions.push(now(&store));
        }
        assert!(positions.iter().all(|position| !store.has_lost_changes(*position)), "{positions:?}");
    }
}
