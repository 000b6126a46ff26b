//! The signal between writers and the flusher.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kv::{Error, Result};

/// The time after which a writer looks again if there is room.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// The state that writers and the flusher share.
#[derive(Default)]
pub(crate) struct FlushSignal {
    state: Mutex<State>,
    wake: Condvar,
    flushed: Condvar,
}

#[derive(Default)]
struct State {
    /// True if something was written since the last flush began.
    is_written: bool,
    /// True if the flusher must not wait for the end of its interval.
    is_urgent: bool,
    is_stopping: bool,
    /// The error of the last flush.
    failure: Option<Error>,
}

impl FlushSignal {
    /// Notes a commit. An urgent one must be flushed immediately.
    pub(crate) fn note_written(&self, is_urgent: bool) {
        let mut state = self.lock();
        let must_wake = !state.is_written || (is_urgent && !state.is_urgent);
        state.is_written = true;
        state.is_urgent |= is_urgent;
        drop(state);
        if must_wake {
            self.wake.notify_all();
        }
    }

    /// Waits until something is to be flushed: `interval` after the first write, or immediately if
    /// it is urgent. Returns false if the flusher must stop.
    pub(crate) fn wait_for_work(&self, interval: Duration) -> bool {
        let state = self.wake.wait_while(self.lock(), |state| !state.is_written && !state.is_stopping);
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let is_idle = |state: &mut State| !state.is_urgent && !state.is_stopping;
        let waited = self.wake.wait_timeout_while(state, interval, is_idle);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.is_written = false;
        state.is_urgent = false;
        !state.is_stopping
    }

    /// Notes the end of a flush, for those who wait. A failed one is tried again.
    pub(crate) fn note_flushed(&self, result: &Result<()>) {
        let mut state = self.lock();
        state.failure = result.as_ref().err().cloned();
        state.is_written |= result.is_err();
        drop(state);
        self.flushed.notify_all();
    }

    /// Waits a moment for the end of a flush. Returns the error of the last one.
    pub(crate) fn wait_for_flush(&self) -> Result<()> {
        let mut state = self.lock();
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
        state.is_urgent = true;
        self.wake.notify_all();
        drop(self.flushed.wait_timeout(state, LOOK_AGAIN));
        Ok(())
    }

    pub(crate) fn stop(&self) {
        self.lock().is_stopping = true;
        self.wake.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
