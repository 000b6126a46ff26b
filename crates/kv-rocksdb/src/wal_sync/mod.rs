//! Syncing the write-ahead log: in the background for buffered commits, and at once for synced ones, one sync for all
//! that wait.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kv::{ConflictTable, Error, Result};

use crate::background::Task;

#[cfg(test)]
mod tests;

/// Makes everything that is in the log durable, or says why not.
type SyncLog = Box<dyn Fn() -> Result<()> + Send + Sync>;

/// Decides when RocksDB's write-ahead log is synced.
///
/// Commits are numbered by the conflict table's clock, which advances only after a commit is in the log. So a sync that
/// starts when the clock says `n` makes all commits up to `n` durable.
///
/// After a failed sync the operating system may have dropped what it could not write, and a second sync of the same
/// file that succeeds would say nothing. RocksDB never syncs such a file again: it persists the memtables with all that
/// is in the file before it goes on. So when a later sync succeeds, all is durable.
pub(crate) struct WalSync {
    sync_log: SyncLog,
    conflict_table: Arc<ConflictTable>,
    interval: Duration,
    /// Something was written since the background thread last looked.
    is_written: AtomicBool,
    state: Mutex<State>,
    /// Wakes the background thread.
    wake: Condvar,
    /// Wakes those who wait for a sync that another thread does.
    synced: Condvar,
}

#[derive(Default)]
struct State {
    /// All commits up to this one are durable.
    synced: u64,
    is_syncing: bool,
    is_stopping: bool,
}

impl WalSync {
    pub(crate) fn new(sync_log: SyncLog, conflict_table: Arc<ConflictTable>, interval: Duration) -> Self {
        WalSync {
            sync_log,
            conflict_table,
            interval,
            is_written: AtomicBool::new(false),
            state: Mutex::default(),
            wake: Condvar::new(),
            synced: Condvar::new(),
        }
    }

    /// Makes sure that what was written is synced soon.
    #[inline]
    pub(crate) fn sync_soon(&self) {
        // Read first: of all commits in an interval only the first has to write what all cores read.
        if !self.is_written.load(Ordering::Relaxed) && !self.is_written.swap(true, Ordering::AcqRel) {
            // Under the lock, so that the thread is either waiting or has not looked yet.
            let _state = self.lock();
            self.wake.notify_one();
        }
    }

    /// Returns when all commits up to `commit` are durable. [`Error::Undetermined`] if that cannot be known.
    pub(crate) fn sync_commit(&self, commit: u64) -> Result<()> {
        self.sync_to(commit).map_err(|error| Error::Undetermined { reason: error.to_string() })
    }

    /// Returns when everything that is committed now is durable.
    pub(crate) fn sync_all(&self) -> Result<()> {
        self.sync_to(self.conflict_table.last_commit())
    }

    /// Returns true if everything that is committed now is durable.
    #[cfg(test)]
    pub(crate) fn is_synced(&self) -> bool {
        self.lock().synced >= self.conflict_table.last_commit()
    }

    /// One thread syncs for all who came before it started; those who come meanwhile wait, and the first of them syncs
    /// for all of them.
    fn sync_to(&self, commit: u64) -> Result<()> {
        let mut state = self.lock();
        while state.synced < commit {
            if state.is_syncing {
                state = self.synced.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.is_syncing = true;
            drop(state);
            let target = self.conflict_table.last_commit();
            let result = (self.sync_log)();
            state = self.lock();
            state.is_syncing = false;
            if result.is_ok() {
                state.synced = state.synced.max(target);
            }
            self.synced.notify_all();
            // The others are not covered: they try for themselves.
            result?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Task for WalSync {
    /// Sleeps until something is written, then syncs once an interval until nothing is.
    fn run(&self) {
        let mut state = self.lock();
        while !state.is_stopping {
            if !self.is_written.load(Ordering::Acquire) {
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let (guard, _) = self
                .wake
                .wait_timeout_while(state, self.interval, |state| !state.is_stopping)
                .unwrap_or_else(PoisonError::into_inner);
            drop(guard);
            // Before the sync: what is written during it is for the next one.
            self.is_written.store(false, Ordering::Release);
            // Nobody waits for this. Who does gets the error of his own sync.
            let _ = self.sync_all();
            state = self.lock();
        }
    }

    fn stop(&self) {
        self.lock().is_stopping = true;
        self.wake.notify_all();
    }
}
