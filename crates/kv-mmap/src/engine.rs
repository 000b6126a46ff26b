//! The engine: a store while it is open.

use std::path::Path;
use std::sync::Arc;

use kv::background::BackgroundThread;
use kv::{
    BulkLoad, Engine, EngineStatistics, KeyRange, LoadHint, LoadKind, LocalStore, LocalTransaction,
    OpenStore, Result, Snapshot, TransactionOptions, WriteTransaction,
};

use crate::flusher::Flusher;
use crate::load::Load;
use crate::log::DroppedLog;
use crate::options::MmapOptions;
use crate::store::Store;

/// A memory-mapped store in a folder.
pub struct MmapEngine {
    store: OpenStore<Store>,
}

impl MmapEngine {
    /// Opens the store in `folder`, or creates a new one.
    ///
    /// A store that was not closed is recovered. It has every synced commit. It has every other
    /// commit as a whole or not at all, and none without all earlier ones.
    ///
    /// Errors: [`kv::Error::DamagedLog`] if a commit is missing that was synced, unless the options
    /// say to continue without it.
    pub fn open(folder: impl AsRef<Path>, options: &MmapOptions) -> Result<Arc<MmapEngine>> {
        Self::start(Store::open(folder.as_ref(), options)?)
    }

    /// Starts the threads of a store.
    pub(crate) fn start(store: Store) -> Result<Arc<MmapEngine>> {
        let store = Arc::new(store);
        let sync = BackgroundThread::start("log-sync", Arc::clone(&store.log_sync) as _)?;
        let flush = BackgroundThread::start("flush", Arc::new(Flusher(Arc::clone(&store))))?;
        Ok(Arc::new(MmapEngine { store: OpenStore::new(store, vec![flush, sync]) }))
    }

    /// Returns the part of the log that [`MmapEngine::open`] did not replay; `None` if there is
    /// none.
    pub fn dropped_log(&self) -> Option<DroppedLog> {
        let dropped = self.store().ok()?.dropped_log.clone();
        Some(dropped).filter(|dropped| dropped.bytes > 0)
    }

    /// Merges all commits into the mapped file, and syncs it.
    pub(crate) fn flush(&self) -> Result<()> {
        self.store()?.flush()
    }

    fn store(&self) -> Result<Arc<Store>> {
        self.store.get()
    }
}

impl Engine for MmapEngine {
    fn name(&self) -> &'static str {
        "mmfiles"
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.store()?.snapshot()
    }

    fn begin(&self, options: TransactionOptions) -> Result<Box<dyn WriteTransaction>> {
        Ok(Box::new(LocalTransaction::begin(self.store()?, options)?))
    }

    fn drop_range(&self, range: &KeyRange) -> Result<()> {
        self.store()?.drop_range(range)
    }

    fn load(&self, _: LoadKind, _: LoadHint) -> Result<Box<dyn BulkLoad>> {
        Ok(Box::new(Load::new(self.store()?)?))
    }

    fn split_points(&self, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>> {
        self.store()?.split_points(range, parts)
    }

    fn approximate_size_bytes(&self, range: &KeyRange) -> Result<u64> {
        self.store()?.approximate_size_bytes(range)
    }

    fn compact(&self, range: &KeyRange) -> Result<()> {
        self.store()?.compact(range)
    }

    fn sync(&self) -> Result<()> {
        self.store()?.log_sync.sync_all()
    }

    fn checkpoint(&self, folder: &Path) -> Result<()> {
        self.store()?.checkpoint(folder)
    }

    fn statistics(&self) -> EngineStatistics {
        self.store().map_or_else(|_| EngineStatistics::default(), |store| store.statistics())
    }

    fn close(&self) -> Result<()> {
        let Some(store) = self.store.close(|store| store.closed.set()) else {
            return Ok(());
        };
        // The flush saves the next start from replaying the log. A failed flush is harmless if the
        // log is synced.
        let synced = store.log_sync.sync_all();
        let _ = store.flush();
        synced
    }
}

impl Drop for MmapEngine {
    fn drop(&mut self) {
        // Callers that need the result call `close`.
        let _ = self.close();
    }
}
