//! The merging of small tables that loads leave behind.
//!
//! A load leaves a table of about a megabyte at the bottom of the tree, where no compaction
//! considers it again. Many such tables are slow to read. Keys that are looked up together lie in
//! different tables. Tables beyond the limit of open files are opened for a single read. Every
//! change of the set of tables copies the list of all of them. So a thread merges neighbours when
//! there was no load for a while, and earlier if there are very many. This writes each byte once or
//! twice more.
//!
//! Each load also leaves a table with a record or two of its own, such as the count of its
//! documents. Merging such tiny tables writes nearly nothing, so they are merged while loads run.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kv::background::Task;
use rust_rocksdb::{ColumnFamilyMetaDataOptions, CompactionOptions, DB};

use crate::options::TABLE_BYTES;

#[cfg(test)]
mod tests;

/// The size in bytes from which a table is not small.
const SMALL_TABLE_BYTES: u64 = TABLE_BYTES / 8;

/// The size in bytes below which a table is tiny.
pub(crate) const TINY_TABLE_BYTES: u64 = 32 << 10;

/// The minimum number of neighbours that are worth merging.
const NEIGHBOURS_MIN: usize = 8;

/// The number of tiny tables from which they are merged while loads run.
const TINY_TABLES_MAX: usize = 64;

/// The number of the last tiny neighbours that stay unmerged while loads run. The next loads
/// probably put their tables among these, and RocksDB puts a table that lies among those that it
/// merges into the topmost level.
const TINY_TABLES_LEFT: usize = 16;

/// The bytes of the tables that are merged in one step, which takes less than a second. A step
/// cannot be interrupted, so a stop waits for it.
const STEP_BYTES: u64 = TABLE_BYTES;

/// The conditions for a merge of small tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MergePolicy {
    /// The time without an open load and without the end of one after which tables are merged.
    pub(crate) quiet: Duration,
    /// The number of tables from which they are merged even while loads run.
    pub(crate) tables_max: usize,
}

impl Default for MergePolicy {
    fn default() -> Self {
        MergePolicy { quiet: Duration::from_secs(5), tables_max: 4_096 }
    }
}

/// The count of small tables, maintained without examining all tables.
pub(crate) struct SmallTables {
    db: Arc<DB>,
    policy: MergePolicy,
    state: Mutex<State>,
    /// Wakes the thread.
    wake: Condvar,
}

struct State {
    /// The number of small tables that may be merged. At a start it is unknown, and the initial
    /// value makes the thread look.
    unmerged: usize,
    /// The number of tiny tables that were loaded since such tables were merged.
    tiny: usize,
    open_loads: usize,
    last_load: Instant,
    is_stopping: bool,
}

impl SmallTables {
    pub(crate) fn new(db: Arc<DB>, policy: MergePolicy) -> Self {
        let state = State {
            unmerged: NEIGHBOURS_MIN,
            tiny: 0,
            open_loads: 0,
            last_load: Instant::now(),
            is_stopping: false,
        };
        SmallTables { db, policy, state: Mutex::new(state), wake: Condvar::new() }
    }

    /// Registers a load that begins.
    pub(crate) fn open_load(self: &Arc<Self>) -> OpenLoad {
        self.lock().open_loads += 1;
        OpenLoad(Arc::clone(self))
    }

    /// Counts the tables that a load has moved into the store; `tiny` of them are tiny.
    pub(crate) fn count_loaded(&self, tables: usize, tiny: usize) {
        let mut state = self.lock();
        state.unmerged += tables;
        state.tiny += tiny;
        drop(state);
        self.wake.notify_all();
    }

