//! Bulk loads: sorted table files written beside the store, then moved into it at once.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use kv::{BulkLoad, Result};
use rust_rocksdb::IngestExternalFileOptions;

use crate::error::map;
use crate::handle::OwnedTableWriter;
use crate::merge::OpenLoad;
use crate::options::{MERGED_FROM_TABLES, TABLE_BYTES};
use crate::store::Store;

impl Store {
    /// Whether tables of the first level are being merged. RocksDB puts tables that are loaded meanwhile on top of them,
    /// whatever their keys are, and slows all writers down to kilobytes a second when there are a few dozen.
    pub(crate) fn tables_would_pile_up(&self) -> bool {
        let tables = self.db.property_value("rocksdb.num-files-at-level0").ok().flatten();
        tables
            .and_then(|tables| tables.parse::<u32>().ok())
            .is_some_and(|tables| tables >= MERGED_FROM_TABLES)
    }
}

/// A load in progress. Its files have a common prefix and a number; dropped, it removes them.
pub(crate) struct RocksBulkLoad {
    store: Arc<Store>,
    prefix: PathBuf,
    /// The table that is being written.
    writer: Option<OwnedTableWriter>,
    files: Vec<PathBuf>,
    last_key: Option<Vec<u8>>,
    /// Of keys and values.
    bytes: u64,
    /// Whether snapshots that were taken before must not show the pairs. Tables that are ingested while there is such
    /// a snapshot get a sequence number, and RocksDB rewrites them without it as soon as the snapshot is gone.
    hides_from_snapshots: bool,
    _open: OpenLoad,
}

impl RocksBulkLoad {
    pub(crate) fn new(store: Arc<Store>, hides_from_snapshots: bool) -> Result<Self> {
        store.check_open()?;
        let prefix = store.load_path()?;
        Ok(RocksBulkLoad {
            _open: store.small_tables.open_load(),
            store,
            prefix,
            writer: None,
            files: Vec::new(),
            last_key: None,
            bytes: 0,
            hides_from_snapshots,
        })
    }

    fn open_writer(&mut self) -> Result<OwnedTableWriter> {
        let path = self.prefix.with_extension(format!("{}.sst", self.files.len()));
        let mut writer = OwnedTableWriter::new(self.store.table_options());
        writer.open(&path).map_err(map("creating a table"))?;
        self.files.push(path);
        Ok(writer)
    }
}

impl BulkLoad for RocksBulkLoad {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.store.check_open()?;
        kv::bulk::check_pair(self.last_key.as_deref(), key, value)?;
        let mut writer = match self.writer.take() {
            Some(writer) => writer,
            None => self.open_writer()?,
        };
        writer.put(key, value).map_err(map("writing a table"))?;
        if writer.file_bytes() >= TABLE_BYTES {
            writer.finish().map_err(map("writing a table"))?;
        } else {
            self.writer = Some(writer);
        }
        self.bytes += (key.len() + value.len()) as u64;
        let last_key = self.last_key.get_or_insert_default();
        last_key.clear();
        last_key.extend_from_slice(key);
        Ok(())
    }

    fn cut(&mut self) -> Result<()> {
        match self.writer.take() {
            Some(mut writer) => writer.finish().map_err(map("writing a table")),
            None => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.store.check_open()?;
        if let Some(mut writer) = self.writer.take() {
            writer.finish().map_err(map("writing a table"))?;
        }
        if self.files.is_empty() {
            return Ok(());
        }
        let mut options = IngestExternalFileOptions::default();
        options.set_move_files(true);
        options.set_snapshot_consistency(self.hides_from_snapshots);
        // All files in one step: RocksDB lists them in one record of its manifest, and syncs that.
        self.store
            .db
            .ingest_external_file_opts(&options, self.files.clone())
            .map_err(map("loading tables"))?;
        self.store.small_tables.count_loaded(self.files.len());
        // It is loaded. If the tables cannot be adapted to its size, the next time will do.
        let _ = self.store.count_written(self.bytes);
        Ok(())
    }
}

impl Drop for RocksBulkLoad {
    fn drop(&mut self) {
        self.writer = None;
        for file in &self.files {
            // Those that were moved into the store are not there any more; others are removed at the next start.
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::RocksOptions;

    #[test]
    fn tables_that_wait_to_be_merged_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &RocksOptions::default()).unwrap();
        store.db.set_options(&[("disable_auto_compactions", "true")]).unwrap();
        for tables in 0..MERGED_FROM_TABLES {
            assert!(!store.tables_would_pile_up(), "{tables}");
            store.db.put(b"key", tables.to_be_bytes()).unwrap();
            store.db.flush().unwrap();
        }
        assert!(store.tables_would_pile_up());
        store.db.compact_range::<&[u8], &[u8]>(None, None);
        assert!(!store.tables_would_pile_up());
    }
}
