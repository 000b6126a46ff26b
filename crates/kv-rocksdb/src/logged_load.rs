//! Loads through the log: one batch of writes, without the buffer and the conflict table of a transaction.

use std::sync::Arc;

use kv::{BulkLoad, Result};
use rust_rocksdb::WriteBatch;

use crate::merge::OpenLoad;
use crate::store::Store;

/// A load in progress. Dropped, it has written nothing.
pub(crate) struct LoggedLoad {
    store: Arc<Store>,
    batch: WriteBatch,
    last_key: Option<Vec<u8>>,
    _open: OpenLoad,
}

impl LoggedLoad {
    pub(crate) fn new(store: Arc<Store>) -> Result<Self> {
        store.check_open()?;
        let _open = store.small_tables.open_load();
        Ok(LoggedLoad { store, batch: WriteBatch::default(), last_key: None, _open })
    }
}

impl BulkLoad for LoggedLoad {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        kv::bulk::check_pair(self.last_key.as_deref(), key, value)?;
        self.batch.put(key, value);
        let last_key = self.last_key.get_or_insert_default();
        last_key.clear();
        last_key.extend_from_slice(key);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.store.write(&self.batch)?;
        self.store.log.sync_soon();
        Ok(())
    }
}
