//! Stores with encrypted files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use encryption::MasterKey;
use kv::conformance::count;
use kv::{
    BlockLimits, Durability, Engine, Error, KeyRange, LoadHint, LoadKind, LogRecovery, Result, ScanSpec,
    TransactionOptions,
};
use kv_mmap::{MmapEngine, MmapOptions};
use tempfile::TempDir;

const COMMITS: usize = 100;
const KEY: &str = "plain-text-of-a-key";
const VALUE: &str = "plain-text-of-a-value";

fn master() -> Arc<MasterKey> {
    Arc::new(MasterKey::random().expect("random bytes"))
}

fn options(encryption: Option<&Arc<MasterKey>>) -> MmapOptions {
    // Nothing is synced or merged unless the test does it.
    MmapOptions {
        sync_interval_ms: 1_000_000,
        flush_interval_ms: 1_000_000,
        encryption: encryption.map(Arc::clone),
        ..MmapOptions::default()
    }
}

fn open(folder: &Path, master: &Arc<MasterKey>) -> Arc<MmapEngine> {
    MmapEngine::open(folder, &options(Some(master))).expect("open")
}

/// Returns the error of an open that is refused.
fn refused(folder: &Path, encryption: Option<&Arc<MasterKey>>, log_recovery: LogRecovery) -> String {
    let options = MmapOptions { log_recovery, ..options(encryption) };
    MmapEngine::open(folder, &options).map(|_| ()).expect_err("refused").to_string()
}

fn commit(engine: &MmapEngine, number: usize, durability: Durability) -> Result<()> {
    let mut transaction = engine.begin(TransactionOptions::default())?;
    transaction.put(format!("{KEY}/{number:06}").as_bytes(), VALUE.repeat(40).as_bytes())?;
    transaction.commit(durability)
}

/// Returns all files below a folder with their content, in order.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("read_dir") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).expect("read");
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

/// Checks that no file below a folder has a text in it.
///
/// Each text has eight bytes or more: shorter ones are in millions of encrypted bytes by chance.
fn assert_hidden(folder: &Path) {
    const LOG_RECORD: &[u8] = b"PLOG\x01\0\0\0";
    const REDB_FILE: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";
    for (path, bytes) in files(folder) {
        for text in [KEY.as_bytes(), VALUE.as_bytes(), b"plain-text", LOG_RECORD, REDB_FILE] {
            let is_there = bytes.windows(text.len()).any(|window| window == text);
            assert!(!is_there, "{} in {}", text.escape_ascii(), path.display());
        }
    }
}

/// Copies a folder as a kill would leave it.
fn copied(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().expect("tempdir");
    for (path, bytes) in files(folder) {
        let target = copy.path().join(path.strip_prefix(folder).expect("a file of the folder"));
        fs::create_dir_all(target.parent().expect("a folder")).expect("create");
        fs::write(target, bytes).expect("write");
    }
    copy
}

#[test]
fn no_file_has_a_key_or_a_value() {
    let (folder, master) = (tempfile::tempdir().expect("tempdir"), master());
    let engine = open(folder.path(), &master);
    for number in 0..COMMITS {
        commit(&engine, number, Durability::Synced).expect("commit");
    }
    assert_hidden(folder.path());
    let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: 200_000 }).expect("load");
    for number in 0..200_000 {
        load.add(format!("{KEY}/loaded/{number:06}").as_bytes(), VALUE.repeat(3).as_bytes()).expect("put");
    }
    assert_hidden(folder.path());
    load.finish(Durability::Synced).expect("finish");
    assert_hidden(folder.path());
    engine.compact(&KeyRange::all()).expect("compact");
    let copy = folder.path().join("copy");
    engine.checkpoint(&copy).expect("checkpoint");
    engine.close().expect("close");
    assert_hidden(folder.path());
    for folder in [folder.path(), &copy] {
        assert_eq!(count(&*open(folder, &master)), COMMITS + 200_000);
    }
}

