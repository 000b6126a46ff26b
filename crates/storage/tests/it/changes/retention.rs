//! Removal of entries by age and by size, for all collections and for single ones.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use catalog::CollectionType;
use catalog::collection::CollectionProperties;
use serde_json::json;
use storage::{ChangeLogMode, ChangeLogOptions, ChangeScope, RetentionException, Store, StoreOptions};

use super::{Entry, entries, logging_store, scope};
use crate::common::*;

const HOUR: Duration = Duration::from_secs(60 * 60);

#[test]
fn old_entries_go_by_age_and_by_size_unless_a_reader_holds_them() {
    let store = logging_store();
    let c = create(&store, "c", CollectionType::Document);
    for n in 0..20 {
        insert(&store, &c, &format!(r#"{{"n": {n}}}"#)).unwrap();
    }
    let all = entries(&store, 0);
    let held = all[all.len() - 5].position;
    store.trim_change_log(SystemTime::now(), u64::MAX).unwrap();
    assert_eq!(entries(&store, 0), all, "nothing is old yet");
    let tomorrow = SystemTime::now() + Duration::from_secs(25 * 60 * 60);
    store.trim_change_log(tomorrow, held).unwrap();
    assert_eq!(entries(&store, 0), all[all.len() - 5..]);
    assert_eq!(store.first_position(scope(&store)).unwrap(), held);
    store.trim_change_log(tomorrow, u64::MAX).unwrap();
    assert_eq!(entries(&store, 0), []);
    assert_eq!(store.first_position(scope(&store)).unwrap(), store.resolved_position());
    insert(&store, &c, "{}").unwrap();
    assert_eq!(entries(&store, 0).len(), 1);
}

#[test]
fn the_log_of_a_dropped_database_stays_for_a_reader_that_is_behind() {
    let store = logging_store();
    let database = store.create_database("other").unwrap();
    let logged = |store: &Store| store.commits_from(ChangeScope::Database(database.id), 0).unwrap().len();
    let properties = CollectionProperties::new("c", CollectionType::Document);
    store.create_collection("other", properties).unwrap();
    let held = store.resolved_position() - 1;
    store.drop_database("other").unwrap();
    let last = |scope| store.commits_from(scope, 0).unwrap().into_iter().max();
    assert!(last(ChangeScope::Database(database.id)) < last(ChangeScope::Server), "the drop is the end");
    store.trim_change_log(SystemTime::now(), held).unwrap();
    assert!(logged(&store) > 0);
    store.trim_change_log(SystemTime::now(), u64::MAX).unwrap();
    assert_eq!(logged(&store), 0);
}

#[test]
fn a_log_beyond_its_size_loses_its_oldest_entries() {
    let folder = tempfile::tempdir().unwrap();
    let changes =
        ChangeLogOptions { mode: ChangeLogMode::Always, max_bytes: 1 << 20, ..ChangeLogOptions::default() };
    let engine = engine_in(folder.path());
    let store = Store::open(Arc::clone(&engine), StoreOptions { changes, ..options() }).unwrap();
    let c = create(&store, "c", CollectionType::Document);
    let mut text = String::new();
    for n in 0..4000_u32 {
        // Text that does not compress.
        text.clear();
        (0..100_u64).for_each(|i| {
            text.push_str(&format!("{:x}", (u64::from(n) * 100 + i).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        });
        insert(&store, &c, &format!(r#"{{"n": {n}, "text": "{text}"}}"#)).unwrap();
    }
    engine.sync().unwrap();
    let before = entries(&store, 0).len();
    store.trim_change_log(SystemTime::now(), u64::MAX).unwrap();
    let left = entries(&store, 0);
    assert!(left.len() < before / 2, "{} of {before} are left", left.len());
    assert_eq!(left.last().unwrap().document["n"], json!(3999));
    assert_eq!(store.first_position(scope(&store)).unwrap(), left[0].position);
}

fn exception(database: &str, collection: Option<&str>, hours: u32) -> RetentionException {
    let (database, collection) = (database.to_owned(), collection.map(str::to_owned));
    RetentionException { database, collection, retain: HOUR * hours }
}

fn options_with(exceptions: &[RetentionException]) -> StoreOptions {
    let (mode, exceptions) = (ChangeLogMode::Always, exceptions.to_vec());
    StoreOptions { changes: ChangeLogOptions { mode, exceptions, ..Default::default() }, ..options() }
}

/// Writes documents alone and in transactions to `short`, `long` and `other`.
fn write(store: &Store) {
    for name in ["short", "long", "other"] {
        let collection = create(store, name, CollectionType::Document);
        insert(store, &collection, r#"{"_key": "a"}"#).unwrap();
    }
    let collections = ["short", "long", "short", "other"].map(|name| present(store, name));
    let mut transaction = begin(store);
    for (n, collection) in collections.iter().enumerate() {
        let body = value(&format!(r#"{{"n": {n}}}"#));
        transaction.insert(collection, velocypack::Slice::new(&body), &Default::default()).unwrap();
    }
    transaction.commit(storage::Durability::Buffered).unwrap();
    insert(store, &collections[0], r#"{"_key": "last"}"#).unwrap();
}

fn of(entries: &[Entry], names: &[&str]) -> Vec<Entry> {
    let is_of = |entry: &&Entry| names.contains(&entry.collection.as_deref().unwrap_or_default());
    entries.iter().filter(is_of).cloned().collect()
}

fn first_of(store: &Store, name: &str) -> u64 {
    let names = HashSet::from([name.to_owned()]);
    store.first_position_of(scope(store), Some(&names)).unwrap()
}

#[test]
fn a_collection_has_a_time_of_its_own() {
    let engine = engine();
    let rules = [exception("_system", Some("short"), 1), exception("_system", Some("long"), 48)];
    let store = Store::open(Arc::clone(&engine), options_with(&rules)).unwrap();
    write(&store);
    let all = entries(&store, 0);
    let (start, now) = (store.first_position(scope(&store)).unwrap(), SystemTime::now());
    store.trim_change_log(now, u64::MAX).unwrap();
    assert_eq!(entries(&store, 0), all, "nothing is old yet");
    // Positions stay as they were, and each collection knows from where on it is complete.
    store.trim_change_log(now + HOUR * 2, u64::MAX).unwrap();
    let without_short: Vec<Entry> =
        all.iter().filter(|entry| entry.collection.as_deref() != Some("short")).cloned().collect();
    assert!(without_short.len() < all.len());
    assert_eq!(entries(&store, 0), without_short);
    assert_eq!((first_of(&store, "long"), first_of(&store, "other")), (start, start));
    assert_eq!(first_of(&store, "short"), store.resolved_position());
    assert_eq!(store.first_position(scope(&store)).unwrap(), start);
    store.trim_change_log(now + HOUR * 30, u64::MAX).unwrap();
    assert_eq!(entries(&store, 0), of(&all, &["long"]));
    assert_eq!(first_of(&store, "long"), start);
    assert!(first_of(&store, "other") > of(&all, &["other"]).last().unwrap().position);
    // The next start repeats no position, though the last entries are gone.
    let last = store.resolved_position();
    drop(store);
    let store = Store::open(Arc::clone(&engine), options_with(&rules)).unwrap();
    assert!(store.resolved_position() >= last);
    store.trim_change_log(now + HOUR * 49, u64::MAX).unwrap();
    assert_eq!(entries(&store, 0), []);
}

#[test]
fn a_reader_holds_entries_of_a_collection_too() {
    let store = Store::open(engine(), options_with(&[exception("_system", Some("short"), 0)])).unwrap();
    write(&store);
    let all = entries(&store, 0);
    let held = of(&all, &["short"])[1].position;
    store.trim_change_log(SystemTime::now() + HOUR, held).unwrap();
    let left = entries(&store, 0);
    assert_eq!(of(&left, &["long", "other"]), of(&all, &["long", "other"]));
    assert_eq!(of(&left, &["short"]), of(&all, &["short"])[1..]);
}

#[test]
fn a_rule_that_is_new_or_taken_away_hides_no_gap() {
    let engine = engine();
    let open = |rules: &[RetentionException]| Store::open(Arc::clone(&engine), options_with(rules)).unwrap();
    let (one, other) = (exception("_system", Some("short"), 100), exception("_system", Some("long"), 100));
    let store = open(std::slice::from_ref(&one));
    write(&store);
    let now = SystemTime::now();
    store.trim_change_log(now + HOUR * 30, u64::MAX).unwrap();
    let end = store.resolved_position();
    assert_eq!((first_of(&store, "short") < end, first_of(&store, "long")), (true, end));
    drop(store);
    // It stays known which entries of `long` are gone. `short` follows the others from now on.
    let store = open(&[other]);
    store.trim_change_log(now + HOUR * 30, u64::MAX).unwrap();
    assert!(first_of(&store, "long") >= end);
    assert!(first_of(&store, "short") >= end, "its entries went with those of the others");
    assert_eq!(entries(&store, 0), []);
}

#[test]
fn a_database_has_a_time_of_its_own() {
    let store = Store::open(engine(), options_with(&[exception("_system", None, 1)])).unwrap();
    write(&store);
    store.trim_change_log(SystemTime::now() + HOUR * 2, u64::MAX).unwrap();
    assert_eq!(entries(&store, 0), []);
}
