//! A store that is opened without a server.

use std::path::Path;
use std::sync::Arc;

use database::InstanceOptions;
use encryption::{Keyring, MasterKey, Secret, TemporaryFolder};
use errors::{Error, ErrorCode, Result};
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

/// Returns the key of the store in a folder; `None` if it is not encrypted.
///
/// Errors: 7002 without a secret that opens it.
pub(super) fn key_of(folder: &Path, secret: Option<&Secret>) -> Result<Option<Arc<MasterKey>>> {
    if !Keyring::exists(folder) {
        return Ok(None);
    }
    let refused = |reason: String| Error::new(ErrorCode::HotRestoreInternal, reason);
    let Some(secret) = secret else {
        let message = format!(
            "the store in {} is encrypted; name its key by --encryption.keyfile or --encryption.key-generator",
            folder.display()
        );
        return Err(refused(message));
    };
    let keyring = Keyring::open(folder, std::slice::from_ref(secret));
    keyring.map(|keyring| Some(Arc::clone(keyring.master_key()))).map_err(|error| refused(error.to_string()))
}

/// Returns the folder of temporary files of one who works with a store, which are encrypted if the
/// store is.
pub(super) fn temporary_folder(folder: &Path) -> TemporaryFolder {
    TemporaryFolder { path: std::env::temp_dir(), is_encrypted: Keyring::exists(folder) }
}

/// Opens the store in a folder, by a secret if it is encrypted.
///
/// Errors: 7002 without a secret that opens it, those of the engine.
pub(super) fn open_engine(
    folder: &Path,
    secret: Option<&Secret>,
    budget: &MemoryBudget,
) -> Result<Arc<dyn Engine>> {
    let bytes = usize::try_from(budget.block_cache_bytes + budget.memtable_bytes).unwrap_or(usize::MAX);
    let encryption = key_of(folder, secret)?;
    if kv_mmap::is_store(folder) {
        let cache_bytes = usize::try_from(budget.block_cache_bytes).unwrap_or(usize::MAX);
        let options = MmapOptions { memory_bytes: bytes, cache_bytes, encryption, ..MmapOptions::default() };
        return Ok(MmapEngine::open(folder, &options)?);
    }
    let options = RocksOptions { memory_bytes: bytes, encryption, ..RocksOptions::default() };
    Ok(RocksEngine::open(folder, &options)?)
}
