//! The open database, which transactions, snapshots and loads share.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use kv::{
    ClosedFlag, ConflictTable, Durability, Error, LargeWrites, LocalStore, LogSync, Result, Snapshot,
    WaitPolicy, Writes,
};
use rust_rocksdb::{DB, FlushOptions, Options, ReadOptions, WriteBatch, WriteOptions};

use crate::error::{map, map_commit, map_open_io};
use crate::format;
use crate::handle::OwnedSnapshot;
use crate::merge::{MergePolicy, SmallTables};
use crate::options::{PARTITION_TABLES, RocksOptions, Tuning, wants_partitions};
use crate::recovery::{self, DroppedLog, Recovered, SyncMark, WalPosition};
use crate::snapshot::RocksSnapshot;
use crate::write_admission::WriteAdmission;
use crate::write_stalls::WriteStalls;

/// The folder in which bulk loads write their tables.
const LOAD_FOLDER: &str = "load";

/// The bytes that a batch takes in addition to a write's key and value: its tag and the two
/// lengths.
const BATCH_OVERHEAD_BYTES: usize = 11;

/// The number of written bytes after which the store measures its data again.
const LOOK_AFTER_BYTES: u64 = 256 << 20;

/// The memory for stamps of the conflict table, as a divisor of the budget: about one key per
/// kilobyte.
const REMEMBERED_KEY_SHARE: usize = 1 << 10;

/// The memory that one scan may put into the block cache, as a divisor of the budget. The larger
/// part remains for lookups and other scans.
const SCAN_CACHE_SHARE: usize = 4;

/// An open database. It lives until the engine is closed and the last snapshot, transaction and
/// load is gone.
pub(crate) struct Store {
    pub(crate) db: Arc<DB>,
    pub(crate) folder: PathBuf,
    pub(crate) is_encrypted: bool,
    /// Options of the tables that bulk loads write, with whole indexes. `partitioned` has
    /// partitioned ones.
    options: Arc<Options>,
    partitioned: Arc<Options>,
    is_partitioned: AtomicBool,
    memory_bytes: usize,
    /// The bytes that were committed and loaded since the start.
    written_bytes: AtomicU64,
    pub(crate) cache: rust_rocksdb::Cache,
    pub(crate) stalls: WriteStalls,
    pub(crate) wal_sync: Arc<LogSync>,
    sync_mark: Arc<SyncMark>,
    /// The part of the log that was not replayed.
    pub(crate) dropped_log: Option<DroppedLog>,
    conflict_table: Arc<ConflictTable>,
    write_options: WriteOptions,
    /// Options of writes that must not wait.
    no_wait_write_options: WriteOptions,
    write_admission: WriteAdmission,
    /// True after the log could not be written, see [`Store::check_log`].
    log_failed: AtomicBool,
    /// The number of large batches that are being written, for which others wait long.
    large_writes: LargeWrites,
    latest: ReadOptions,
    loads: AtomicU64,
    /// Read while tables move into the store, written while a checkpoint is made: see
    /// `checkpoint`.
    pub(crate) table_moves: RwLock<()>,
    pub(crate) small_tables: Arc<SmallTables>,
    closed: ClosedFlag,
}

