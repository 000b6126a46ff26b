//! RocksDB keeps the promises of the key-value trait.

#![allow(clippy::expect_used, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kv::Engine;
use kv::conformance::Fixture;
use kv_rocksdb::{RocksEngine, RocksOptions};

/// A source of stores in a folder that is removed afterwards.
struct Folder {
    folder: tempfile::TempDir,
    stores: AtomicUsize,
}

fn folder() -> Folder {
    Folder { folder: tempfile::tempdir().expect("a temporary folder"), stores: AtomicUsize::new(0) }
}

impl Fixture for Folder {
    fn engine(&self) -> Arc<dyn Engine> {
        let name = self.stores.fetch_add(1, Ordering::Relaxed).to_string();
        // The least memory, so that the cases reach its limits.
        let options = RocksOptions { memory_bytes: 16 << 20, ..RocksOptions::default() };
        RocksEngine::open(self.folder.path().join(name), &options).expect("open")
    }
}

kv::conformance_tests!(folder());