#[test]
fn a_store_is_encrypted_or_not_for_its_whole_life() {
    let (folder, master, other) = (tempfile::tempdir().expect("tempdir"), master(), master());
    let engine = open(folder.path(), &master);
    commit(&engine, 0, Durability::Synced).expect("commit");
    let killed = copied(folder.path());
    drop(engine);
    let before = files(killed.path());
    let without = refused(killed.path(), None, LogRecovery::Strict);
    assert!(without.ends_with("it is encrypted, and no key was given"), "{without}");
    let wrong = refused(killed.path(), Some(&other), LogRecovery::Salvage);
    assert!(wrong.contains("is encrypted with another key"), "{wrong}");
    assert_eq!(files(killed.path()), before);
    assert_eq!(count(&*open(killed.path(), &master)), 1);

    let plain = tempfile::tempdir().expect("tempdir");
    drop(MmapEngine::open(plain.path(), &options(None)).expect("open"));
    let with = refused(plain.path(), Some(&master), LogRecovery::Strict);
    assert!(with.contains("is not encrypted, and only a new one can be"), "{with}");
    MmapEngine::open(plain.path(), &options(None)).expect("open");
}

/// A file of the tables that a start did not complete is written anew.
#[test]
fn a_start_that_was_killed_is_repeated() {
    let (folder, master) = (tempfile::tempdir().expect("tempdir"), master());
    drop(open(folder.path(), &master));
    let tables = folder.path().join("pairs.1.redb");
    fs::rename(&tables, folder.path().join("pairs.new")).expect("rename");
    let engine = open(folder.path(), &master);
    commit(&engine, 0, Durability::Synced).expect("commit");
    drop(engine);
    assert!(tables.exists() && !folder.path().join("pairs.new").exists());
    assert_eq!(count(&*open(folder.path(), &master)), 1);
}

#[test]
fn damaged_tables_are_refused() {
    let (folder, master) = (tempfile::tempdir().expect("tempdir"), master());
    drop(open(folder.path(), &master));
    let path = folder.path().join("pairs.1.redb");
    let whole = fs::read(&path).expect("read");
    // The header of the key, and the beginning of redb's first page.
    for at in [20, 4_096] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&path, damaged).expect("write");
        let opened = MmapEngine::open(folder.path(), &options(Some(&master))).map(|_| ());
        assert!(
            matches!(opened, Err(Error::Corrupt { .. } | Error::CannotOpen { .. })),
            "byte {at}: {opened:?}"
        );
    }
    fs::write(&path, whole).expect("write");
    open(folder.path(), &master);
}

/// redb panics on some damaged pages. That is an error here, and other pages are still read.
#[test]
fn damaged_pages_are_errors() {
    let (folder, master) = (tempfile::tempdir().expect("tempdir"), master());
    let engine = open(folder.path(), &master);
    for number in 0..3_000 {
        commit(&engine, number, Durability::Buffered).expect("commit");
    }
    drop(engine);
    let path = folder.path().join("pairs.1.redb");
    let whole = fs::read(&path).expect("read");
    let mut errors = 0;
    // The first blocks of each page have its kind, the number of its pairs and their places.
    for at in (4_096..whole.len()).step_by(4_096).flat_map(|page| [page, page + 16]).step_by(29) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&path, damaged).expect("write");
        let read = MmapEngine::open(folder.path(), &options(Some(&master))).and_then(|engine| {
            let mut scan = engine.snapshot()?.scan(ScanSpec::forward(KeyRange::all()))?;
            while scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 })?.is_some() {}
            commit(&engine, 9_999, Durability::Synced)?;
            assert!(engine.snapshot()?.get_many(&[format!("{KEY}/009999").as_bytes()])?.is_present(0));
            engine.compact(&KeyRange::all())
        });
        errors += usize::from(read.is_err());
        for file in ["pairs.2.redb", "pairs.1.redb"] {
            let _ = fs::remove_file(folder.path().join(file));
        }
        fs::remove_dir_all(folder.path().join("log")).expect("remove");
    }
    assert!(errors > 3, "{errors}");
}
