//! Copies of the open store, and the check that a copy is whole.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use encryption::{Keyring, MasterKey};
use kv::{Engine, Error, Result};
use rust_rocksdb::ReadOptions;
use rust_rocksdb::checkpoint::Checkpoint;

use crate::engine::RocksEngine;
use crate::error::{map, map_open_io};
use crate::format;
use crate::options::RocksOptions;
use crate::store::Store;

/// The memory of the engine that reads a whole store once.
const VERIFY_MEMORY_BYTES: usize = 16 << 20;

impl Store {
    /// Writes a copy of the store into a new folder: hard links to its tables, a copy of the log.
    ///
    /// RocksDB takes the manifest first and the log after it. A table that moved into the store in
    /// between would be missing, although the log has later commits. So no table moves during the
    /// copy.
    pub(crate) fn checkpoint(&self, folder: &Path) -> Result<()> {
        self.check_open()?;
        if folder.exists() {
            let reason = format!("a checkpoint needs a new folder, but {} exists", folder.display());
            return Err(Error::Misuse { reason });
        }
        if let Some(parent) = folder.parent() {
            std::fs::create_dir_all(parent).map_err(|error| map_open_io("creating", parent, &error))?;
        }
        let no_moves = self.table_moves.write().unwrap_or_else(PoisonError::into_inner);
        let checkpoint = Checkpoint::new(&self.db).map_err(map("making a checkpoint"))?;
        checkpoint.create_checkpoint(folder).map_err(map("making a checkpoint"))?;
        drop(no_moves);
        Keyring::copy(&self.folder, folder).map_err(|error| {
            let (path, reason) = (folder.to_owned(), error.to_string());
            Error::NotWritable { path, reason }
        })?;
        format::write(folder, self.is_encrypted)
    }
}

/// Opens the store in `folder` and reads all of it, so that every checksum is compared.
///
/// The store is recovered if it was not closed. Errors: [`Error::Corrupt`],
/// [`Error::DamagedLog`], [`Error::NewerFormat`], [`Error::CannotOpen`], those of opening.
pub fn verify(folder: &Path, encryption: Option<Arc<MasterKey>>) -> Result<()> {
    if !format::is_store(folder) {
        return Err(Error::Corrupt { reason: format!("there is no store in {}", folder.display()) });
    }
    let options = RocksOptions { memory_bytes: VERIFY_MEMORY_BYTES, encryption, ..RocksOptions::default() };
    let engine = RocksEngine::open(folder, &options)?;
    let store = engine.store()?;
    let mut reads = ReadOptions::default();
    reads.fill_cache(false);
    reads.set_readahead_size(2 << 20);
    let mut all = store.db.raw_iterator_opt(reads);
    all.seek_to_first();
    while all.valid() {
        all.next();
    }
    all.status().map_err(map("reading the store"))?;
    drop(all);
    drop(store);
    engine.close()
}
