//! The change log: every commit once, in order, and nothing else.

mod lost_commits;
mod retention;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use catalog::{CollectionType, SYSTEM_DATABASE};
use serde_json::{Value, json};
use storage::{
    ChangeKind, ChangeLogMode, ChangeLogOptions, ChangeScope, Collection, Commit, Durability, LoadOutcome,
    Store, StoreOptions, TransactionOptions, WriteOptions,
};
use velocypack::Slice;

use crate::common::*;

const BLOCK: storage::BlockLimits = storage::BlockLimits { rows: 3, bytes: 1 << 20 };

fn logging(old_documents: bool) -> StoreOptions {
    let changes = ChangeLogOptions { mode: ChangeLogMode::Always, old_documents, ..Default::default() };
    StoreOptions { changes, ..options() }
}

fn logging_store() -> Arc<Store> {
    Store::open(engine(), logging(false)).unwrap()
}

/// An entry as tests compare it.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    position: u64,
    kind: ChangeKind,
    collection: Option<String>,
    document: Value,
    old: Value,
}

fn scope(store: &Store) -> ChangeScope {
    ChangeScope::Database(store.catalog().database(SYSTEM_DATABASE).unwrap().definition().id)
}

/// Reads all entries behind a position.
fn read(store: &Store, scope: ChangeScope, after: u64) -> (Vec<Entry>, Vec<Commit>) {
    let mut scan = store.scan_changes(scope, after).unwrap();
    let (mut entries, mut commits) = (Vec::new(), Vec::new());
    while let Some(block) = scan.next_block(BLOCK).unwrap() {
        block
            .for_each(after, |commit, changes| {
                commits.push(*commit);
                for change in changes {
                    let name = change.collection.map(|collection| collection.name);
                    let json = |slice: Slice<'_>| match slice.is_none() {
                        true => Value::Null,
                        false => to_json(slice, name.unwrap_or_default()),
                    };
                    entries.push(Entry {
                        position: change.position,
                        kind: change.kind,
                        collection: name.map(str::to_owned),
                        document: json(change.document),
                        old: json(change.old.unwrap_or(Slice::NONE)),
                    });
                }
                Ok(())
            })
            .unwrap();
    }
    (entries, commits)
}

fn entries(store: &Store, after: u64) -> Vec<Entry> {
    read(store, scope(store), after).0
}

fn kinds(entries: &[Entry]) -> Vec<ChangeKind> {
    entries.iter().map(|entry| entry.kind).collect()
}

fn now(store: &Store) -> u64 {
    store.resolved_position() - 1
}

