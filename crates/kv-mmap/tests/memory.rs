//! A program of its own, because it measures the memory of the process.
//!
//! The memory that a store takes in addition to the mapped file stays within its bounds.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "tests")]

use std::sync::Arc;
use std::thread;

use encryption::MasterKey;
use kv::{Durability, Engine, KeyRange, LoadHint, LoadKind, TransactionOptions};
use kv_mmap::{MmapEngine, MmapOptions};

const MIB: u64 = 1 << 20;

/// Returns the bytes of memory that belong to no file.
fn anonymous_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("RssAnon");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().expect("a number") << 10
}

/// Runs `work` and returns the greatest growth of memory during it.
fn growth(work: impl FnOnce() + Send) -> u64 {
    let before = anonymous_bytes();
    let mut most = before;
    thread::scope(|scope| {
        let work = scope.spawn(work);
        while !work.is_finished() {
            most = most.max(anonymous_bytes());
            // The pause between two measurements.
            thread::sleep(std::time::Duration::from_millis(2));
        }
    });
    most - before
}

fn open(folder: &std::path::Path, encryption: Option<Arc<MasterKey>>) -> Arc<MmapEngine> {
    let options =
        MmapOptions { memory_bytes: 64 << 20, cache_bytes: 16 << 20, encryption, ..MmapOptions::default() };
    MmapEngine::open(folder, &options).expect("open")
}

/// One test, because others would disturb the measurement.
#[test]
fn loads_writes_and_drops_take_bounded_memory() {
    for encryption in [None, Some(Arc::new(MasterKey::random().expect("random bytes")))] {
        they_take_bounded_memory(encryption);
    }
}

fn they_take_bounded_memory(encryption: Option<Arc<MasterKey>>) {
    let folder = tempfile::tempdir().expect("tempdir");
    let engine = open(folder.path(), encryption);
    let loading = growth(|| {
        let mut load = engine.load(LoadKind::Visible, LoadHint::Sorted { pairs: 0 }).expect("load");
        for i in 0..400_000_u32 {
            load.add(&[b"load".as_slice(), &i.to_be_bytes()].concat(), &[7; 500]).expect("add");
        }
        load.finish(Durability::Buffered).expect("finish");
    });
    assert!(loading < 128 * MIB, "a load of 200 MB took {} MiB", loading / MIB);
    let writing = growth(|| {
        for i in 0..40_000_u32 {
            let mut transaction = engine.begin(TransactionOptions::default()).expect("begin");
            let key = i.wrapping_mul(0x9E37_79B9) % 400_000;
            transaction.put(&[b"load".as_slice(), &key.to_be_bytes()].concat(), &[8; 4_000]).expect("put");
            transaction.commit(Durability::Buffered).expect("commit");
        }
    });
    assert!(writing < 160 * MIB, "writes of 160 MB took {} MiB", writing / MIB);
    let dropping = growth(|| {
        let folder = folder.path().join("copy");
        thread::scope(|scope| {
            scope.spawn(|| engine.checkpoint(&folder).expect("checkpoint"));
            engine.compact(&KeyRange::all()).expect("compact");
        });
        engine.drop_range(&KeyRange::prefix(b"load")).expect("drop_range");
    });
    assert!(dropping < 128 * MIB, "copies and a drop of 300 MB took {} MiB", dropping / MIB);
}
