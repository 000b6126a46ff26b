//! Stores with encrypted files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use encryption::MasterKey;
use kv::conformance::count;
use kv::{Durability, Engine, Error, KeyRange, LoadHint, LoadKind, LogRecovery, Result, TransactionOptions};
use kv_rocksdb::{RocksEngine, RocksOptions};
use tempfile::TempDir;

const COMMITS: usize = 100;
const KEY: &str = "plain-text-of-a-key";
const VALUE: &str = "plain-text-of-a-value";

/// The bytes before the content of a file.
const HEADER_BYTES: usize = 4 << 10;

fn master() -> Arc<MasterKey> {
    Arc::new(MasterKey::random().expect("random bytes"))
}

fn open_as(
    folder: &Path,
    encryption: Option<&Arc<MasterKey>>,
    wal_recovery: LogRecovery,
) -> Result<Arc<RocksEngine>> {
    let encryption = encryption.map(Arc::clone);
    // Nothing is synced unless the test does it.
    let options =
        RocksOptions { sync_interval_ms: 1_000_000, wal_recovery, encryption, ..RocksOptions::default() };
    RocksEngine::open(folder, &options)
}

fn open(folder: &Path, master: &Arc<MasterKey>) -> Arc<RocksEngine> {
    open_as(folder, Some(master), LogRecovery::Strict).expect("open")
}

fn commit(engine: &RocksEngine, number: usize, durability: Durability) {
    let mut transaction = engine.begin(TransactionOptions::default()).expect("begin");
    transaction.put(format!("{KEY}/{number:06}").as_bytes(), VALUE.repeat(40).as_bytes()).expect("put");
    transaction.commit(durability).expect("commit");
}

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("read_dir") {
        let path = entry.expect("entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Checks that no file below a folder has a text in it.
fn assert_hidden(folder: &Path) {
    for path in files(folder) {
        let bytes = fs::read(&path).expect("read");
        for text in [KEY, VALUE, "plain-text"] {
            let is_there = bytes.windows(text.len()).any(|window| window == text.as_bytes());
            assert!(!is_there, "{text} in {}", path.display());
        }
    }
}

/// Returns a store as a kill leaves it, with its first commits synced.
fn killed(master: &Arc<MasterKey>, synced: usize) -> TempDir {
    let source = tempfile::tempdir().expect("tempdir");
    let engine = open(source.path(), master);
    for number in 0..COMMITS {
        let durability = if number + 1 == synced { Durability::Synced } else { Durability::Buffered };
        commit(&engine, number, durability);
    }
    let copy = tempfile::tempdir().expect("tempdir");
    for path in files(source.path()) {
        fs::copy(&path, copy.path().join(path.file_name().expect("name"))).expect("copy");
    }
    copy
}

/// Returns the only file of the log.
fn log(folder: &Path) -> PathBuf {
    let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "log");
    files(folder).into_iter().find(is_log).expect("a log")
}

/// A change of the bytes of a file.
type Change = fn(&mut Vec<u8>);

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("read");
    change(&mut bytes);
    fs::write(path, bytes).expect("write");
}

#[test]
fn no_file_has_a_key_or_a_value() {
    let (folder, master) = (tempfile::tempdir().expect("tempdir"), master());
    let engine = open(folder.path(), &master);
    for number in 0..COMMITS {
        commit(&engine, number, Durability::Synced);
    }
    assert_hidden(folder.path());
    let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: 10_000 }).expect("load");
    for number in 0..10_000 {
        load.add(format!("{KEY}/loaded/{number:06}").as_bytes(), VALUE.as_bytes()).expect("put");
    }
    assert_hidden(folder.path());
    load.finish(Durability::Synced).expect("finish");
    engine.compact(&KeyRange::all()).expect("compact");
    let copy = folder.path().join("copy");
    engine.checkpoint(&copy).expect("checkpoint");
    engine.close().expect("close");
    assert_hidden(folder.path());
    for folder in [folder.path(), &copy] {
        assert_eq!(count(&*open(folder, &master)), COMMITS + 10_000);
    }
    kv_rocksdb::verify(&copy, Some(Arc::clone(&master))).expect("a whole copy");
}

#[test]
fn a_killed_store_opens_in_silence() {
    let master = master();
    for synced in [0, 50, COMMITS] {
        let folder = killed(&master, synced);
        let engine = open(folder.path(), &master);
        assert_eq!((count(&*engine), engine.dropped_log()), (COMMITS, None));
    }
}