#[test]
fn each_operation_is_an_entry_with_the_document() {
    let store = Store::open(engine(), logging(true)).unwrap();
    let c = create(&store, "c", CollectionType::Document);
    let since = now(&store);
    insert(&store, &c, r#"{"_key": "a", "n": 1}"#).unwrap();
    update(&store, &c, "a", r#"{"m": 2}"#).unwrap();
    replace(&store, &c, "a", r#"{"z": 3}"#).unwrap();
    let last = get_now(&store, &c, "a").unwrap();
    remove(&store, &c, "a").unwrap();
    let entries = entries(&store, since);
    use ChangeKind::{Inserted, Removed, Replaced, Updated};
    assert_eq!(kinds(&entries), [Inserted, Updated, Replaced, Removed]);
    assert_eq!(entries[0].document["n"], json!(1));
    assert_eq!(entries[0].document["_id"], json!("c/a"));
    assert_eq!(entries[1].old, entries[0].document);
    assert_eq!(entries[2].document, last);
    assert_eq!(entries[3].document, json!({"_key": "a", "_rev": last["_rev"]}));
    assert_eq!(entries[3].old, last);
}

#[test]
fn previous_versions_are_kept_only_if_asked_for() {
    let store = logging_store();
    let c = create(&store, "c", CollectionType::Document);
    let since = now(&store);
    insert(&store, &c, r#"{"_key": "a"}"#).unwrap();
    remove(&store, &c, "a").unwrap();
    assert!(entries(&store, since).iter().all(|entry| entry.old.is_null()));
}

#[test]
fn operations_that_fail_or_are_rolled_back_leave_no_entry() {
    let store = logging_store();
    let c = create(&store, "c", CollectionType::Document);
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["n"], "unique": true}"#).unwrap();
    let c = present(&store, "c");
    let since = now(&store);
    let mut transaction = begin(&store);
    let options = WriteOptions::default();
    let insert = |transaction: &mut storage::Transaction, body: &str| {
        transaction.insert(&c, Slice::new(&value(body)), &options).map(|_| ())
    };
    insert(&mut transaction, r#"{"_key": "a", "n": 1}"#).unwrap();
    insert(&mut transaction, r#"{"_key": "b", "n": 1}"#).unwrap_err();
    let savepoint = transaction.savepoint();
    insert(&mut transaction, r#"{"_key": "c", "n": 2}"#).unwrap();
    transaction.rollback_to(&savepoint);
    insert(&mut transaction, r#"{"_key": "d", "n": 3}"#).unwrap();
    assert_eq!(entries(&store, since), [], "nothing before the commit");
    transaction.commit(Durability::Buffered).unwrap();
    begin(&store).rollback();
    let entries = entries(&store, since);
    let keys: Vec<_> = entries.iter().map(|entry| entry.document["_key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["a", "d"]);
}

#[test]
fn a_transaction_takes_positions_for_its_begin_and_its_end() {
    let store = logging_store();
    let c = create(&store, "c", CollectionType::Document);
    let since = now(&store);
    write(&store, |transaction| {
        for n in 0..3 {
            transaction.insert(
                &c,
                Slice::new(&value(&format!("{{\"n\": {n}}}"))),
                &WriteOptions::default(),
            )?;
        }
        Ok(())
    })
    .unwrap();
    insert(&store, &c, "{}").unwrap();
    let (all, commits) = read(&store, scope(&store), since);
    let positions: Vec<u64> = all.iter().map(|entry| entry.position - since).collect();
    assert_eq!(positions, [2, 3, 4, 6]);
    assert!(commits[0].is_transaction && commits[0].is_last_part && !commits[1].is_transaction);
    assert_eq!([commits[0].first - since, commits[0].end - since], [1, 6]);
    // A reader may resume within the transaction, and behind its end.
    assert_eq!(entries(&store, since + 3).len(), 2);
    assert_eq!(entries(&store, since + 4).len(), 1);
    assert_eq!(read(&store, scope(&store), since + 4).1.len(), 2, "the end of the transaction is left");
    assert_eq!(read(&store, scope(&store), since + 5).1.len(), 1);
    assert_eq!(entries(&store, since + 6), []);
}

#[test]
fn a_large_transaction_has_several_parts() {
    let store = logging_store();
    let c = create(&store, "c", CollectionType::Document);
    let since = now(&store);
    let text = "x".repeat(100_000);
    write(&store, |transaction| {
        for n in 0..20 {
            let body = value(&format!(r#"{{"n": {n}, "text": "{text}"}}"#));
            transaction.insert(&c, Slice::new(&body), &WriteOptions::default())?;
        }
        Ok(())
    })
    .unwrap();
    let (all, commits) = read(&store, scope(&store), since);
    assert!(commits.len() > 3, "{} parts", commits.len());
    assert_eq!(commits.iter().filter(|commit| commit.is_first_part).count(), 1);
    assert_eq!(commits.iter().filter(|commit| commit.is_last_part).count(), 1);
    let numbers: Vec<u64> = all.iter().map(|entry| entry.document["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..20).collect::<Vec<_>>());
    for after in [since + 1, since + 7, since + 20, since + 21] {
        let rest = entries(&store, after);
        assert!(rest.iter().all(|entry| entry.position > after));
        let left = all.iter().filter(|entry| entry.position > after).count();
        assert_eq!(rest.len(), left);
    }
}

#[test]
fn loads_truncations_and_definitions_are_entries() {
    let folder = tempfile::tempdir().unwrap();
    for engine in [engine(), engine_in(&folder.path().join("engine"))] {
        let store = Store::open(engine, logging(false)).unwrap();
        let since = now(&store);
        let c = create(&store, "c", CollectionType::Document);
        let restore = WriteOptions { is_restore: true, ..WriteOptions::default() };
        let mut load = store.load_documents(&c, &restore, LOAD_WAIT).unwrap().unwrap();
        for n in 0..5000 {
            load.add(Slice::new(&value(&format!(r#"{{"_key": "{n:06}"}}"#)))).unwrap();
        }
        assert_eq!(load.finish().unwrap(), LoadOutcome::Loaded);
        let (index, _) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["n"]}"#).unwrap();
        let c = present(&store, "c");
        store.drop_index(&c, index.id()).unwrap();
        store.truncate(&present(&store, "c")).unwrap();
        let renamed = store.rename_collection(&present(&store, "c"), "d").unwrap();
        store.drop_collection(&renamed, false).unwrap();
        let entries = entries(&store, since);
        let loaded = entries.iter().filter(|entry| entry.kind == ChangeKind::Inserted).count();
        assert_eq!(loaded, 5000);
        let definitions: Vec<(ChangeKind, &str)> = entries
            .iter()
            .filter(|entry| entry.kind != ChangeKind::Inserted)
            .map(|entry| (entry.kind, entry.collection.as_deref().unwrap()))
            .collect();
        use ChangeKind::*;
        assert_eq!(
            definitions,
            [
                (CollectionCreated, "c"),
                (IndexCreated, "c"),
                (IndexDropped, "c"),
                (Truncated, "c"),
                (CollectionRenamed, "c"),
                (CollectionDropped, "d")
            ]
        );
    }
}

#[test]
fn collections_that_hold_positions_of_readers_leave_no_entries() {
    let store = logging_store();
    let c = create(&store, "c", CollectionType::Document);
    let since = now(&store);
    let webhooks = create(&store, "_webhooks", CollectionType::Document);
    insert(&store, &webhooks, r#"{"_key": "a"}"#).unwrap();
    update(&store, &webhooks, "a", r#"{"m": 2}"#).unwrap();
    remove(&store, &webhooks, "a").unwrap();
    let restore = WriteOptions { is_restore: true, ..WriteOptions::default() };
    let mut load = store.load_documents(&webhooks, &restore, LOAD_WAIT).unwrap().unwrap();
    load.add(Slice::new(&value(r#"{"_key": "b"}"#))).unwrap();
    assert_eq!(load.finish().unwrap(), LoadOutcome::Loaded);
    store.truncate(&present(&store, "_webhooks")).unwrap();
    assert_eq!(entries(&store, since), []);
    assert_eq!(now(&store), since, "nothing wakes a reader");
    let webhooks = present(&store, "_webhooks");
    write(&store, |transaction| {
        for collection in [&webhooks, &c] {
            transaction.insert(collection, Slice::new(&value("{}")), &WriteOptions::default())?;
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(kinds(&entries(&store, since)), [ChangeKind::Inserted]);
}

#[test]
fn databases_have_logs_of_their_own() {
    let store = logging_store();
    let since = now(&store);
    let other = store.create_database("other").unwrap();
    let system = entries(&store, since);
    assert_eq!(system, []);
    let (created, _) = read(&store, ChangeScope::Server, since);
    assert_eq!(kinds(&created), [ChangeKind::DatabaseCreated]);
    let (own, _) = read(&store, ChangeScope::Database(other.id), since);
    assert!(own.iter().all(|entry| entry.kind == ChangeKind::CollectionCreated) && !own.is_empty());
    let (all, _) = read(&store, ChangeScope::All, since);
    assert_eq!(all.len(), own.len() + created.len());
    assert!(all.is_sorted_by_key(|entry| entry.position));
    store.drop_database("other").unwrap();
    store.trim_change_log(SystemTime::now(), u64::MAX).unwrap();
    assert_eq!(read(&store, ChangeScope::Database(other.id), since).0, []);
}

#[test]
fn the_log_begins_after_transactions_that_began_before() {
    let store = store();
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, "{}").unwrap();
    assert_eq!(store.change_log(), None);
    let options = WriteOptions::default();
    let mut old = begin(&store);
    old.insert(&c, Slice::new(&value(r#"{"_key": "old"}"#)), &options).unwrap();
    store.begin_change_log(Duration::from_millis(5)).unwrap_err();
    insert(&store, &c, r#"{"_key": "meanwhile"}"#).unwrap();
    old.commit(Durability::Buffered).unwrap();
    let start = store.begin_change_log(Duration::from_secs(60)).unwrap();
    assert_eq!(store.begin_change_log(Duration::ZERO).unwrap(), start);
    insert(&store, &c, r#"{"_key": "new"}"#).unwrap();
    let entries = entries(&store, start.first - 1);
    assert_eq!(
        entries.iter().map(|entry| entry.document["_key"].clone()).collect::<Vec<_>>(),
        [json!("new")]
    );
}

#[test]
fn a_log_that_is_turned_off_is_removed_and_refused() {
    let engine = engine();
    let store = Store::open(Arc::clone(&engine), logging(false)).unwrap();
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, "{}").unwrap();
    let first = store.change_log().unwrap();
    drop(store);
    let changes = ChangeLogOptions { mode: ChangeLogMode::Never, ..Default::default() };
    let store = Store::open(Arc::clone(&engine), StoreOptions { changes, ..options() }).unwrap();
    assert_eq!(store.begin_change_log(Duration::ZERO).unwrap_err().number(), 9);
    assert_eq!(entries(&store, 0), []);
    drop(store);
    let store = Store::open(engine, logging(false)).unwrap();
    assert_ne!(store.change_log().unwrap().id, first.id);
    assert_eq!(entries(&store, 0), []);
}

#[test]
fn a_log_that_comes_from_a_backup_is_another_one() {
    let (engine, folder) = (engine(), tempfile::tempdir().unwrap());
    let identity_file = Some(folder.path().join("CHANGES"));
    let changes = ChangeLogOptions { mode: ChangeLogMode::Always, identity_file, ..Default::default() };
    let open = || {
        let options = StoreOptions { changes: changes.clone(), ..options() };
        Store::open(Arc::clone(&engine), options).unwrap()
    };
    let first = open().change_log().unwrap();
    assert_eq!(open().change_log(), Some(first));
    std::fs::remove_file(folder.path().join("CHANGES")).unwrap();
    assert_ne!(open().change_log().unwrap().id, first.id);
}

#[test]
fn a_start_continues_the_log_and_repeats_no_position() {
    let engine = engine();
    let store = Store::open(Arc::clone(&engine), logging(false)).unwrap();
    let c = create(&store, "c", CollectionType::Document);
    insert(&store, &c, r#"{"_key": "a"}"#).unwrap();
    let (start, before) = (store.change_log(), entries(&store, 0));
    drop(store);
    let store = Store::open(engine, logging(false)).unwrap();
    assert_eq!(store.change_log(), start);
    let c = present(&store, "c");
    insert(&store, &c, r#"{"_key": "b"}"#).unwrap();
    let after = entries(&store, 0);
    assert_eq!(after[..before.len()], before);
    let new = entries(&store, before.last().unwrap().position);
    assert_eq!(new.len(), 1);
    assert_eq!(new[0].document["_key"], json!("b"));
}

/// Applies all entries to a map, as a follower does.
fn replay(store: &Store) -> BTreeMap<String, Value> {
    let mut state = BTreeMap::new();
    for entry in entries(store, 0) {
        let key = entry.document["_key"].as_str().unwrap_or_default().to_owned();
        match entry.kind {
            ChangeKind::Inserted => assert_eq!(state.insert(key, entry.document), None),
            ChangeKind::Updated | ChangeKind::Replaced => {
                assert!(state.insert(key, entry.document).is_some());
            }
            ChangeKind::Removed => {
                let old = state.remove(&key).expect("a removed document was there");
                assert_eq!(old["_rev"], entry.document["_rev"]);
            }
            ChangeKind::Truncated => state.clear(),
            _ => {}
        }
    }
    state
}

fn write_at_random(store: &Store, c: &Collection, seed: u64) {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |n: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % n
    };
    for _ in 0..150 {
        let mut transaction = store.begin(&TransactionOptions::default()).unwrap();
        let options = WriteOptions::default();
        for _ in 0..=next(3) {
            let key = format!("k{}", next(12));
            let body = value(&format!(r#"{{"_key": "{key}", "n": {}}}"#, next(100)));
            // Conflicts, and keys that are there or are not, are part of the test.
            let _ = match next(4) {
                0 => transaction.insert(c, Slice::new(&body), &options).map(|_| ()),
                1 => transaction.update(c, &key, Slice::new(&body), &options).map(|_| ()),
                2 => transaction.replace(c, &key, Slice::new(&body), &options).map(|_| ()),
                _ => transaction.remove(c, &key, Slice::NONE, &options).map(|_| ()),
            };
        }
        if next(5) > 0 {
            let _ = transaction.commit(Durability::Buffered);
        }
    }
}

#[test]
fn a_replay_of_concurrent_writers_gives_the_present_state() {
    let store = logging_store();
    let c = create(&store, "c", CollectionType::Document);
    std::thread::scope(|threads| {
        for seed in 1..=4 {
            let (store, c) = (&store, &c);
            threads.spawn(move || write_at_random(store, c, seed));
        }
        // A reader that resumes meanwhile sees each entry once.
        let store = &store;
        threads.spawn(move || {
            let (mut after, mut seen) = (0, Vec::new());
            for _ in 0..200 {
                let new = entries(store, after);
                after = new.last().map_or(after, |entry| entry.position);
                seen.extend(new);
                std::thread::yield_now();
            }
            let all = entries(store, 0);
            assert_eq!(all[..seen.len()], seen);
        });
    });
    let snapshot = store.snapshot().unwrap();
    let present: BTreeMap<String, Value> = all(&snapshot, &c)
        .into_iter()
        .map(|document| (document["_key"].as_str().unwrap().to_owned(), document))
        .collect();
    assert_eq!(replay(&store), present);
}
