//! A full disk: writes report it and change nothing, reads continue, and nothing is lost.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "tests")]

use std::sync::Arc;

use encryption::MasterKey;
use kv::conformance::{Mounted, wait_until};
use kv::{Durability, Engine, Error, Result, TransactionOptions};
use kv_mmap::{MmapEngine, MmapOptions};

fn put(engine: &MmapEngine, number: u32) -> Result<()> {
    let mut transaction = engine.begin(TransactionOptions::default())?;
    let value: Vec<u8> = (0..10_000_u32).flat_map(|i| (i * 31 + number * 7).to_le_bytes()).collect();
    transaction.put(&number.to_be_bytes(), &value)?;
    transaction.put(&[&number.to_be_bytes()[..], b"second"].concat(), b"value")?;
    transaction.commit(Durability::Buffered)
}

fn is_there(engine: &MmapEngine, number: u32) -> (bool, bool) {
    let keys = [number.to_be_bytes().to_vec(), [&number.to_be_bytes()[..], b"second"].concat()];
    loop {
        match engine.snapshot().expect("snapshot").get_many(&[&keys[0], &keys[1]]) {
            // The first failed write of the tables came after the snapshot.
            Err(Error::SnapshotExpired) => {}
            values => {
                let values = values.expect("reads must continue");
                return (values.is_present(0), values.is_present(1));
            }
        }
    }
}

/// The tables are full as well as the log.
#[test]
fn a_full_disk_is_reported_and_nothing_of_encrypted_tables_is_lost() {
    let folder = tempfile::tempdir().expect("tempdir");
    let Some(disk) = Mounted::small(folder.path()) else {
        eprintln!("not tested: this user may not mount a file system");
        return;
    };
    let store = disk.join("store");
    let encryption = Some(Arc::new(MasterKey::random().expect("random bytes")));
    let options = MmapOptions {
        memory_bytes: 16 << 20,
        cache_bytes: 4 << 20,
        flush_interval_ms: 5,
        encryption,
        ..MmapOptions::default()
    };
    let engine = MmapEngine::open(&store, &options).expect("open");
    let ballast = disk.join("ballast");
    std::fs::write(&ballast, vec![1; 8 << 20]).expect("write");
    let mut written = 0;
    let error = loop {
        match put(&engine, written) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 10_000, "the disk must be full at some time");
    };
    assert!(matches!(error, Error::Full { .. }), "{error}");
    for _ in 0..20 {
        (0..written).for_each(|number| assert_eq!(is_there(&engine, number), (true, true), "{number}"));
        assert_eq!(is_there(&engine, written), (false, false));
    }
    std::fs::remove_file(&ballast).expect("remove");
    wait_until("writes succeed again", || put(&engine, written).is_ok());
    wait_until("all is merged", || engine.statistics().memtable_bytes == 0);
    drop(engine);
    let engine = MmapEngine::open(&store, &options).expect("open");
    (0..=written).for_each(|number| assert_eq!(is_there(&engine, number), (true, true), "{number}"));
}
