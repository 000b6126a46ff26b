//! A program of its own, because it replaces the allocator.
//!
//! Committed writes are the memory of the store: they do not count for their thread.

#![allow(clippy::expect_used, reason = "tests")]

use std::sync::Arc;

use allocation_meter::{CountingAllocator, thread_bytes};
use kv::{Durability, Engine, MemoryEngine, TransactionOptions};
use kv_mmap::{MmapEngine, MmapOptions};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The bytes that a thread may have grown or shrunk by after its commits.
const SLACK_BYTES: i64 = 2 << 20;

/// Commits 20 MB in `commits` commits of values of this many bytes.
fn write(engine: &dyn Engine, commits: u32, value_bytes: usize) {
    let rows = 20_000_000 / commits / value_bytes as u32;
    for commit in 0..commits {
        let mut transaction = engine.begin(TransactionOptions::default()).expect("begin");
        for row in 0..rows {
            let key = (row * commits + commit).to_be_bytes();
            transaction.put(&key, &vec![7; value_bytes]).expect("put");
        }
        transaction.commit(Durability::Buffered).expect("commit");
    }
}

#[test]
fn committed_writes_do_not_count_for_their_thread() {
    let folder = tempfile::tempdir().expect("tempdir");
    let mapped = MmapEngine::open(folder.path(), &MmapOptions::default()).expect("open");
    let engines: [Arc<dyn Engine>; 2] = [mapped, MemoryEngine::new()];
    for engine in engines {
        // The last one is so long that another thread frees its buffer.
        for (commits, value_bytes) in [(2_000, 1_000), (20, 1_000), (20, 100), (1, 100)] {
            let before = thread_bytes();
            write(&*engine, commits, value_bytes);
            let grown = thread_bytes() - before;
            let name = engine.name();
            assert!(grown.abs() < SLACK_BYTES, "{name}: {grown} bytes by {commits} of {value_bytes}");
        }
    }
}