#[test]
fn damage_in_the_middle_of_the_log_is_refused_and_cut() {
    let master = master();
    let folder = killed(&master, 20);
    let path = log(folder.path());
    change(&path, |bytes| bytes[HEADER_BYTES + 50_500] ^= 1);
    for _ in 0..2 {
        match open_as(folder.path(), Some(&master), LogRecovery::Strict).map(|_| ()) {
            Err(Error::DamagedLog { path: damaged, reason }) => {
                assert_eq!(damaged, path);
                assert!(reason.contains("records follow from byte"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    let engine = open_as(folder.path(), Some(&master), LogRecovery::Salvage).expect("open");
    let kept = count(&*engine);
    assert!((20..COMMITS).contains(&kept), "{kept}");
    engine.close().expect("close");
    assert_eq!(count(&*open(folder.path(), &master)), kept);
}

#[test]
fn the_end_of_a_log_may_be_lost() {
    let master = master();
    // Pages that never reached the disk, a file that was cut, and a file of which nothing did.
    let changes: [(Change, bool); 4] = [
        (|bytes| bytes[HEADER_BYTES + 49_152..].fill(0), false),
        (|bytes| bytes.truncate(HEADER_BYTES + 50_000), false),
        (|bytes| bytes.fill(0), true),
        (|bytes| bytes.truncate(100), true),
    ];
    for (number, (lose, is_all)) in changes.into_iter().enumerate() {
        let folder = killed(&master, 0);
        let path = log(folder.path());
        change(&path, lose);
        let engine = open(folder.path(), &master);
        let kept = count(&*engine);
        assert_eq!(kept == 0, is_all, "change {number} kept {kept}");
        assert!(kept < COMMITS);
        assert_eq!(engine.dropped_log().map(|dropped| dropped.file), Some(path), "change {number}");
        commit(&engine, 0, Durability::Synced);
    }
}

#[test]
fn a_log_without_its_header_is_refused_if_it_was_synced() {
    let master = master();
    let folder = killed(&master, 50);
    let path = log(folder.path());
    let before = fs::read(&path).expect("read");
    change(&path, |bytes| bytes[..100].fill(0));
    let changed = fs::read(&path).expect("read");
    let refused = open_as(folder.path(), Some(&master), LogRecovery::Strict).map(|_| ());
    assert!(matches!(refused, Err(Error::DamagedLog { .. })), "{refused:?}");
    assert_eq!(fs::read(&path).expect("read"), changed, "a refusal changes nothing");
    fs::write(&path, before).expect("write");
    assert_eq!(count(&*open(folder.path(), &master)), COMMITS);
}

#[test]
fn a_store_is_encrypted_or_not_for_its_whole_life() {
    let (master, other) = (master(), master());
    let folder = killed(&master, 0);
    let contents = |folder: &Path| -> Vec<(PathBuf, Vec<u8>)> {
        let mut all: Vec<_> =
            files(folder).into_iter().map(|path| (path.clone(), fs::read(&path).expect("read"))).collect();
        all.sort();
        all
    };
    let before = contents(folder.path());
    let without = open_as(folder.path(), None, LogRecovery::Strict).map(|_| ()).unwrap_err().to_string();
    assert!(without.ends_with("it is encrypted, and no key was given"), "{without}");
    assert_eq!(contents(folder.path()), before);
    let wrong = open_as(folder.path(), Some(&other), LogRecovery::Salvage).map(|_| ());
    let wrong = wrong.unwrap_err().to_string();
    assert!(wrong.contains("is encrypted with another key"), "{wrong}");
    assert_eq!(contents(folder.path()), before);
    assert_eq!(count(&*open(folder.path(), &master)), COMMITS);

    let plain = tempfile::tempdir().expect("tempdir");
    drop(open_as(plain.path(), None, LogRecovery::Strict).expect("open"));
    let with = open_as(plain.path(), Some(&master), LogRecovery::Strict).map(|_| ()).unwrap_err().to_string();
    assert!(with.contains("is not encrypted, and only a new one can be"), "{with}");
    open_as(plain.path(), None, LogRecovery::Strict).expect("open");
}

/// The decryption of pages that never reached the disk is noise, in which the replay must not look
/// for records.
#[test]
fn a_log_may_be_lost_from_any_byte_on() {
    let master = master();
    let whole = killed(&master, 0);
    let whole_log = fs::read(log(whole.path())).expect("read");
    let content = whole_log.len() - HEADER_BYTES;
    for part in 0..40 {
        let folder = tempfile::tempdir().expect("tempdir");
        for path in files(whole.path()) {
            fs::copy(&path, folder.path().join(path.file_name().expect("name"))).expect("copy");
        }
        let lost_from = HEADER_BYTES + content * part / 40;
        change(&log(folder.path()), |bytes| bytes[lost_from..].fill(0));
        let engine = open(folder.path(), &master);
        let kept = count(&*engine);
        assert!(kept <= COMMITS * part / 40 + 1, "{kept} of those before byte {lost_from}");
        commit(&engine, 0, Durability::Synced);
        drop(engine);
        assert!(count(&*open(folder.path(), &master)) >= kept.max(1));
    }
}