    /// Returns the time to wait before the next step; `None` while there is nothing to merge.
    fn delay(&self, state: &State) -> Option<Duration> {
        match state.unmerged {
            _ if state.tiny >= TINY_TABLES_MAX => Some(Duration::ZERO),
            0..NEIGHBOURS_MIN => None,
            tables if tables >= self.policy.tables_max => Some(Duration::ZERO),
            _ if state.open_loads > 0 => None,
            _ => Some(self.policy.quiet.saturating_sub(state.last_load.elapsed())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Task for SmallTables {
    /// Runs one step after the other while there is something to merge.
    fn run(&self) {
        let mut state = self.lock();
        while !state.is_stopping {
            match self.delay(&state) {
                None => state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(delay) if !delay.is_zero() => {
                    let waited = self.wake.wait_timeout(state, delay);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                Some(_) if state.tiny >= TINY_TABLES_MAX => {
                    state.tiny = TINY_TABLES_LEFT;
                    drop(state);
                    merge_tiny(&self.db);
                    state = self.lock();
                }
                Some(_) => {
                    // Tables that are loaded from now on count again.
                    state.unmerged = 0;
                    drop(state);
                    let left = merge_neighbours(&self.db);
                    state = self.lock();
                    state.unmerged += left;
                }
            }
        }
    }

    fn stop(&self) {
        self.lock().is_stopping = true;
        self.wake.notify_all();
    }
}

/// A load, from its beginning to its end.
pub(crate) struct OpenLoad(Arc<SmallTables>);

impl Drop for OpenLoad {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.open_loads -= 1;
        state.last_load = Instant::now();
        self.0.wake.notify_all();
    }
}

/// Merges the first neighbours that can be merged. Returns the number of tables that are left to
/// merge.
fn merge_neighbours(db: &DB) -> usize {
    let Some((level, tables)) = lowest_tables(db) else { return 0 };
    let mut groups = neighbours(tables.into_iter(), SMALL_TABLE_BYTES).into_iter();
    while let Some(group) = groups.next() {
        if merge(db, level, &group) {
            return groups.map(|group| group.len()).sum();
        }
    }
    0
}

/// Merges tiny neighbours, except for the last ones of each group.
fn merge_tiny(db: &DB) {
    let Some((level, tables)) = lowest_tables(db) else { return };
    for group in neighbours(tables.into_iter(), TINY_TABLE_BYTES) {
        let merged = group.len().saturating_sub(TINY_TABLES_LEFT);
        if let Some(merged) = group.get(..merged).filter(|merged| merged.len() >= NEIGHBOURS_MIN) {
            merge(db, level, merged);
        }
    }
}

/// Returns the lowest level, and the names and sizes of its tables in key order.
fn lowest_tables(db: &DB) -> Option<(i32, Vec<(String, u64)>)> {
    let levels = db.get_column_family_metadata_with_options(&ColumnFamilyMetaDataOptions::new());
    // Tables of level 0 may overlap, and move to another level soon.
    let lowest = levels.iter().filter(|level| level.level() > 0).max_by_key(|level| level.level())?;
    let tables = lowest.sst_files().map(|table| (table.relative_filename(), table.size())).collect();
    Some((lowest.level(), tables))
}

/// Merges tables of a level. Returns false if that was not possible.
///
/// RocksDB refuses tables that it is compacting, and tables that are gone. Neither stay small for
/// long. A disk error leaves the tables unchanged and surfaces in later writes.
fn merge(db: &DB, level: i32, tables: &[String]) -> bool {
    let mut options = CompactionOptions::default();
    options.set_output_file_size_limit(TABLE_BYTES);
    // The other cores are for readers.
    options.set_max_subcompactions(1);
    db.compact_files(&options, tables, level).is_ok()
}

/// Returns the groups of adjacent tables of less than `limit_bytes`, from all tables of a level
/// with their sizes in key order.
fn neighbours(tables: impl Iterator<Item = (String, u64)>, limit_bytes: u64) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    let (mut group, mut group_bytes) = (Vec::new(), 0);
    let mut end = |group: &mut Vec<String>| match group.len() {
        0..NEIGHBOURS_MIN => group.clear(),
        _ => groups.push(std::mem::take(group)),
    };
    for (name, bytes) in tables {
        if bytes >= limit_bytes || group_bytes + bytes > STEP_BYTES {
            end(&mut group);
            group_bytes = 0;
        }
        if bytes < limit_bytes {
            group.push(name);
            group_bytes += bytes;
        }
    }
    end(&mut group);
    groups
}