impl Store {
    pub(crate) fn open(folder: &Path, wanted: &RocksOptions) -> Result<Store> {
        let is_encrypted = wanted.encryption.is_some();
        format::check_or_create(folder, is_encrypted)?;
        if let Some(master) = &wanted.encryption {
            format::check_key(folder, master)?;
        }
        let Tuning {
            options,
            partitioned,
            cache,
            stalls,
            write_options,
            no_wait_write_options,
            memory_bytes,
        } = Tuning::new(wanted);
        let Recovered { db, sync_mark, dropped } = recovery::open(folder, &options, wanted)?;
        leave_sequence_zero(&db)?;
        let db = Arc::new(db);
        // The lock is ours now: no other process has loads in there.
        let load_folder = folder.join(LOAD_FOLDER);
        if load_folder.exists() {
            fs::remove_dir_all(&load_folder)
                .map_err(|error| map_open_io("emptying", &load_folder, &error))?;
        }
        let remembered_keys_max =
            (memory_bytes / REMEMBERED_KEY_SHARE).clamp(1 << 12, kv::conflict::REMEMBERED_KEYS_MAX);
        let conflict_table = Arc::new(ConflictTable::new(remembered_keys_max));
        let interval = Duration::from_millis(wanted.sync_interval_ms);
        let sync_mark = Arc::new(sync_mark);
        let sync_log = sync_function(Arc::clone(&db), Arc::clone(&sync_mark));
        let wal_sync = Arc::new(LogSync::new(Box::new(sync_log), Arc::clone(&conflict_table), interval));
        let small_tables = Arc::new(SmallTables::new(Arc::clone(&db), MergePolicy::default()));
        let store = Store {
            db,
            folder: folder.to_owned(),
            is_encrypted,
            options: Arc::new(options),
            partitioned: Arc::new(partitioned),
            is_partitioned: AtomicBool::new(false),
            memory_bytes,
            written_bytes: AtomicU64::new(0),
            cache,
            stalls,
            wal_sync,
            sync_mark,
            dropped_log: dropped,
            conflict_table,
            write_options,
            no_wait_write_options,
            write_admission: WriteAdmission::of_this_machine(),
            log_failed: AtomicBool::new(false),
            large_writes: LargeWrites::default(),
            latest: ReadOptions::default(),
            loads: AtomicU64::new(0),
            table_moves: RwLock::default(),
            small_tables,
            closed: ClosedFlag::default(),
        };
        store.choose_tables()?;
        Ok(store)
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        self.closed.check()
    }

    /// Makes every later call fail with [`Error::Closed`].
    pub(crate) fn set_closed(&self) {
        self.closed.set();
    }

    /// Flushes the memtables, so that the next start need not replay the log.
    pub(crate) fn flush(&self) -> Result<()> {
        self.db.flush_opt(&FlushOptions::new()).map_err(map("flushing the memtables"))?;
        self.sync_mark.write_all_flushed(&self.db);
        Ok(())
    }

    pub(crate) fn rocks_snapshot(&self) -> Result<RocksSnapshot> {
        self.check_open()?;
        let snapshot = Arc::new(OwnedSnapshot::new(&self.db));
        let scan_cache_bytes = self.memory_bytes / SCAN_CACHE_SHARE;
        Ok(RocksSnapshot::new(snapshot, scan_cache_bytes, self.closed.clone()))
    }

    /// Returns the path prefix of a new bulk load's tables, and creates their folder.
    pub(crate) fn new_load_prefix(&self) -> Result<PathBuf> {
        let folder = self.folder.join(LOAD_FOLDER);
        fs::create_dir_all(&folder).map_err(|error| map_open_io("creating", &folder, &error))?;
        Ok(folder.join(self.loads.fetch_add(1, Ordering::Relaxed).to_string()))
    }

    /// Returns the options of tables that are to be loaded.
    pub(crate) fn table_options(&self) -> &Arc<Options> {
        if self.is_partitioned.load(Ordering::Relaxed) { &self.partitioned } else { &self.options }
    }

    /// Makes a batch visible, and hands its log record to the operating system.
    pub(crate) fn write(&self, batch: &WriteBatch) -> Result<()> {
        let _large = self.large_writes.begin(batch.size_in_bytes());
        self.write_with(batch, &self.write_options)
    }

    /// Writes a batch, but fails with [`Error::Transient`] if it would wait for more than other
    /// small ones.
    fn write_without_waiting(&self, batch: &WriteBatch) -> Result<()> {
        if self.large_writes.is_any() {
            return Err(Error::Transient { reason: "a large batch is being written".to_owned() });
        }
        self.write_with(batch, &self.no_wait_write_options)
    }

    fn write_with(&self, batch: &WriteBatch, options: &WriteOptions) -> Result<()> {
        self.check_open()?;
        self.check_log()?;
        let permit = self.write_admission.acquire();
        self.db.write_opt(batch, options).map_err(|error| self.note_log_failure(map_commit(error)))?;
        drop(permit);
        // The batch is written. If the change to other tables fails, the next call tries again.
        let _ = self.count_written(batch.size_in_bytes() as u64);
        Ok(())
    }

