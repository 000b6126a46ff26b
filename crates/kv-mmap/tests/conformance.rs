//! The memory-mapped engine keeps the promises of the key-value trait.

#![allow(clippy::expect_used, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kv::Engine;
use kv::conformance::Fixture;
use kv_mmap::{MmapEngine, MmapOptions};

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
        // The least memory and a short interval, so that the cases reach the limits, and layers are
        // merged at any moment of a case.
        let options = MmapOptions { memory_bytes: 16 << 20, flush_interval_ms: 5, ..MmapOptions::default() };
        MmapEngine::open(self.folder.path().join(name), &options).expect("open")
    }
}

kv::conformance_tests!(folder());
