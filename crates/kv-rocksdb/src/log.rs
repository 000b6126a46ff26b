//! Syncing the log: in the background for buffered commits, and at once, one sync for all who wait, for synced ones.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use kv::{ConflictTable, Error, Result};

#[cfg(test)]
mod tests;

/// Makes everything that is in the log durable, or says why not.
type SyncLog = Box<dyn Fn() -> std::result::Result<(), String> + Send + Sync>;

/// Decides when RocksDB's log is synced.
///
/// Commits are numbered by the conflict table's clock, which advances only after a commit is in the log. So a sync that
/// starts when the clock says `n` makes all commits up to `n` durable.
pub(crate) struct Log {
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
    /// The first error of a sync. After it nothing can be said about durability: what the operating system failed to
    /// write it may have dropped, and a later sync that succeeds says nothing about that.
    error: Option<String>,
}

/// The background thread. Stopped by [`BackgroundSync::stop`] or when it is dropped.
pub(crate) struct BackgroundSync {
    log: Arc<Log>,
    thread: Option<JoinHandle<()>>,
}

impl Log {
    pub(crate) fn new(sync_log: SyncLog, conflict_table: Arc<ConflictTable>, interval: Duration) -> Self {
        Log {
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
    pub(crate) fn sync_to(&self, commit: u64) -> Result<()> {
        let mut state = self.lock();
        loop {
            if state.synced >= commit {
                return Ok(());
            }
            if let Some(error) = &state.error {
                return Err(Error::Undetermined { reason: error.clone() });
            }
            if !state.is_syncing {
                state = self.sync(state);
                continue;
            }
            state = self.synced.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Syncs everything that is committed now.
    pub(crate) fn sync_all(&self) -> Result<()> {
        self.sync_to(self.conflict_table.last_commit())
    }

    /// Does one sync for all who came before it. Others wait meanwhile, and the next one's sync is for all of them.
    fn sync<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.is_syncing = true;
        drop(state);
        let target = self.conflict_table.last_commit();
        let result = (self.sync_log)();
        let mut state = self.lock();
        state.is_syncing = false;
        match result {
            Ok(()) => state.synced = state.synced.max(target),
            Err(error) => state.error = Some(error),
        }
        self.synced.notify_all();
        state
    }

    /// The background thread: sleeps until something is written, then syncs once an interval until nothing is.
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
            // An error is kept in the state, and given to whoever asks for durability.
            let _ = self.sync_all();
            state = self.lock();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BackgroundSync {
    pub(crate) fn start(log: Arc<Log>) -> std::io::Result<Self> {
        let running = Arc::clone(&log);
        let thread = std::thread::Builder::new().name("log-sync".into()).spawn(move || running.run())?;
        Ok(BackgroundSync { log, thread: Some(thread) })
    }

    /// Stops the thread, and waits until it has.
    pub(crate) fn stop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.log.lock().is_stopping = true;
        self.log.wake.notify_all();
        // It does not panic; and if it did there would be nothing to do about it here.
        let _ = thread.join();
    }
}

impl Drop for BackgroundSync {
    fn drop(&mut self) {
        self.stop();
    }
}
