//! The open database: what transactions, snapshots and loads share.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kv::{ConflictTable, Durability, LocalStore, Overlay, Result, Snapshot};
use rust_rocksdb::{DB, Options, ReadOptions, WriteBatch, WriteOptions};

use crate::error::{map, map_commit, map_open, map_open_io};
use crate::format;
use crate::handle::OwnedSnapshot;
use crate::log::Log;
use crate::options::{RocksOptions, Tuning};
use crate::snapshot::{RocksSnapshot, check_open};

/// Where bulk loads write their tables.
const LOAD_FOLDER: &str = "load";

/// Bytes that a batch takes beside a write's key and value: its tag and the two lengths.
const BATCH_OVERHEAD_BYTES: usize = 11;

/// Memory for stamps of the conflict table, as a divisor of the budget: about one key a kilobyte.
const REMEMBERED_KEY_SHARE: usize = 1 << 10;

/// An open database. Lives until the engine is closed and the last snapshot, transaction and load is gone.
pub(crate) struct Store {
    pub(crate) db: Arc<DB>,
    pub(crate) folder: PathBuf,
    /// As the database was opened; bulk loads write their tables with them.
    pub(crate) options: Arc<Options>,
    pub(crate) cache: rust_rocksdb::Cache,
    pub(crate) log: Arc<Log>,
    conflict_table: Arc<ConflictTable>,
    write_options: WriteOptions,
    latest: ReadOptions,
    loads: AtomicU64,
    is_closed: Arc<AtomicBool>,
}

impl Store {
    pub(crate) fn open(folder: &Path, wanted: &RocksOptions) -> Result<Store> {
        format::check_or_create(folder)?;
        let Tuning { options, cache, write_options } = Tuning::new(wanted);
        let db = Arc::new(DB::open(&options, folder).map_err(|error| map_open(&error, folder))?);
        // The lock is ours now: nobody else's loads are in there.
        let load_folder = folder.join(LOAD_FOLDER);
        if load_folder.exists() {
            fs::remove_dir_all(&load_folder)
                .map_err(|error| map_open_io("emptying", &load_folder, &error))?;
        }
        let remembered_keys_max =
            (wanted.memory_bytes / REMEMBERED_KEY_SHARE).clamp(1 << 12, kv::conflict::REMEMBERED_KEYS_MAX);
        let conflict_table = Arc::new(ConflictTable::new(remembered_keys_max));
        let interval = Duration::from_millis(wanted.sync_interval_ms);
        let synced = Arc::clone(&db);
        let sync_log = Box::new(move || synced.flush_wal(true).map_err(rust_rocksdb::Error::into_string));
        let log = Arc::new(Log::new(sync_log, Arc::clone(&conflict_table), interval));
        Ok(Store {
            db,
            folder: folder.to_owned(),
            options: Arc::new(options),
            cache,
            log,
            conflict_table,
            write_options,
            latest: ReadOptions::default(),
            loads: AtomicU64::new(0),
            is_closed: Arc::default(),
        })
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        check_open(&self.is_closed)
    }

    /// From now on everything answers [`Error::Closed`].
    pub(crate) fn set_closed(&self) {
        self.is_closed.store(true, Ordering::Release);
    }

    pub(crate) fn rocks_snapshot(&self) -> Result<RocksSnapshot> {
        self.check_open()?;
        Ok(RocksSnapshot::new(Arc::new(OwnedSnapshot::new(&self.db)), Arc::clone(&self.is_closed)))
    }

    /// A name for a new bulk load's tables, which are to be in a folder that is there.
    pub(crate) fn load_path(&self) -> Result<PathBuf> {
        let folder = self.folder.join(LOAD_FOLDER);
        fs::create_dir_all(&folder).map_err(|error| map_open_io("creating", &folder, &error))?;
        Ok(folder.join(self.loads.fetch_add(1, Ordering::Relaxed).to_string()))
    }

    /// Writes a batch that is not a transaction's.
    pub(crate) fn write(&self, batch: &WriteBatch) -> Result<()> {
        self.check_open()?;
        self.db.write_opt(batch, &self.write_options).map_err(map_commit)
    }
}

impl LocalStore for Store {
    fn conflict_table(&self) -> &Arc<ConflictTable> {
        &self.conflict_table
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(self.rocks_snapshot()?))
    }

    fn read_latest(&self, key: &[u8], read: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.check_open()?;
        if let Some(value) = self.db.get_pinned_opt(key, &self.latest).map_err(map("reading"))? {
            read(&value);
        }
        Ok(())
    }

    fn apply(&self, overlay: &Overlay) -> Result<()> {
        let capacity_bytes = overlay.size_bytes() + overlay.len() * BATCH_OVERHEAD_BYTES;
        let mut batch = WriteBatch::with_capacity_bytes(capacity_bytes);
        for entry in overlay.iter() {
            match entry.value() {
                Some(value) => batch.put(entry.key(), value),
                None => batch.delete(entry.key()),
            }
        }
        self.write(&batch)
    }

    fn harden(&self, commit: u64, durability: Durability) -> Result<()> {
        match durability {
            Durability::Buffered => {
                self.log.sync_soon();
                Ok(())
            }
            Durability::Synced => self.log.sync_to(commit),
        }
    }
}
