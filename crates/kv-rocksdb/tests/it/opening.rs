//! Opening a store: recovery, refusals and their errors.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kv::{
    BlockLimits, Durability, Engine, Error, KeyRange, LoadHint, LoadKind, Result, ScanSpec,
    TransactionOptions,
};
use kv_rocksdb::{Compression, RocksEngine, RocksOptions};

fn open(folder: &Path) -> Result<Arc<RocksEngine>> {
    RocksEngine::open(folder, &RocksOptions { memory_bytes: 16 << 20, ..RocksOptions::default() })
}

fn put(engine: &RocksEngine, key: &str, value: &[u8], durability: Durability) -> Result<()> {
    let mut transaction = engine.begin(TransactionOptions::default())?;
    transaction.put(key.as_bytes(), value)?;
    transaction.commit(durability)
}

fn get(engine: &RocksEngine, key: &str) -> Result<Option<Vec<u8>>> {
    Ok(engine.snapshot()?.get_many(&[key.as_bytes()])?.get(0).map(<[u8]>::to_vec))
}

fn count(engine: &RocksEngine) -> Result<usize> {
    let mut scan = engine.snapshot()?.scan(ScanSpec::forward(KeyRange::all()))?;
    let mut count = 0;
    while let Some(block) = scan.next_block(BlockLimits { rows: 1000, bytes: 1 << 20 })? {
        count += block.len();
    }
    Ok(count)
}

/// Returns the files in `folder` whose names end with `end`.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("read_dir").map(|entry| entry.expect("entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    files.sort();
    files
}

#[test]
fn a_store_is_found_again() {
    let folder = tempfile::tempdir().expect("tempdir");
    let path = folder.path().join("made/on/the/way");
    for round in 0..3 {
        let engine = open(&path).expect("open");
        assert_eq!(count(&engine), Ok(round * 2));
        put(&engine, &format!("buffered{round}"), b"1", Durability::Buffered).expect("put");
        put(&engine, &format!("synced{round}"), b"1", Durability::Synced).expect("put");
        match round {
            0 => engine.close().expect("close"),
            _ => drop(engine),
        }
    }
    assert_eq!(count(&open(&path).expect("open")), Ok(6));
}

#[test]
fn a_closed_store_can_be_reopened_immediately() {
    let folder = tempfile::tempdir().expect("tempdir");
    let first = open(folder.path()).expect("open");
    put(&first, "a", b"1", Durability::Buffered).expect("put");
    first.close().expect("close");
    let second = open(folder.path()).expect("the lock must be free although the first engine still exists");
    assert_eq!(get(&second, "a"), Ok(Some(b"1".to_vec())));
    assert_eq!(get(&first, "a"), Err(Error::Closed));
}

#[test]
fn a_store_in_use_is_refused() {
    let folder = tempfile::tempdir().expect("tempdir");
    let engine = open(folder.path()).expect("open");
    assert_eq!(open(folder.path()).err(), Some(Error::Locked { path: folder.path().to_owned() }));
    put(&engine, "a", b"1", Durability::Buffered).expect("the first must not be disturbed");
}

#[test]
fn a_store_of_a_newer_version_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("tempdir");
    drop(open(folder.path()).expect("open"));
    let format = folder.path().join("FORMAT");
    assert_eq!(fs::read_to_string(&format).expect("read"), "persea rocksdb 1\n");
    fs::write(&format, "persea rocksdb 3\n").expect("write");
    let before = files(folder.path(), "");
    assert_eq!(open(folder.path()).err(), Some(Error::NewerFormat { found: 3, supported: 2 }));
    assert_eq!(files(folder.path(), ""), before);
    assert_eq!(fs::read_to_string(&format).expect("read"), "persea rocksdb 3\n");
}

