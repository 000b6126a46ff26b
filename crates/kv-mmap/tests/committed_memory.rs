//! A program of its own, because it replaces the allocator.
//!
//! Committed writes are the memory of the store, and those that were rolled back are freed. Neither
//! counts for its thread.

#![allow(clippy::expect_used, reason = "tests")]

use std::sync::Arc;

use allocation_meter::{CountingAllocator, thread_bytes};
use kv::{Durability, Engine, KeyRange, MemoryEngine, TransactionOptions};
use kv_mmap::{MmapEngine, MmapOptions};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The bytes that a thread may have grown or shrunk by after its transactions.
const SLACK_BYTES: i64 = 2 << 20;

/// Writes 20 MB in transactions with values of this many bytes. Commits them or rolls them back.
fn write(engine: &dyn Engine, transactions: u32, value_bytes: usize, commits: bool) {
    let rows = 20_000_000 / transactions / value_bytes as u32;
    for number in 0..transactions {
        let mut transaction = engine.begin(TransactionOptions::default()).expect("begin");
        for row in 0..rows {
            let key = (row * transactions + number).to_be_bytes();
            transaction.put(&key, &vec![7; value_bytes]).expect("put");
        }
        if commits {
            transaction.commit(Durability::Buffered).expect("commit");
        } else {
            transaction.rollback();
        }
    }
}

#[test]
fn writes_of_ended_transactions_do_not_count_for_their_thread() {
    let folder = tempfile::tempdir().expect("tempdir");
    // The engine merges its writes only when it is told to: whoever drops the last snapshot of
    // merged writes frees them.
    let options =
        MmapOptions { memory_bytes: 1 << 30, flush_interval_ms: 3_600_000, ..MmapOptions::default() };
    let mapped = MmapEngine::open(folder.path(), &options).expect("open");
    let engines: [Arc<dyn Engine>; 2] = [mapped, MemoryEngine::new()];
    for engine in engines {
        // The last ones are so long that another thread frees their buffers.
        for (transactions, value_bytes, commits) in
            [(2_000, 1_000, true), (20, 1_000, true), (20, 100, true), (1, 100, true), (1, 100, false)]
        {
            engine.compact(&KeyRange::all()).expect("compact");
            let before = thread_bytes();
            write(&*engine, transactions, value_bytes, commits);
            let grown = thread_bytes() - before;
            let case = (engine.name(), transactions, value_bytes, commits);
            assert!(grown.abs() < SLACK_BYTES, "{grown} bytes by {case:?}");
        }
    }
}
