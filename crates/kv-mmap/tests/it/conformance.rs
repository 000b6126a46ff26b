//! The memory-mapped engine keeps the promises of the key-value trait.

use std::sync::Arc;

use kv::Engine;
use kv::conformance::{Fixture, Folders};
use kv_mmap::{MmapEngine, MmapOptions};

fn folders() -> impl Fixture {
    Folders::new(|folder| {
        // The minimum memory and a short interval, so that the cases reach the limits, and layers
        // are merged at any moment of a case.
        let options = MmapOptions { memory_bytes: 16 << 20, flush_interval_ms: 5, ..MmapOptions::default() };
        MmapEngine::open(folder, &options).expect("open") as Arc<dyn Engine>
    })
}

kv::conformance_tests!(folders());
