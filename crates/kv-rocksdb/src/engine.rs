//! The engine: a store while it is open.

use std::path::Path;
use std::sync::Arc;

use kv::background::BackgroundThread;
use kv::{
    BulkLoad, Engine, EngineStatistics, KeyRange, LoadHint, LoadKind, LocalStore, LocalTransaction,
    OpenStore, Result, Snapshot, TransactionOptions, WriteTransaction,
};

use crate::load::LoadPath;
use crate::load::logged::LoggedLoad;
use crate::load::tables::TableLoad;
use crate::options::RocksOptions;
use crate::recovery::DroppedLog;
use crate::store::Store;

/// A RocksDB store in a folder.
pub struct RocksEngine {
    store: OpenStore<Store>,
}

impl RocksEngine {
    /// Opens the store in `folder`, or creates a new one.
    ///
    /// A store that was not closed is recovered. It has every synced commit. It has every other
    /// commit as a whole or not at all, and none without all earlier ones.
    ///
    /// Errors: [`kv::Error::DamagedLog`] if the log is damaged before its end, unless the options
    /// say otherwise.
    pub fn open(folder: impl AsRef<Path>, options: &RocksOptions) -> Result<Arc<RocksEngine>> {
        let store = Arc::new(Store::open(folder.as_ref(), options)?);
        let merge = BackgroundThread::start("merge", Arc::clone(&store.small_tables) as _)?;
        let sync = BackgroundThread::start("log-sync", Arc::clone(&store.wal_sync) as _)?;
        Ok(Arc::new(RocksEngine { store: OpenStore::new(store, vec![merge, sync]) }))
    }

    /// Returns the part of the log that [`RocksEngine::open`] did not replay, if there is one.
    pub fn dropped_log(&self) -> Option<DroppedLog> {
        self.store().ok()?.dropped_log.clone()
    }

    pub(crate) fn store(&self) -> Result<Arc<Store>> {
        self.store.get()
    }
}

impl Engine for RocksEngine {
    fn name(&self) -> &'static str {
        "rocksdb"
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

    fn load(&self, kind: LoadKind, hint: LoadHint) -> Result<Box<dyn BulkLoad>> {
        let store = self.store()?;
        match store.load_path(kind, hint) {
            LoadPath::Tables => Ok(Box::new(TableLoad::new(store, kind)?)),
            LoadPath::Log => Ok(Box::new(LoggedLoad::new(store)?)),
        }
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
        self.store()?.wal_sync.sync_all()
    }

    fn checkpoint(&self, folder: &Path) -> Result<()> {
        self.store()?.checkpoint(folder)
    }

    fn statistics(&self) -> EngineStatistics {
        self.store().map_or_else(|_| EngineStatistics::default(), |store| store.statistics())
    }

    fn close(&self) -> Result<()> {
        let Some(store) = self.store.close(|store| store.set_closed()) else {
            return Ok(());
        };
        // The flush spares the next start the replay of the log. A failed flush does no harm if the
        // log is synced.
        let synced = store.wal_sync.sync_all();
        let _ = store.flush();
        store.db.cancel_all_background_work(true);
        synced
    }
}

impl Drop for RocksEngine {
    fn drop(&mut self) {
        // Callers that need the result call `close`.
        let _ = self.close();
    }
}
