//! A log that is damaged before its end: a start refuses it by default, and cuts it if the options
//! say so.
//!
//! `src/recovery/tests` has the tests of damage to logs of several files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kv::{
    BlockLimits, Durability, Engine, Error, KeyRange, LogRecovery, Result, ScanSpec, TransactionOptions,
};
use kv_rocksdb::{RocksEngine, RocksOptions};
use tempfile::TempDir;

const COMMITS: usize = 100;

fn open(folder: &Path, wal_recovery: LogRecovery) -> Result<Arc<RocksEngine>> {
    // Nothing is synced unless the test does it.
    let options = RocksOptions { sync_interval_ms: 1_000_000, wal_recovery, ..RocksOptions::default() };
    RocksEngine::open(folder, &options)
}

fn commit(engine: &RocksEngine, number: usize, durability: Durability) {
    let mut transaction = engine.begin(TransactionOptions::default()).expect("begin");
    transaction.put(format!("{number:06}").as_bytes(), &[number as u8; 1000]).expect("put");
    transaction.commit(durability).expect("commit");
}

fn count(engine: &RocksEngine) -> usize {
    let mut scan =
        engine.snapshot().expect("snapshot").scan(ScanSpec::forward(KeyRange::all())).expect("scan");
    let mut count = 0;
    while let Some(block) = scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 }).expect("block") {
        count += block.len();
    }
    count
}

/// Returns the only file of the log.
fn log(folder: &Path) -> PathBuf {
    let mut files = fs::read_dir(folder).expect("read_dir").map(|entry| entry.expect("entry").path());
    files.find(|path| path.extension().is_some_and(|extension| extension == "log")).expect("a log")
}

/// Returns a store as a kill leaves it, with its first commits synced.
fn killed(synced: usize) -> TempDir {
    let source = tempfile::tempdir().expect("tempdir");
    let engine = open(source.path(), LogRecovery::Strict).expect("open");
    for number in 0..COMMITS {
        let durability = if number + 1 == synced { Durability::Synced } else { Durability::Buffered };
        commit(&engine, number, durability);
    }
    let copy = tempfile::tempdir().expect("tempdir");
    for entry in fs::read_dir(source.path()).expect("read_dir") {
        let path = entry.expect("entry").path();
        fs::copy(&path, copy.path().join(path.file_name().expect("name"))).expect("copy");
    }
    copy
}

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("read");
    change(&mut bytes);
    fs::write(path, bytes).expect("write");
}

fn flip(bytes: &mut [u8], at: usize) {
    bytes.iter_mut().skip(at).take(16).for_each(|byte| *byte ^= 0x5a);
}

/// Checks that a start is refused with the file's name. Then salvages `kept` commits, which are
/// there from then on.
fn is_refused(folder: &Path, log: &Path, kept: usize) {
    for _ in 0..2 {
        match open(folder, LogRecovery::Strict).map(|_| ()) {
            Err(Error::DamagedLog { path, .. }) => assert_eq!(path, log),
            other => panic!("{other:?}"),
        }
    }
    let engine = open(folder, LogRecovery::Salvage).expect("open");
    assert_eq!(count(&engine), kept);
    let dropped = engine.dropped_log().expect("a dropped part");
    assert!(dropped.kept_in.is_some_and(|folder| folder.is_dir()));
    let counters = engine.statistics().counters;
    assert!(counters.contains(&("rocksdb.dropped-log-bytes".to_owned(), dropped.bytes)));
    drop(engine);
    let engine = open(folder, LogRecovery::Strict).expect("open");
    assert_eq!((count(&engine), engine.dropped_log()), (kept, None));
}

#[test]
fn a_killed_store_opens_in_silence() {
    for synced in [0, 50, COMMITS] {
        let folder = killed(synced);
        let engine = open(folder.path(), LogRecovery::Strict).expect("open");
        assert_eq!((count(&engine), engine.dropped_log()), (COMMITS, None));
    }
}

#[test]
fn changed_bytes_in_the_middle_are_refused() {
    for synced in [0, 20, COMMITS] {
        let folder = killed(synced);
        let log = log(folder.path());
        change(&log, |bytes| flip(bytes, 50_500));
        is_refused(folder.path(), &log, 49);
    }
}

#[test]
fn changed_bytes_in_the_last_record_are_refused_if_it_was_synced() {
    for (synced, is_torn) in [(0, true), (50, true), (COMMITS, false)] {
        let folder = killed(synced);
        let log = log(folder.path());
        change(&log, |bytes| {
            let at = bytes.len() - 100;
            flip(bytes, at);
        });
        if is_torn {
            let engine = open(folder.path(), LogRecovery::Strict).expect("open");
            assert_eq!(count(&engine), COMMITS - 1);
            let dropped = engine.dropped_log().expect("a dropped part");
            assert_eq!((dropped.file, dropped.kept_in, dropped.records), (log, None, 0));
        } else {
            is_refused(folder.path(), &log, COMMITS - 1);
        }
    }
}

#[test]
fn a_log_without_its_synced_part_is_refused() {
    let folder = killed(60);
    let path = log(folder.path());
    change(&path, |bytes| bytes.truncate(50_000));
    is_refused(folder.path(), &path, 48);
    let folder = killed(60);
    let path = log(folder.path());
    fs::remove_file(&path).expect("remove_file");
    is_refused(folder.path(), &path, 0);
    let folder = killed(40);
    let path = log(folder.path());
    change(&path, |bytes| bytes.truncate(50_000));
    assert_eq!(count(&open(folder.path(), LogRecovery::Strict).expect("a torn end")), 48);
}

#[test]
fn a_closed_store_needs_no_log() {
    let folder = tempfile::tempdir().expect("tempdir");
    let engine = open(folder.path(), LogRecovery::Strict).expect("open");
    commit(&engine, 1, Durability::Synced);
    engine.close().expect("close");
    drop(engine);
    fs::remove_file(log(folder.path())).expect("remove_file");
    assert_eq!(count(&open(folder.path(), LogRecovery::Strict).expect("open")), 1);
}
