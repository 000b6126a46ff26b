//! A program of its own, because it starts itself again as a child.
//!
//! RocksDB's store survives kills.

#![allow(clippy::expect_used, reason = "tests")]

use std::path::Path;
use std::sync::Arc;

use kv::{Engine, Result};
use kv_rocksdb::{RocksEngine, RocksOptions};

fn open(folder: &Path) -> Result<Arc<dyn Engine>> {
    // There is so little memory that memtables are flushed and tables compacted all the time.
    let options = RocksOptions { memory_bytes: 16 << 20, sync_interval_ms: 10, ..RocksOptions::default() };
    Ok(RocksEngine::open(folder, &options)?)
}

kv::crash_tests!(open);
