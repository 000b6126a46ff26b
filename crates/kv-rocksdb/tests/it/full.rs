//! A full disk: writes report it and change nothing, reads continue, and nothing is lost.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "tests")]

use std::path::Path;
use std::process::Command;

use kv::conformance::{Mounted, wait_until};
use kv::{Durability, Engine, Error, Result, TransactionOptions};
use kv_rocksdb::{RocksEngine, RocksOptions};

fn put(engine: &RocksEngine, number: u32) -> Result<()> {
    let mut transaction = engine.begin(TransactionOptions::default())?;
    let value: Vec<u8> = (0..10_000_u32).flat_map(|i| (i * 31 + number * 7).to_le_bytes()).collect();
    transaction.put(&number.to_be_bytes(), &value)?;
    transaction.put(&[&number.to_be_bytes()[..], b"second"].concat(), b"value")?;
    transaction.commit(Durability::Buffered)
}

fn is_there(engine: &RocksEngine, number: u32) -> (bool, bool) {
    let keys = [number.to_be_bytes().to_vec(), [&number.to_be_bytes()[..], b"second"].concat()];
    let values =
        engine.snapshot().expect("snapshot").get_many(&[&keys[0], &keys[1]]).expect("reads must continue");
    (values.is_present(0), values.is_present(1))
}

#[test]
fn a_full_disk_is_reported_and_nothing_is_lost() {
    let folder = tempfile::tempdir().expect("tempdir");
    let Some(disk) = Mounted::small(folder.path()) else {
        eprintln!("not tested: this user may not mount a file system");
        return;
    };
    let store = disk.join("store");
    let options = RocksOptions { memory_bytes: 16 << 20, ..RocksOptions::default() };
    let engine = RocksEngine::open(&store, &options).expect("open");
    let ballast = disk.join("ballast");
    std::fs::write(&ballast, vec![1; 8 << 20]).expect("write");
    let mut written = 0;
    let error = loop {
        match put(&engine, written) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 1000, "24 MB never became full");
    };
    assert!(matches!(error, Error::Full { .. }), "{error}");
    assert!(written > 10);
    assert_eq!(is_there(&engine, written), (false, false), "the refused commit must not take place");
    assert!((0..written).all(|number| is_there(&engine, number) == (true, true)));
    assert!(
        matches!(put(&engine, written), Err(Error::Full { .. })),
        "writes must fail while the disk is full"
    );

    std::fs::remove_file(&ballast).expect("remove");
    wait_until("writes succeed, since there is space again", || match put(&engine, written) {
        Ok(()) => true,
        Err(error) => {
            assert!(matches!(error, Error::Full { .. }), "{error}");
            false
        }
    });
    let mut transaction = engine.begin(TransactionOptions::default()).expect("begin");
    transaction.put(b"synced", b"1").expect("put");
    transaction.commit(Durability::Synced).expect("the log must sync again");
    let killed = tempfile::tempdir().expect("tempdir");
    copy(&store, killed.path());
    let copied = RocksEngine::open(killed.path(), &options).expect("a kill after the recovery does no harm");
    assert!((0..=written).all(|number| is_there(&copied, number) == (true, true)));
    drop(engine);
    let engine = RocksEngine::open(&store, &options).expect("open");
    assert!((0..=written).all(|number| is_there(&engine, number) == (true, true)));
    drop(engine);
}

/// Copies the files of a store, as a kill leaves them: again, if a flush or a compaction changes
/// them during that time.
fn copy(from: &Path, to: &Path) {
    for _ in 0..100 {
        let before = files(from);
        for (name, _) in &before {
            // A file that has gone shows in the comparison.
            let _ = std::fs::copy(from.join(name), to.join(name));
        }
        if files(from) == before {
            return;
        }
        for (name, _) in &before {
            let _ = std::fs::remove_file(to.join(name));
        }
    }
    panic!("the files of the store never stood still");
}

/// Returns the names and lengths of a folder's files. The log of events, which grows by itself,
/// has the length 0.
fn files(folder: &Path) -> Vec<(std::ffi::OsString, u64)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("read_dir").map(|entry| entry.expect("entry")) {
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_file() {
            let name = entry.file_name();
            let bytes = if name == "LOG" { 0 } else { metadata.len() };
            files.push((name, bytes));
        }
    }
    files.sort();
    files
}

/// Makes a folder read-only: files that are open can still be written, and no others created.
fn make_read_only(folder: &Path) -> bool {
    let path = folder.to_str().expect("a path in UTF-8");
    let mount = |arguments: &[&str]| {
        let output = Command::new("mount").args(arguments).arg(folder).output();
        output.is_ok_and(|output| output.status.success())
    };
    mount(&["--bind", path]) && mount(&["-o", "remount,bind,ro"])
}

#[test]
fn a_folder_that_becomes_read_only_is_reported_and_nothing_is_lost() {
    let folder = tempfile::tempdir().expect("tempdir");
    let Some(disk) = Mounted::small(folder.path()) else {
        eprintln!("not tested: this user may not mount a file system");
        return;
    };
    let store = disk.join("store");
    let options = RocksOptions { memory_bytes: 16 << 20, ..RocksOptions::default() };
    let engine = RocksEngine::open(&store, &options).expect("open");
    put(&engine, 0).expect("put");
    assert!(make_read_only(&store));
    let read_only = Mounted::at(&store);
    let mut written = 1;
    let error = loop {
        match put(&engine, written) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 500, "no file was ever created");
    };
    let mut errors = vec![error];
    errors.extend((0..3).filter_map(|_| put(&engine, written + 1).err()));
    let last = errors.last().expect("an error");
    assert!(matches!(last, Error::NotWritable { .. }), "{errors:?}");
    assert_eq!(is_there(&engine, written + 1), (false, false), "a refused commit did not take place");
    assert!((0..written).all(|number| is_there(&engine, number) == (true, true)));
    drop(engine);
    drop(read_only);
    let engine = RocksEngine::open(&store, &options).expect("open");
    assert!((0..written).all(|number| is_there(&engine, number) == (true, true)));
    assert_eq!(is_there(&engine, written + 1), (false, false));
}
