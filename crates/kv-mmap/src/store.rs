//! The open store, which transactions, snapshots, loads and the flusher share.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use allocation_meter::Uncounted;
use encryption::{TemporaryFile, TemporaryFolder};
use kv::{
    ClosedFlag, ConflictTable, Durability, Error, LargeWrites, LivingSnapshots, LocalStore, LogSync, Result,
    Snapshot, WaitPolicy, Writes,
};

use crate::encrypted::check_key;
use crate::environment::Environment;
use crate::error::map_open_io;
use crate::flush_signal::FlushSignal;
use crate::format::{self, FolderLock};
use crate::layers::{Layer, Layers};
use crate::log::{self, DroppedLog, Folder, Log, LogFiles};
use crate::old_versions::OldVersions;
use crate::options::MmapOptions;
use crate::snapshot::StoreSnapshot;
use crate::version::{Version, VersionHandle};

/// The folder of the log.
pub(crate) const LOG_FOLDER: &str = "log";

/// The folder in which large bulk loads collect their pairs.
const LOAD_FOLDER: &str = "load";

/// The memory for stamps of the conflict table, as a divisor of the budget.
const REMEMBERED_KEY_SHARE: usize = 1 << 10;

/// An open store. It lives until the engine is closed and the last transaction and load is gone.
pub(crate) struct Store {
    pub(crate) folder: PathBuf,
    pub(crate) options: MmapOptions,
    /// The tables. Only the thread that holds the lock writes to it.
    pub(crate) environment: Mutex<Environment>,
    layers: RwLock<Layers>,
    pub(crate) log: Arc<Log>,
    pub(crate) log_sync: Arc<LogSync>,
    pub(crate) flush_signal: Arc<FlushSignal>,
    pub(crate) old_versions: OldVersions,
    conflict_table: Arc<ConflictTable>,
    /// The number of large commits that are being written, for which others wait long.
    large_commits: LargeWrites,
    pub(crate) living_snapshots: Arc<LivingSnapshots>,
    /// The part of the log that the start did not replay.
    pub(crate) dropped_log: DroppedLog,
    pub(crate) closed: ClosedFlag,
}

impl Store {
    pub(crate) fn open(folder: &Path, options: &MmapOptions) -> Result<Store> {
        let log_folder = folder.join(LOG_FOLDER);
        format::check_or_create(folder, options.encryption.is_some())?;
        if let Some(master) = &options.encryption {
            check_key(folder, master)?;
        }
        let log_files = Folder::open(log_folder.clone(), options.encryption.clone());
        let log_files = log_files.map_err(|error| map_open_io("creating", &log_folder, &error))?;
        Self::open_with(folder, options, &log_files, Arc::new(log_files.clone()))
    }

    /// Opens the store. `files` creates the files of the log in `log_folder`.
    pub(crate) fn open_with(
        folder: &Path,
        options: &MmapOptions,
        log_folder: &Folder,
        files: Arc<dyn LogFiles>,
    ) -> Result<Store> {
        let folder_lock = Arc::new(FolderLock::take(folder)?);
        remove_loads(folder)?;
        let environment = Environment::open(folder, options)?;
        let judged = log::judge(log_folder, environment.applied()?, options.log_recovery)?;
        log::replay(log_folder, &judged, &environment)?;
        let (number, dropped_log) = log::clear(folder, log_folder, &judged, options.log_recovery)
            .map_err(|error| map_open_io("emptying", log_folder.path(), &error))?;
        let log = Arc::new(Log::begin(files, number, judged.last_sequence)?);
        let (closed, version) = (ClosedFlag::default(), Arc::new(Version::open(&environment)?));
        let base = VersionHandle { version, closed: closed.clone(), _folder_lock: folder_lock };
        let remembered_keys_max =
            (options.memory_bytes / REMEMBERED_KEY_SHARE).clamp(1 << 12, kv::conflict::REMEMBERED_KEYS_MAX);
        let conflict_table = Arc::new(ConflictTable::new(remembered_keys_max));
        let flush_signal = Arc::new(FlushSignal::default());
        let sync_log = sync_function(Arc::clone(&log), Arc::clone(&flush_signal));
        Ok(Store {
            folder: folder.to_owned(),
            options: options.clone(),
            environment: Mutex::new(environment),
            layers: RwLock::new(Layers { active: Layer::default(), frozen: None, base }),
            log,
            log_sync: Arc::new(LogSync::new(
                Box::new(sync_log),
                Arc::clone(&conflict_table),
                options.sync_interval(),
            )),
            flush_signal,
            old_versions: OldVersions::default(),
            conflict_table,
            large_commits: LargeWrites::default(),
            living_snapshots: Arc::default(),
            dropped_log,
            closed,
        })
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        self.closed.check()
    }