    /// Remembers that the log could not be written: RocksDB may have stopped writing then.
    fn note_log_failure(&self, error: Error) -> Error {
        if matches!(error, Error::Undetermined { .. }) {
            self.log_failed.store(true, Ordering::Relaxed);
        }
        error
    }

    /// Checks after a failure of the log that RocksDB writes again.
    ///
    /// Errors: [`Error::NotWritable`]. So a batch that is refused for an earlier failure is known
    /// not to be written.
    fn check_log(&self) -> Result<()> {
        if !self.log_failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        // An empty batch changes nothing, whatever becomes of it.
        self.db.write_opt(&WriteBatch::default(), &self.write_options).map_err(|error| {
            Error::NotWritable {
                path: self.folder.clone(),
                reason: format!(
                    "writing stopped after an error, until the server is started again: {}",
                    error.as_ref()
                ),
            }
        })?;
        self.log_failed.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Counts written bytes. Now and then measures the size of the data, and adapts the tables to
    /// it.
    pub(crate) fn count_written(&self, bytes: u64) -> Result<()> {
        let before = self.written_bytes.fetch_add(bytes, Ordering::Relaxed);
        if before / LOOK_AFTER_BYTES == (before + bytes) / LOOK_AFTER_BYTES {
            return Ok(());
        }
        self.choose_tables()
    }

    /// Changes to partitioned tables if the data is far larger than memory.
    fn choose_tables(&self) -> Result<()> {
        if !wants_partitions(self.disk_bytes(), self.memory_bytes) {
            return Ok(());
        }
        if !self.is_partitioned.swap(true, Ordering::Relaxed) {
            self.db.set_options(&PARTITION_TABLES).map_err(map("changing the layout of tables"))?;
        }
        Ok(())
    }
}

/// Writes a first record into an empty log.
///
/// Compactions of RocksDB do not respect a snapshot with the sequence number 0, which a store has
/// until its first write. Loads of tables do not raise it.
fn leave_sequence_zero(db: &DB) -> Result<()> {
    if db.latest_sequence_number() > 0 {
        return Ok(());
    }
    // The deletion of a key before all others changes nothing.
    db.delete([0]).map_err(map("writing the first record"))
}

/// Returns the function that syncs the log and then writes the mark.
fn sync_function(db: Arc<DB>, mark: Arc<SyncMark>) -> impl Fn() -> Result<()> {
    move || {
        // Take the end before the sync: the sync may not cover bytes that are written during it.
        let end = WalPosition::end(&db);
        db.flush_wal(true).map_err(map("syncing the log"))?;
        mark.write(end);
        Ok(())
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

    fn apply(&self, writes: &Writes<'_>, wait: WaitPolicy) -> Result<()> {
        let capacity_bytes = writes.overlay.size_bytes() + writes.overlay.len() * BATCH_OVERHEAD_BYTES;
        let mut batch = WriteBatch::with_capacity_bytes(capacity_bytes);
        for entry in writes.overlay.iter() {
            match entry.value() {
                Some(value) => batch.put(entry.key(), value),
                None => batch.delete(entry.key()),
            }
        }
        match wait {
            WaitPolicy::NoWait => self.write_without_waiting(&batch),
            WaitPolicy::UpTo(_) => self.write(&batch),
        }
    }

    fn harden(&self, commit: u64, durability: Durability) -> Result<()> {
        match durability {
            Durability::Buffered => {
                self.wal_sync.sync_soon();
                Ok(())
            }
            Durability::Synced => self.wal_sync.sync_commit(commit),
        }
    }
}

#[cfg(test)]
mod tests {
    use kv::conformance::wait_until;

    use super::*;

    #[test]
    fn large_data_gets_partitioned_tables() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &RocksOptions::default()).unwrap();
        let put = |key: u32| {
            let mut batch = WriteBatch::default();
            batch.put(key.to_be_bytes(), [0; 100]);
            store.write(&batch).unwrap();
        };
        let partitioned = || {
            store.db.flush().unwrap();
            let properties = store.db.property_value("rocksdb.aggregated-table-properties").unwrap().unwrap();
            properties.contains("# index partitions")
        };
        (0..1000).for_each(put);
        assert!(!partitioned());
        assert!(!wants_partitions(16 << 30, 1 << 30) && wants_partitions(18 << 30, 1 << 30));
        store.db.set_options(&PARTITION_TABLES).unwrap();
        (1000..2000).for_each(put);
        assert!(partitioned(), "{:?}", store.db.property_value("rocksdb.aggregated-table-properties"));
        for key in 0..2000_u32 {
            let mut is_there = false;
            store.read_latest(&key.to_be_bytes(), &mut |_| is_there = true).unwrap();
            assert!(is_there, "tables of both kinds must be readable");
        }
    }

