//! A store that is opened without a server.

use std::path::Path;
use std::sync::Arc;

use database::InstanceOptions;
use errors::Result;
use kv::Engine;
use kv_mmap::{MmapEngine, MmapOptions};
use kv_rocksdb::{RocksEngine, RocksOptions};
use storage::{ChangeLogMode, ChangeLogOptions, MemoryBudget};

/// Returns the options of a store that is opened without a server.
pub(super) fn instance_options(budget: &MemoryBudget) -> InstanceOptions {
    InstanceOptions {
        query_memory_bytes: budget.query_bytes,
        result_memory_bytes: budget.result_bytes,
        ..InstanceOptions::default()
    }
}

/// Returns the options of a change log. Without a file that has its identity, it is never ended.
pub(super) fn log_options(mode: ChangeLogMode) -> ChangeLogOptions {
    ChangeLogOptions { mode, ..ChangeLogOptions::default() }
}

/// Opens the store in a folder.
///
/// Errors: those of the engine.
pub(super) fn open_engine(folder: &Path, budget: &MemoryBudget) -> Result<Arc<dyn Engine>> {
    let bytes = usize::try_from(budget.block_cache_bytes + budget.memtable_bytes).unwrap_or(usize::MAX);
    if kv_mmap::is_store(folder) {
        let options = MmapOptions { memory_bytes: bytes, ..MmapOptions::default() };
        return Ok(MmapEngine::open(folder, &options)?);
    }
    let options = RocksOptions { memory_bytes: bytes, ..RocksOptions::default() };
    Ok(RocksEngine::open(folder, &options)?)
}
