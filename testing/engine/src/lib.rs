//! The engine on which the tests of upper layers run, and one around it that fails on demand.
//!
//! With `PERSEA_STORAGE_ENGINE=mmfiles`, which also chooses the engine of a server, they run on the
//! memory-mapped engine. Otherwise they run on the memory engine, or on RocksDB if they need files.

#![allow(clippy::expect_used, reason = "tests, though of other crates")]

mod dying;
mod wrapped;

use std::path::Path;
use std::sync::Arc;

use kv::{Engine, MemoryEngine};
use kv_mmap::{MmapEngine, MmapOptions};

pub use dying::Death;
pub use kv::conformance::wait_until;
pub use wrapped::WrappedEngine;

/// The environment variable with the name of the engine.
const VARIABLE: &str = "PERSEA_STORAGE_ENGINE";

/// Creates an empty store for a test that needs no files.
pub fn engine() -> Arc<dyn Engine> {
    if !is_mapped() {
        return MemoryEngine::new();
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let engine = open_mapped(&folder.path().join("engine"));
    Arc::new(WrappedEngine::new(engine).removing(folder))
}

/// Opens a memory-mapped store in a folder, or creates one. Returns `None` if the tests run on
/// other engines.
pub fn mapped_in(folder: &Path) -> Option<Arc<dyn Engine>> {
    is_mapped().then(|| open_mapped(folder))
}

fn open_mapped(folder: &Path) -> Arc<dyn Engine> {
    MmapEngine::open(folder, &MmapOptions::default()).expect("open")
}

fn is_mapped() -> bool {
    std::env::var(VARIABLE).is_ok_and(|name| name == "mmfiles")
}
