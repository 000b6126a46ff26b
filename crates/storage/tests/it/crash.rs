//! A store that dies at any moment of a change recovers by itself when it opens: complete,
//! consistent, and without leftovers.

use std::collections::BTreeSet;
use std::sync::Arc;

use catalog::collection::CollectionProperties;
use catalog::{CollectionType, IndexType, UserDefinition};
use errors::{ErrorCode, Result};
use kv::{BlockLimits, KeyRange, ScanSpec};
use storage::{Collection, EdgeDirection, IndexBounds, Store, StoreOptions, WriteOptions};
use test_engine::{Death, WrappedEngine};
use velocypack::Slice;

use crate::common::*;

/// Documents of the collection that the script fills.
const DOCUMENTS: usize = 12;

/// Makes each kind of change of definitions once. Stops at the first error.
fn script(store: &Store, steps: &mut usize) -> Result<()> {
    let mut step = || *steps += 1;
    let c = store.create_collection("_system", CollectionProperties::new("c", CollectionType::Edge))?;
    step();
    for n in 0..DOCUMENTS {
        insert(store, &c, &format!(r#"{{"_key": "k{n}", "a": {n}, "_from": "v/1", "_to": "v/{n}"}}"#))?;
    }
    step();
    let (first, _) = create_index(store, &c, r#"{"type": "persistent", "fields": ["a"], "unique": true}"#)?;
    step();
    let (_, is_new) = create_index(store, &c, r#"{"type": "persistent", "fields": ["b"]}"#)?;
    assert!(is_new);
    update(store, &c, "k3", r#"{"b": 1, "a": 100}"#)?;
    remove(store, &c, "k4")?;
    step();
    store.drop_index(&c, first.id())?;
    step();
    let c = store.rename_collection(&c, "d")?;
    step();
    store.truncate(&c)?;
    insert(store, &c, r#"{"_key": "after", "_from": "v/1", "_to": "v/2"}"#)?;
    step();
    store.create_database("shop")?;
    let loaded = store.create_collection("shop", CollectionProperties::new("l", CollectionType::Document))?;
    create_index(store, &loaded, r#"{"type": "persistent", "fields": ["a"]}"#)?;
    let mut load = store.load_documents(&loaded, &WriteOptions::default(), LOAD_WAIT)?.unwrap();
    (0..DOCUMENTS).try_for_each(|n| load.add(Slice::new(&value(&format!(r#"{{"a": {n}}}"#)))))?;
    load.finish()?;
    step();
    store.create_user(UserDefinition::new("anna", String::new()))?;
    store.maintain()?;
    store.drop_collection(&c, false)?;
    step();
    store.drop_database("shop")?;
    step();
    Ok(())
}

fn check(store: &Store, steps: usize) {
    let catalog = store.catalog();
    for database in catalog.databases() {
        database.collections().for_each(|collection| check_collection(store, collection));
    }
    let system = catalog.database("_system").unwrap();
    assert!(system.collections().filter(|collection| collection.name().starts_with('_')).count() >= 12);
    if (2..7).contains(&steps) {
        let name = if system.collection("c").is_some() { "c" } else { "d" };
        let c = system.collection(name).unwrap();
        let documents = store.snapshot().unwrap().count(c).unwrap() as usize;
        let expected = match steps {
            2 => DOCUMENTS..=DOCUMENTS,
            3 => DOCUMENTS - 1..=DOCUMENTS,
            // The truncation and the insert after it may have taken place or not.
            6 => 0..=DOCUMENTS,
            _ => DOCUMENTS - 1..=DOCUMENTS - 1,
        };
        assert!(expected.contains(&documents), "{documents} documents after step {steps}");
    }
}

fn check_collection(store: &Store, collection: &Collection) {
    let snapshot = store.snapshot().unwrap();
    let keys: Vec<String> = keys(&snapshot, collection);
    assert_eq!(snapshot.count(collection).unwrap(), keys.len() as u64, "{}", collection.name());
    assert_eq!(collection.count_now(), keys.len() as u64);
    for index in collection.indexes() {
        let mut found: Vec<String> = match index.index_type() {
            IndexType::Persistent => {
                let all = entries(&snapshot, collection, index, &IndexBounds::all(), false);
                all.into_iter().map(|(key, _)| key).collect()
            }
            IndexType::Edge => edges(&snapshot, collection, EdgeDirection::Outbound, "v/1")
                .into_iter()
                .map(|(key, _)| key)
                .collect(),
            _ => keys.clone(),
        };
        found.sort();
        let mut expected = keys.clone();
        expected.sort();
        assert_eq!(found, expected, "{} {}", collection.name(), index.name());
    }
}

/// Checks that every key belongs to an object in the catalog, and that no deletion is pending.
fn check_nothing_is_left_over(engine: &dyn kv::Engine, store: &Store) {
    let catalog = store.catalog();
    let known: BTreeSet<u64> = catalog
        .databases()
        .flat_map(|database| database.collections())
        .flat_map(|collection| collection.indexes())
        .map(|index| index.definition().object_id.0)
        .collect();
    let number = |key: &[u8], at: usize| u64::from_be_bytes(key[at..at + 8].try_into().unwrap());
    let mut scan = engine.snapshot().unwrap().scan(ScanSpec::forward(KeyRange::all())).unwrap();
    while let Some(block) = scan.next_block(BlockLimits { rows: 100, bytes: 1 << 20 }).unwrap() {
        for (key, _) in block.iter() {
            let belongs = match number(key, 0) {
                0 => key[8] != 6,
                1 | 2 => known.contains(&number(key, 8)),
                object => known.contains(&object),
            };
            assert!(belongs, "left over: {key:?}");
        }
    }
}

/// Dies after each number of changes in turn. Returns the number of changes in the whole script.
fn die_everywhere(death: Death) -> i64 {
    for changes in 0.. {
        let inner = engine();
        let failing = Arc::new(WrappedEngine::new(Arc::clone(&inner)).dying_after(changes, death));
        let mut steps = 0;
        let options = StoreOptions { sync_definitions: true, ..options() };
        let opened = Store::open(Arc::clone(&failing) as Arc<dyn kv::Engine>, options);
        if let Ok(store) = &opened {
            let result = script(store, &mut steps);
            assert!(result.is_ok() || failing.is_dead(), "{result:?}");
            // Reads continue, and see no half of a change. After `After` the store does not know
            // that there was one.
            if death != Death::After {
                check(store, steps);
            }
        }
        drop(opened);
        let store = open(&inner);
        check(&store, steps);
        check_nothing_is_left_over(inner.as_ref(), &store);
        if !failing.is_dead() {
            return changes;
        }
        // The reopened store also accepts changes.
        let again = create(&store, "again", CollectionType::Document);
        insert(&store, &again, "{}").unwrap();
    }
    unreachable!("only a return ends the loop")
}

#[test]
fn an_error_of_a_truncation_means_that_it_did_not_take_place() {
    for changes in 0.. {
        let inner = engine();
        let store = open(&inner);
        let c = create(&store, "c", CollectionType::Document);
        insert(&store, &c, r#"{"_key": "k"}"#).unwrap();
        drop(store);
        let failing = Arc::new(WrappedEngine::new(Arc::clone(&inner)).dying_after(changes, Death::Before));
        let opened = Store::open(Arc::clone(&failing) as Arc<dyn kv::Engine>, options());
        if let Ok(store) = &opened {
            let find = |store: &Store| {
                Arc::clone(store.catalog().database("_system").unwrap().collection("c").unwrap())
            };
            let done = store.truncate(&find(store));
            let expected = u64::from(done.is_err());
            assert_eq!(find(store).count_now(), expected, "after {changes} changes: {done:?}");
            assert_eq!(find(&open(&inner)).count_now(), expected);
        }
        if !failing.is_dead() {
            return;
        }
    }
}

#[test]
fn a_change_of_definitions_that_cannot_be_synced_is_in_doubt() {
    let mut doubts = 0;
    for changes in 0.. {
        let inner = engine();
        let failing = Arc::new(WrappedEngine::new(Arc::clone(&inner)).dying_after(changes, Death::Before));
        let options = StoreOptions { sync_definitions: true, ..options() };
        let opened = Store::open(Arc::clone(&failing) as Arc<dyn kv::Engine>, options);
        let Ok(store) = &opened else { continue };
        let created =
            store.create_collection("_system", CollectionProperties::new("c", CollectionType::Edge));
        let is_there = store.catalog().database("_system").unwrap().collection("c").is_some();
        match created {
            Ok(_) => break,
            Err(error) if error.code() == ErrorCode::TransactionInternal => {
                assert!(is_there, "{error}");
                doubts += 1;
            }
            Err(error) => assert!(!is_there, "{error}"),
        }
    }
    assert_eq!(doubts, 1);
}

#[test]
fn a_death_before_a_change_takes_place() {
    assert!(die_everywhere(Death::Before) > 40);
}

#[test]
fn a_change_of_unknown_outcome() {
    assert!(die_everywhere(Death::Unclear(true)) > 40);
    assert!(die_everywhere(Death::Unclear(false)) > 40);
}

#[test]
fn a_death_after_a_change_took_place() {
    assert!(die_everywhere(Death::After) > 40);
}
