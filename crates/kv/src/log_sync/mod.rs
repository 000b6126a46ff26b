//! The syncs of the write-ahead log: in the background for buffered commits, immediately for synced
//! ones. All waiting commits share one sync.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::background::Task;
use crate::{ConflictTable, Error, Result};

#[cfg(test)]
mod tests;

/// A function that makes the whole log durable, or returns the reason why it could not.
type SyncLog = Box<dyn Fn() -> Result<()> + Send + Sync>;

/// The decision when an engine's write-ahead log is synced.
///
/// The conflict table's clock numbers the commits, and advances only after a commit is in the log.
/// So a sync that starts at clock `n` makes all commits up to `n` durable.
///
/// After a failed sync the operating system may have dropped the unwritten pages, and a later
/// successful sync of the same file would prove nothing. The engine therefore never syncs such a
/// file again: it first makes the file's whole content durable elsewhere. So when a later sync
/// succeeds, everything is durable.
pub struct LogSync {
    sync_log: SyncLog,
    conflict_table: Arc<ConflictTable>,
    interval: Duration,
    /// True if something was written since the background thread last checked.
    is_written: AtomicBool,
    state: Mutex<State>,
    /// Wakes the background thread.
    wake: Condvar,
    /// Wakes the threads that wait for the sync of another thread.
    synced: Condvar,
}

#[derive(Default)]
struct State {
    /// The last commit up to which all are durable.
    synced: u64,
    is_syncing: bool,
    is_stopping: bool,
}

impl LogSync {
    /// Creates the syncs of a log. `interval` is the time from a buffered commit to its sync.
    ///
    /// `sync_log` makes the whole log durable, or returns the reason why it could not.
    pub fn new(sync_log: SyncLog, conflict_table: Arc<ConflictTable>, interval: Duration) -> Self {
        LogSync {
            sync_log,
            conflict_table,
            interval,
            is_written: AtomicBool::new(false),
            state: Mutex::default(),
            wake: Condvar::new(),
            synced: Condvar::new(),
        }
    }

    /// Ensures that the writes so far are synced soon.
    #[inline]
    pub fn sync_soon(&self) {
        // Read first: only the first commit in an interval then writes the flag, which all cores
        // read.
        if !self.is_written.load(Ordering::Relaxed) && !self.is_written.swap(true, Ordering::AcqRel) {
            // Notify under the lock, so that the thread is either waiting or has not checked yet.
            let _state = self.lock();
            self.wake.notify_one();
        }
    }

    /// Returns when all commits up to `commit` are durable. Errors: [`Error::Undetermined`] if that
    /// is unknown.
    pub fn sync_commit(&self, commit: u64) -> Result<()> {
        self.sync_to(commit).map_err(|error| Error::Undetermined { reason: error.to_string() })
    }

    /// Returns when everything that is committed now is durable.
    pub fn sync_all(&self) -> Result<()> {
        self.sync_to(self.conflict_table.last_commit())
    }

    /// Returns true if everything that is committed now is durable.
    pub fn is_synced(&self) -> bool {
        self.lock().synced >= self.conflict_table.last_commit()
    }

    /// Returns when all commits up to `commit` are durable. One thread syncs for all threads that
    /// came before the sync started.
    ///
    /// Later threads wait, and the first of them syncs for all of them.
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
            // The failed sync does not cover the other threads; they try themselves.
            result?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Task for LogSync {
    /// Sleeps until something is written, then syncs once per interval until there are no more
    /// writes.
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
            // Clear the flag before the sync: writes during the sync belong to the next one.
            self.is_written.store(false, Ordering::Release);
            // Nobody waits for this sync. A thread that waits gets the error of its own sync.
            let _ = self.sync_all();
            state = self.lock();
        }
    }

    fn stop(&self) {
        self.lock().is_stopping = true;
        self.wake.notify_all();
    }
}
