//! Merging the small tables that loads leave behind.
//!
//! A load ends as a table of a megabyte or so at the bottom of the tree, where no compaction looks at it again. Many
//! such tables are slow to read: keys that are looked up together lie in ever other tables, tables beyond those that
//! are held open are opened for one read, and whoever changes the set of tables copies the list of all. So a thread
//! merges neighbours when nobody has loaded for a while, and earlier if there are very many. Each byte is written
//! once more by that, or twice.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rust_rocksdb::{ColumnFamilyMetaDataOptions, CompactionOptions, DB};

use crate::background::Task;
use crate::options::TABLE_BYTES;

#[cfg(test)]
mod tests;

/// Tables from this size on are large enough.
const SMALL_TABLE_BYTES: u64 = TABLE_BYTES / 8;

/// Fewer neighbours are not worth merging.
const NEIGHBOURS_MIN: usize = 8;

/// Bytes of the tables that are merged in one step, less than a second: nothing can end a step, so a stop waits for it.
const STEP_BYTES: u64 = TABLE_BYTES;

/// When small tables are merged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MergePolicy {
    /// Once no load is open and none has ended for so long.
    pub(crate) quiet: Duration,
    /// While loads go on, from so many on.
    pub(crate) tables_max: usize,
}

impl Default for MergePolicy {
    fn default() -> Self {
        MergePolicy { quiet: Duration::from_secs(5), tables_max: 4_096 }
    }
}

/// What is known of small tables without looking at all tables.
pub(crate) struct SmallTables {
    db: Arc<DB>,
    policy: MergePolicy,
    state: Mutex<State>,
    /// Wakes the thread.
    wake: Condvar,
}

struct State {
    /// Small tables that may be merged. At a start nobody knows how many there are: enough to look.
    unmerged: usize,
    open_loads: usize,
    last_load: Instant,
    is_stopping: bool,
}

impl SmallTables {
    pub(crate) fn new(db: Arc<DB>, policy: MergePolicy) -> Self {
        let state =
            State { unmerged: NEIGHBOURS_MIN, open_loads: 0, last_load: Instant::now(), is_stopping: false };
        SmallTables { db, policy, state: Mutex::new(state), wake: Condvar::new() }
    }

    /// A load begins.
    pub(crate) fn open_load(self: &Arc<Self>) -> OpenLoad {
        self.lock().open_loads += 1;
        OpenLoad(Arc::clone(self))
    }

    /// A load has moved so many tables into the store.
    pub(crate) fn count_loaded(&self, tables: usize) {
        self.lock().unmerged += tables;
        self.wake.notify_all();
    }

    /// How long to wait before the next step; `None` while there is nothing to merge.
    fn delay(&self, state: &State) -> Option<Duration> {
        match state.unmerged {
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
    /// One step after the other while there is something to merge.
    fn run(&self) {
        let mut state = self.lock();
        while !state.is_stopping {
            match self.delay(&state) {
                None => state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(delay) if !delay.is_zero() => {
                    let waited = self.wake.wait_timeout(state, delay);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                Some(_) => {
                    // Those that are loaded from now on are counted anew.
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

/// Merges the first neighbours that can be merged. Answers how many tables are left to be merged.
fn merge_neighbours(db: &DB) -> usize {
    let levels = db.get_column_family_metadata_with_options(&ColumnFamilyMetaDataOptions::new());
    // Tables of level 0 may overlap, and go to another level soon.
    let lowest = levels.iter().filter(|level| level.level() > 0).max_by_key(|level| level.level());
    let Some(lowest) = lowest else { return 0 };
    let mut options = CompactionOptions::default();
    options.set_output_file_size_limit(TABLE_BYTES);
    // The other cores are for those who read.
    options.set_max_subcompactions(1);
    let tables = lowest.sst_files().map(|table| (table.relative_filename(), table.size()));
    let mut groups = small_neighbours(tables).into_iter();
    while let Some(group) = groups.next() {
        // RocksDB refuses tables that it is compacting at the moment, or that are gone: those are not small for long.
        // An error of the disk leaves the tables as they are, and shows in what is written next.
        if db.compact_files(&options, &group, lowest.level()).is_ok() {
            return groups.map(|group| group.len()).sum();
        }
    }
    0
}

/// The groups of small tables that follow each other, of all tables of a level with their sizes in the order of keys.
fn small_neighbours(tables: impl Iterator<Item = (String, u64)>) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    let (mut group, mut group_bytes) = (Vec::new(), 0);
    let mut end = |group: &mut Vec<String>| match group.len() {
        0..NEIGHBOURS_MIN => group.clear(),
        _ => groups.push(std::mem::take(group)),
    };
    for (name, bytes) in tables {
        if bytes >= SMALL_TABLE_BYTES || group_bytes + bytes > STEP_BYTES {
            end(&mut group);
            group_bytes = 0;
        }
        if bytes < SMALL_TABLE_BYTES {
            group.push(name);
            group_bytes += bytes;
        }
    }
    end(&mut group);
    groups
}
