//! Counts of the waits for collections.

use std::time::{Duration, Instant};

use super::collection_lock::LockMode;
use crate::metrics::LockCounts;

impl LockCounts {
    /// Counts a lock that was requested at `since`.
    pub(crate) fn note(&self, mode: LockMode, since: Instant, is_granted: bool) {
        self.waits.add_time(since.elapsed());
        if !is_granted {
            self.note_timeout(mode);
        }
    }

    /// Counts a lock that was free.
    pub(crate) fn note_free(&self) {
        self.waits.add_time(Duration::ZERO);
    }

    /// Counts a lock that was not granted in time.
    pub(crate) fn note_timeout(&self, mode: LockMode) {
        let timeouts = match mode {
            LockMode::Exclusive => &self.exclusive_timeouts,
            LockMode::Shared | LockMode::Load => &self.shared_timeouts,
        };
        timeouts.increment();
    }
}
