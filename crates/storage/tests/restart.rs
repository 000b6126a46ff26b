//! A program of its own, because it starts itself again as a child.
//!
//! Real restarts, in a temporary folder: after a clean stop, and after `kill -9` during
//! writes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests; the child tells what it did"
)]

#[path = "it/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use catalog::CollectionType;
use errors::ErrorCode;
use proptest::prelude::*;
use storage::{Collection, Durability, IndexBounds, Store, TransactionOptions, WriteOptions};
use velocypack::Slice;

use common::model::{operation, run};
use common::*;

/// The environment variable that tells the child process where to write.
const FOLDER_VARIABLE: &str = "PERSEA_TEST_CRASH_FOLDER";
const WRITERS: u64 = 3;

fn open_folder(folder: &Path) -> Arc<Store> {
    let engine = engine_in(&folder.join("engine"));
    Store::open(engine, options()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn documents_and_indexes_agree_with_a_model_on_disk(operations in prop::collection::vec(operation(), 1..60)) {
        let folder = tempfile::tempdir().unwrap();
        let store = open_folder(folder.path());
        let engine = Arc::clone(store.engine());
        run(store, &operations, || {
            engine.close().unwrap();
            drop(engine);
            open_folder(folder.path())
        });
    }
}

#[test]
fn a_clean_stop_and_start() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_folder(folder.path());
    let c = create_with(&store, r#"{"name": "c", "keyOptions": {"type": "autoincrement"}}"#).unwrap();
    let (index, _) = create_index(&store, &c, r#"{"type": "persistent", "fields": ["a"]}"#).unwrap();
    for n in 0..2000 {
        insert(&store, &c, &format!(r#"{{"a": {}}}"#, n % 50)).unwrap();
    }
    let (late_index, _) =
        create_index(&store, &c, r#"{"type": "persistent", "fields": ["_key"], "unique": true}"#).unwrap();
    let documents = all(&store.snapshot().unwrap(), &c);
    let (revision, tick) = (c.revision_now(), store.next_id().unwrap());
    store.close().unwrap();
    assert_eq!(store.snapshot().err().unwrap().code(), ErrorCode::ShuttingDown);
    drop((store, c));

    let store = open_folder(folder.path());
    let c = present(&store, "c");
    assert_eq!(all(&store.snapshot().unwrap(), &c), documents);
    assert_eq!((c.count_now(), c.last_key_value()), (2000, 2000));
    assert_eq!(c.index(index.id()).unwrap().selectivity_estimate(), Some(0.025));
    assert_eq!(indexed_keys(&store, &c, c.index(late_index.id()).unwrap()).len(), 2000);
    assert_eq!(store.next_id().unwrap(), tick + 1);
    store.truncate(&c).unwrap();
    let inserted = insert(&store, &present(&store, "c"), "{}").unwrap();
    assert_eq!(inserted.key, "2001");
    assert!(inserted.revision > revision);
    store.close().unwrap();
    drop((store, c));
    let store = open_folder(folder.path());
    assert_eq!(keys(&store.snapshot().unwrap(), &present(&store, "c")), ["2001"]);
}

/// The process that is killed. Without the variable it does nothing: it is a test only so that it
/// can be started.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER_VARIABLE) else { return };
    let store = open_folder(Path::new(&folder));
    let catalog = store.catalog();
    let c = Arc::clone(catalog.database("_system").unwrap().collection("c").unwrap());
    let next = AtomicU64::new(c.last_key_value() + 1);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (store, c, next) = (&store, &c, &next);
            scope.spawn(move || write_forever(store, c, next, writer));
        }
    });
}

/// Inserts documents, and removes every third again. Prints a line after each commit.
fn write_forever(store: &Store, c: &Collection, next: &AtomicU64, writer: u64) {
    loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        let durability = if writer == 0 { Durability::Synced } else { Durability::Buffered };
        let commit = |operation: &dyn Fn(&mut storage::Transaction) -> errors::Result<()>| {
            let mut transaction = store.begin(&TransactionOptions::default()).unwrap();
            operation(&mut transaction).unwrap();
            transaction.commit(durability).unwrap();
        };
        let body = value(&format!(r#"{{"_key": "{n}", "a": {}, "u": "{n}"}}"#, n % 10));
        commit(&|transaction| transaction.insert(c, Slice::new(&body), &WriteOptions::default()).map(drop));
        println!("\n+{n}");
        if n.is_multiple_of(3) {
            commit(&|t| t.remove(c, &n.to_string(), Slice::NONE, &WriteOptions::default()).map(drop));
            println!("\n-{n}");
        }
    }
}

#[test]
fn nothing_acknowledged_is_lost_by_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_folder(folder.path());
    let c = create(&store, "c", CollectionType::Document);
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["a"]}"#).unwrap();
    create_index(&store, &c, r#"{"type": "persistent", "fields": ["u"], "unique": true}"#).unwrap();
    store.close().unwrap();
    drop((store, c));
    // By number: true if the last acknowledged change inserted the document, false if it removed
    // it.
    let mut acknowledged = BTreeMap::new();
    for round in 1..=4u64 {
        let before = acknowledged.len();
        run_and_kill(folder.path(), Duration::from_millis(150 * round), &mut acknowledged);
        assert!(acknowledged.len() > before, "the child wrote nothing in round {round}");
        check_after_kill(folder.path(), &acknowledged);
    }
}

fn run_and_kill(folder: &Path, after: Duration, acknowledged: &mut BTreeMap<u64, bool>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_writes_until_it_is_killed", "--nocapture", "--test-threads=1"])
        .env(FOLDER_VARIABLE, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut note = |line: &str| {
        let Some((sign, number)) = line.split_at_checked(1) else { return false };
        let (Ok(number), true) = (number.parse(), ["+", "-"].contains(&sign)) else { return false };
        acknowledged.insert(number, sign == "+");
        true
    };
    // The time starts with the first write.
    lines.by_ref().any(|line| note(&line));
    let killer = thread::spawn(move || {
        // The child is killed in the middle of its work, wherever that is.
        thread::sleep(after);
        child.kill().unwrap();
        child.wait().unwrap();
    });
    for line in lines {
        note(&line);
    }
    killer.join().unwrap();
}

fn check_after_kill(folder: &Path, acknowledged: &BTreeMap<u64, bool>) {
    let store = open_folder(folder);
    let c = present(&store, "c");
    let snapshot = store.snapshot().unwrap();
    let found = keys(&snapshot, &c);
    assert_eq!((snapshot.count(&c).unwrap(), c.count_now()), (found.len() as u64, found.len() as u64));
    for index in &c.indexes()[1..] {
        let entries = entries(&snapshot, &c, index, &IndexBounds::all(), false);
        let mut indexed: Vec<String> = entries.into_iter().map(|(key, _)| key).collect();
        indexed.sort();
        assert_eq!(indexed, found, "{}", index.name());
    }
    for (number, is_there) in acknowledged {
        let is_found = found.binary_search(&number.to_string()).is_ok();
        // A removal may have taken place without an acknowledgement.
        let may_be_removed = number % 3 == 0;
        assert!(
            is_found == *is_there || (may_be_removed && !is_found),
            "{number}: {is_found} instead of {is_there}"
        );
    }
    store.close().unwrap();
}
