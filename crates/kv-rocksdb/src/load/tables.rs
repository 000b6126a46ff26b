//! Loads as tables: sorted files that are written outside the store, then moved into it atomically.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use kv::{BulkLoad, Durability, LoadKind, Result};
use rust_rocksdb::IngestExternalFileOptions;

use crate::error::map;
use crate::handle::OwnedTableWriter;
use crate::merge::{OpenLoad, TINY_TABLE_BYTES};
use crate::options::TABLE_BYTES;
use crate::store::Store;

/// A load in progress. Its files have a common prefix and a number. If it is dropped, it removes
/// them.
pub(crate) struct TableLoad {
    store: Arc<Store>,
    prefix: PathBuf,
    /// The table that is being written.
    writer: Option<OwnedTableWriter>,
    files: Vec<PathBuf>,
    last_key: Option<Vec<u8>>,
    /// The bytes of keys and values.
    bytes: u64,
    /// The number of files that are tiny tables.
    tiny: usize,
    /// True if older snapshots must not show the pairs.
    ///
    /// Tables that are ingested while there is such a snapshot get a sequence number. RocksDB
    /// rewrites them without it as soon as the snapshot is gone.
    hides_from_snapshots: bool,
    _open: OpenLoad,
}

impl TableLoad {
    pub(crate) fn new(store: Arc<Store>, kind: LoadKind) -> Result<Self> {
        store.check_open()?;
        let prefix = store.new_load_prefix()?;
        Ok(TableLoad {
            _open: store.small_tables.open_load(),
            store,
            prefix,
            writer: None,
            files: Vec::new(),
            last_key: None,
            bytes: 0,
            tiny: 0,
            hides_from_snapshots: kind == LoadKind::Visible,
        })
    }

    fn open_writer(&mut self) -> Result<OwnedTableWriter> {
        let path = self.prefix.with_extension(format!("{}.sst", self.files.len()));
        let mut writer = OwnedTableWriter::new(self.store.table_options());
        writer.open(&path).map_err(map("creating a table"))?;
        self.files.push(path);
        Ok(writer)
    }

    fn end_table(&mut self, mut writer: OwnedTableWriter) -> Result<()> {
        writer.finish().map_err(map("writing a table"))?;
        self.tiny += usize::from(writer.file_bytes() < TINY_TABLE_BYTES);
        Ok(())
    }
}

impl BulkLoad for TableLoad {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.store.check_open()?;
        kv::bulk::check_pair(self.last_key.as_deref(), key, value)?;
        let mut writer = match self.writer.take() {
            Some(writer) => writer,
            None => self.open_writer()?,
        };
        writer.put(key, value).map_err(map("writing a table"))?;
        if writer.file_bytes() >= TABLE_BYTES {
            self.end_table(writer)?;
        } else {
            self.writer = Some(writer);
        }
        self.bytes += (key.len() + value.len()) as u64;
        let last_key = self.last_key.get_or_insert_default();
        last_key.clear();
        last_key.extend_from_slice(key);
        Ok(())
    }

    /// Ends the table, so that no table spans keys of others.
    fn begin_run(&mut self) -> Result<()> {
        match self.writer.take() {
            Some(writer) => self.end_table(writer),
            None => Ok(()),
        }
    }

    /// Loads the tables. The load is always durable: RocksDB syncs the tables and its manifest.
    fn finish(mut self: Box<Self>, _: Durability) -> Result<()> {
        self.store.check_open()?;
        if let Some(writer) = self.writer.take() {
            self.end_table(writer)?;
        }
        if self.files.is_empty() {
            return Ok(());
        }
        let mut options = IngestExternalFileOptions::default();
        options.set_move_files(true);
        options.set_snapshot_consistency(self.hides_from_snapshots);
        // All files are loaded in one step: RocksDB lists them in one record of its manifest, and
        // syncs that.
        let moving = self.store.table_moves.read().unwrap_or_else(PoisonError::into_inner);
        let moved = self.store.db.ingest_external_file_opts(&options, self.files.clone());
        drop(moving);
        moved.map_err(map("loading tables"))?;
        self.store.small_tables.count_loaded(self.files.len(), self.tiny);
        // The pairs are loaded. If the change to other tables fails, the next call tries again.
        let _ = self.store.count_written(self.bytes);
        Ok(())
    }
}

impl Drop for TableLoad {
    fn drop(&mut self) {
        self.writer = None;
        for file in &self.files {
            // Files that were moved into the store are gone; others are removed at the next start.
            let _ = fs::remove_file(file);
        }
    }
}
