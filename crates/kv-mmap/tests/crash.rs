//! A program of its own, because it starts itself again as a child.
//!
//! The memory-mapped store survives kills.

#![allow(clippy::expect_used, reason = "tests")]

use std::path::Path;
use std::sync::Arc;

use kv::{Engine, Result};
use kv_mmap::{MmapEngine, MmapOptions};

fn open(folder: &Path) -> Result<Arc<dyn Engine>> {
    // Layers are merged all the time, because they fill up and because the interval is short.
    let options = MmapOptions {
        memory_bytes: 16 << 20,
        sync_interval_ms: 10,
        flush_interval_ms: 20,
        ..MmapOptions::default()
    };
    Ok(MmapEngine::open(folder, &options)?)
}

kv::crash_tests!(open);
