//! Loads through the log: one batch of writes, without the buffer and the conflict table of a
//! transaction.

use std::sync::Arc;

use kv::{BulkLoad, Durability, LocalStore, Result};
use rust_rocksdb::WriteBatch;

use crate::merge::OpenLoad;
use crate::store::Store;

/// A load in progress. If it is dropped, it has written nothing.
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

    fn finish(self: Box<Self>, durability: Durability) -> Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.store.write(&self.batch)?;
        // The load counts as a commit without keys, so that later syncs include it.
        let commit = self.store.conflict_table().enter().commit();
        self.store.harden(commit, durability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::RocksOptions;

    #[test]
    fn a_load_is_synced_as_a_commit_is() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(folder.path(), &RocksOptions::default()).unwrap());
        for (n, durability) in [(1, Durability::Buffered), (2, Durability::Synced)] {
            let mut load = Box::new(LoggedLoad::new(Arc::clone(&store)).unwrap());
            load.add(b"key", &[n]).unwrap();
            load.finish(durability).unwrap();
            assert_eq!(store.conflict_table().last_commit(), u64::from(n), "a sync must find this number");
            assert_eq!(store.wal_sync.is_synced(), durability == Durability::Synced);
        }
    }
}