#[test]
fn a_foreign_store_is_refused() {
    let folder = tempfile::tempdir().expect("tempdir");
    drop(open(folder.path()).expect("open"));
    for text in
        ["", "persea rocksdb 0\n", "persea rocksdb -1\n", "somebody else's\n", "persea rocksdb 99999999999\n"]
    {
        fs::write(folder.path().join("FORMAT"), text).expect("write");
        assert!(matches!(open(folder.path()), Err(Error::Corrupt { .. })), "{text:?}");
    }
    fs::remove_file(folder.path().join("FORMAT")).expect("remove");
    assert!(matches!(open(folder.path()), Err(Error::Corrupt { .. })));
}

#[test]
fn a_crash_while_a_store_is_made_does_no_harm() {
    let folder = tempfile::tempdir().expect("tempdir");
    fs::write(folder.path().join("FORMAT.new"), "perse").expect("write");
    drop(open(folder.path()).expect("open"));
    let folder = tempfile::tempdir().expect("tempdir");
    fs::write(folder.path().join("FORMAT"), "persea rocksdb 1\n").expect("write");
    drop(open(folder.path()).expect("open"));
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let folder = tempfile::tempdir().expect("tempdir");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("write");
    assert!(matches!(open(&file.join("store")), Err(Error::NotWritable { .. })));

    let read_only = folder.path().join("read-only");
    fs::create_dir(&read_only).expect("create_dir");
    let mut permissions = fs::metadata(&read_only).expect("metadata").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&read_only, permissions).expect("set_permissions");
    // The administrator may write everywhere.
    if fs::write(read_only.join("try"), "").is_err() {
        assert!(matches!(open(&read_only), Err(Error::NotWritable { .. })));
        assert!(matches!(open(&read_only.join("store")), Err(Error::NotWritable { .. })));
    }
}

/// The log is replayed up to the damaged record, and no transaction in part.
#[test]
fn a_torn_log_is_replayed_up_to_the_tear() {
    let folder = tempfile::tempdir().expect("tempdir");
    let source = folder.path().join("source");
    // Nothing is synced by itself: a log that is shorter than its synced part is damaged.
    let unsynced = RocksOptions { sync_interval_ms: 1_000_000, ..RocksOptions::default() };
    let engine = RocksEngine::open(&source, &unsynced).expect("open");
    for i in 0..10 {
        let mut transaction = engine.begin(TransactionOptions::default()).expect("begin");
        transaction.put(format!("a{i}").as_bytes(), &[i; 100]).expect("put");
        transaction.put(format!("b{i}").as_bytes(), &[i; 100]).expect("put");
        transaction.commit(Durability::Buffered).expect("commit");
    }
    let mut seen = std::collections::BTreeSet::new();
    for cut in (1..2400).step_by(97) {
        let copy = folder.path().join(format!("copy{cut}"));
        fs::create_dir(&copy).expect("create_dir");
        for file in files(&source, "").into_iter().filter(|file| file.is_file()) {
            fs::copy(&file, copy.join(file.file_name().expect("name"))).expect("copy");
        }
        let logs = files(&copy, ".log");
        let log = fs::OpenOptions::new().write(true).open(logs.last().expect("a log")).expect("open");
        let length = log.metadata().expect("metadata").len();
        log.set_len(length.saturating_sub(cut)).expect("set_len");
        let engine = open(&copy).expect("the store must open by itself");
        let found = count(&engine).expect("count");
        assert_eq!(found % 2, 0, "a commit is incomplete");
        assert!(engine.dropped_log().is_none_or(|dropped| dropped.kept_in.is_none()), "a torn end");
        for i in 0..found / 2 {
            assert_eq!(get(&engine, &format!("b{i}")), Ok(Some(vec![i as u8; 100])));
        }
        seen.insert(found);
    }
    assert!(seen.len() > 5, "the log must be cut in different places: {seen:?}");
}

