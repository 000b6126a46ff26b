//! A program of its own, because it starts itself again as a child.
//!
//! The encrypted store survives kills.

#![allow(clippy::expect_used, reason = "tests")]

use std::path::Path;
use std::sync::Arc;

use encryption::{Keyring, Secret};
use kv::{Engine, Result};
use kv_mmap::{MmapEngine, MmapOptions};

fn open(folder: &Path) -> Result<Arc<dyn Engine>> {
    let secret = [Secret::of_bytes([7; 32])];
    std::fs::create_dir_all(folder).expect("a folder");
    let keyring = match Keyring::exists(folder) {
        true => Keyring::open(folder, &secret),
        false => Keyring::create(folder, &secret),
    };
    // Layers are merged all the time, because they fill up and because the interval is short.
    let options = MmapOptions {
        memory_bytes: 16 << 20,
        cache_bytes: 8 << 20,
        sync_interval_ms: 10,
        flush_interval_ms: 20,
        encryption: Some(Arc::clone(keyring.expect("a keyring").master_key())),
        ..MmapOptions::default()
    };
    Ok(MmapEngine::open(folder, &options)?)
}

kv::crash_tests!(open);