    fn put_without_waiting(store: &Store, key: &[u8]) -> Result<()> {
        let mut batch = WriteBatch::default();
        batch.put(key, b"value");
        store.write_without_waiting(&batch)
    }

    #[test]
    fn a_write_without_waiting_is_refused_behind_a_large_batch() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &RocksOptions::default()).unwrap();
        let large = store.large_writes.begin(1 << 20);
        assert!(large.is_some());
        let refused = put_without_waiting(&store, b"key");
        assert!(matches!(refused, Err(Error::Transient { .. })), "{refused:?}");
        assert_eq!(store.db.get(b"key").unwrap(), None);
        drop(large);
        put_without_waiting(&store, b"key").unwrap();
        assert!(store.db.get(b"key").unwrap().is_some());
    }

    #[test]
    fn a_write_without_waiting_is_refused_while_rocksdb_stops_writes() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &RocksOptions::default()).unwrap();
        put_without_waiting(&store, b"first").unwrap();
        // With one table in the first level, RocksDB stops writes.
        let stopped = [
            ("level0_file_num_compaction_trigger", "100"),
            ("level0_slowdown_writes_trigger", "1"),
            ("level0_stop_writes_trigger", "1"),
        ];
        store.db.set_options(&stopped).unwrap();
        store.db.flush().unwrap();
        let refused = put_without_waiting(&store, b"second");
        assert!(matches!(refused, Err(Error::Transient { .. })), "{refused:?}");
        store
            .db
            .set_options(&[("level0_stop_writes_trigger", "36"), ("level0_slowdown_writes_trigger", "20")])
            .unwrap();
        put_without_waiting(&store, b"second").unwrap();
    }

    #[test]
    fn deleted_keys_in_the_way_of_a_scan_are_merged_away() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &RocksOptions::default()).unwrap();
        let deletions = || {
            let in_tables: u64 = store.db.live_files().unwrap().iter().map(|table| table.num_deletions).sum();
            in_tables + store.db.property_int_value("rocksdb.num-deletes-active-mem-table").unwrap().unwrap()
        };
        let own_deletions = deletions();
        let keys = 0..20_000_u32;
        let mut batch = WriteBatch::default();
        keys.clone().for_each(|key| batch.put(key.to_be_bytes(), b"value"));
        batch.put(keys.end.to_be_bytes(), b"left");
        store.write(&batch).unwrap();
        store.db.flush().unwrap();
        let mut batch = WriteBatch::default();
        keys.clone().for_each(|key| batch.delete(key.to_be_bytes()));
        store.write(&batch).unwrap();
        assert_eq!(deletions() - own_deletions, u64::from(keys.end));
        wait_until("the removed keys are compacted", || {
            let mut scan = store.db.raw_iterator();
            scan.seek_to_first();
            assert_eq!(scan.value(), Some(&b"left"[..]));
            drop(scan);
            // RocksDB checks for pending work when something is written.
            let mut batch = WriteBatch::default();
            batch.put(u32::MAX.to_be_bytes(), b"");
            store.write(&batch).unwrap();
            deletions() == 0
        });
    }
}