#[test]
fn damage_is_called_damage() {
    let folder = tempfile::tempdir().expect("tempdir");
    let engine = open(folder.path()).expect("open");
    for i in 0..100 {
        put(&engine, &format!("{i}"), &[i; 1000], Durability::Buffered).expect("put");
    }
    engine.close().expect("close");
    let tables = files(folder.path(), ".sst");
    let table = tables.first().expect("a table");
    let mut bytes = fs::read(table).expect("read");
    for byte in bytes.iter_mut().take(2000) {
        *byte ^= 0x55;
    }
    fs::write(table, bytes).expect("write");
    let result = open(folder.path()).and_then(|engine| count(&engine));
    assert!(matches!(result, Err(Error::Corrupt { .. })), "{result:?}");

    let current = fs::read_to_string(folder.path().join("CURRENT")).expect("read");
    fs::write(folder.path().join(current.trim_end()), "nonsense").expect("write");
    let result = open(folder.path()).map(|_| ());
    assert!(matches!(result, Err(Error::Corrupt { .. })), "{result:?}");
}

#[test]
fn leftovers_of_loads_are_removed() {
    let folder = tempfile::tempdir().expect("tempdir");
    let load_folder = folder.path().join("load");
    let engine = open(folder.path()).expect("open");
    let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: 2_000 }).expect("load");
    load.add(b"a", b"1").expect("add");
    assert_eq!(files(&load_folder, "").len(), 1);
    drop(load);
    assert_eq!(files(&load_folder, "").len(), 0, "an abandoned load must remove its files");
    let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: 2_000 }).expect("load");
    load.add(b"a", b"1").expect("add");
    load.finish(Durability::Buffered).expect("finish");
    assert_eq!(files(&load_folder, "").len(), 0, "a finished load must leave no files");
    drop(engine);
    fs::write(load_folder.join("9.0.sst"), "left by a crash").expect("write");
    let engine = open(folder.path()).expect("open");
    assert!(!load_folder.exists(), "the next start must remove the folder");
    assert_eq!(count(&engine), Ok(1));
}

#[test]
fn a_checkpoint_is_a_store() {
    let folder = tempfile::tempdir().expect("tempdir");
    let engine = open(&folder.path().join("store")).expect("open");
    put(&engine, "a", b"1", Durability::Buffered).expect("put");
    let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: 2_000 }).expect("load");
    load.add(b"b", b"1").expect("add");
    load.finish(Durability::Buffered).expect("finish");
    let copy = folder.path().join("in/a/new/folder");
    engine.checkpoint(&copy).expect("checkpoint");
    assert!(matches!(engine.checkpoint(&copy), Err(Error::Misuse { .. })));
    put(&engine, "c", b"1", Durability::Buffered).expect("put");
    let copied = open(&copy).expect("open");
    assert_eq!(count(&copied), Ok(2));
    put(&copied, "d", b"1", Durability::Synced).expect("put");
    assert_eq!((get(&engine, "d"), count(&engine)), (Ok(None), Ok(3)));
}

#[test]
fn the_page_cache_can_be_left_out() {
    let folder = tempfile::tempdir().expect("tempdir");
    let options = RocksOptions { direct_io: true, ..RocksOptions::default() };
    match RocksEngine::open(folder.path(), &options) {
        Ok(engine) => {
            put(&engine, "a", &[1; 100_000], Durability::Synced).expect("put");
            engine.compact(&KeyRange::all()).expect("compact");
            assert_eq!(get(&engine, "a"), Ok(Some(vec![1; 100_000])));
        }
        // The file system of temporary files may not support it.
        Err(error) => assert!(error.to_string().contains("Direct I/O is not supported"), "{error}"),
    }
}

#[test]
fn options_can_change_between_starts() {
    let folder = tempfile::tempdir().expect("tempdir");
    let all = [
        RocksOptions { memory_bytes: 0, max_open_files: 20, background_jobs: 0, ..RocksOptions::default() },
        RocksOptions { memory_bytes: 1 << 40, compression: Compression::Zstd, ..RocksOptions::default() },
        RocksOptions { wal_limit_bytes: 1 << 20, sync_interval_ms: 0, ..RocksOptions::default() },
    ];
    for (i, options) in all.iter().enumerate() {
        let engine = RocksEngine::open(folder.path(), options).expect("open");
        put(&engine, &i.to_string(), &[0; 10_000], Durability::Buffered).expect("put");
        engine.compact(&KeyRange::all()).expect("compact");
        assert_eq!(count(&engine), Ok(i + 1));
    }
}