    pub(crate) fn layers(&self) -> RwLockReadGuard<'_, Layers> {
        self.layers.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn layers_mut(&self) -> RwLockWriteGuard<'_, Layers> {
        self.layers.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a file without a name for the pairs of a bulk load.
    pub(crate) fn new_load_file(&self) -> Result<TemporaryFile> {
        let path = self.folder.join(LOAD_FOLDER);
        let created = std::fs::create_dir_all(&path).and_then(|()| {
            TemporaryFolder { path: path.clone(), is_encrypted: self.options.encryption.is_some() }.create()
        });
        created.map_err(|error| map_open_io("creating a file in", &path, &error))
    }

    /// Writes a commit to the log and makes it visible. The entries are the store's then, and the
    /// caller hands over their memory.
    pub(crate) fn commit(&self, commit: &Layer, wait: WaitPolicy) -> Result<()> {
        self.check_open()?;
        self.admit(wait)?;
        let _large = self.large_commits.begin(commit.bytes);
        // The lock is held until the commit is visible, so that the order of the log is the order
        // of the layers.
        let mut writer = self.log.writer();
        self.check_open()?;
        let shared = Uncounted::begin();
        writer.append_writes(&commit.writes)?;
        let (taken_bytes, active_bytes) = if Layers::is_long(commit) {
            let mut active = self.layers().active.clone();
            let bytes = (active.add(commit), active.bytes);
            let old = std::mem::replace(&mut self.layers_mut().active, active);
            drop(old);
            bytes
        } else {
            let active = &mut self.layers_mut().active;
            (active.add(commit), active.bytes)
        };
        drop(writer);
        drop(shared);
        allocation_meter::hand_over(taken_bytes);
        self.flush_signal.note_written(active_bytes >= self.options.layer_bytes());
        Ok(())
    }

    /// Waits until there is room for a commit.
    ///
    /// Errors: [`Error::Transient`] if the caller does not wait, or the reason why there will be no
    /// room.
    fn admit(&self, wait: WaitPolicy) -> Result<()> {
        if wait == WaitPolicy::NoWait && self.large_commits.is_any() {
            return Err(Error::Transient { reason: "a large commit is being written".to_owned() });
        }
        while self.is_full() {
            if wait == WaitPolicy::NoWait {
                let reason = "the tables are behind the log".to_owned();
                return Err(Error::Transient { reason });
            }
            self.check_open()?;
            self.flush_signal.wait_for_flush()?;
        }
        Ok(())
    }

    /// Returns true if the layers have reached their size: the active one, and the one before it,
    /// which is not merged yet. While the file is copied there is only the active one.
    fn is_full(&self) -> bool {
        self.layers().memory_bytes() >= 2 * self.options.layer_bytes()
    }

    pub(crate) fn conflicts(&self) -> &ConflictTable {
        &self.conflict_table
    }
}

/// Returns the function that syncs the log. After a failure the flusher writes everything to the
/// tables, because a later sync of the same file would prove nothing.
fn sync_function(log: Arc<Log>, signal: Arc<FlushSignal>) -> impl Fn() -> Result<()> {
    move || {
        let result = log.sync();
        if result.is_err() {
            signal.note_written(true);
        }
        result
    }
}

/// Removes the files of loads that a crash has left.
fn remove_loads(folder: &Path) -> Result<()> {
    let folder = folder.join(LOAD_FOLDER);
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(map_open_io("emptying", &folder, &error))
        }
        _ => Ok(()),
    }
}

impl LocalStore for Store {
    fn conflict_table(&self) -> &Arc<ConflictTable> {
        &self.conflict_table
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.check_open()?;
        let closed = self.closed.clone();
        Ok(Arc::new(StoreSnapshot {
            layers: self.readable_layers().snapshot(),
            closed,
            _living: self.living_snapshots.enter(),
        }))
    }

    fn read_latest(&self, key: &[u8], read: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.check_open()?;
        match self.readable_layers().read(key, read) {
            // The tables were opened anew after an error.
            Err(Error::SnapshotExpired) => self.readable_layers().read(key, read),
            result => result,
        }
    }

    fn apply(&self, writes: &Writes<'_>, wait: WaitPolicy) -> Result<()> {
        self.commit(&Layer::from(writes.overlay), wait)?;
        writes.overlay.hand_over_entries();
        Ok(())
    }

    fn harden(&self, commit: u64, durability: Durability) -> Result<()> {
        match durability {
            Durability::Buffered => {
                self.log_sync.sync_soon();
                Ok(())
            }
            Durability::Synced => self.log_sync.sync_commit(commit),
        }
    }
}
