//! Statistics of the waits for collections.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::collection_lock::LockMode;
use crate::base::document_times::OPERATION_CUTS;
use crate::histogram::{Histogram, Summary};

/// Numbers of waits for collections since the store opened.
#[derive(Debug, Default)]
pub(crate) struct LockCounts {
    waits: Histogram<10>,
    pub(crate) shared_timeouts: AtomicU64,
    pub(crate) exclusive_timeouts: AtomicU64,
}

/// Waits of transactions for collections, since the store opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LockStatistics {
    /// Seconds that writers waited for collections, by
    /// [`OPERATION_CUTS`](crate::OPERATION_CUTS). Locks that were free are among them.
    pub waits: Summary,
    /// Shared locks that were not granted in time.
    pub shared_timeouts: u64,
    /// Exclusive locks that were not granted in time.
    pub exclusive_timeouts: u64,
}

impl LockCounts {
    /// Counts a lock that was requested at `since`.
    pub(crate) fn note(&self, mode: LockMode, since: Instant, is_granted: bool) {
        let waited = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.waits.add_micros(&OPERATION_CUTS, waited);
        if !is_granted {
            self.note_timeout(mode);
        }
    }

    /// Counts a lock that was free.
    pub(crate) fn note_free(&self) {
        self.waits.add_micros(&OPERATION_CUTS, 0);
    }

    /// Counts a lock that was not granted in time.
    pub(crate) fn note_timeout(&self, mode: LockMode) {
        let timeouts = match mode {
            LockMode::Exclusive => &self.exclusive_timeouts,
            LockMode::Shared | LockMode::Load => &self.shared_timeouts,
        };
        timeouts.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn statistics(&self) -> LockStatistics {
        let mut waits = Summary::default();
        self.waits.add_to(&mut waits, 1e-6);
        LockStatistics {
            waits,
            shared_timeouts: self.shared_timeouts.load(Ordering::Relaxed),
            exclusive_timeouts: self.exclusive_timeouts.load(Ordering::Relaxed),
        }
    }
}
