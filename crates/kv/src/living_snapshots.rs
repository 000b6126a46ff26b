//! The snapshots that are alive, for an engine's statistics.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The time when each living snapshot was taken.
#[derive(Default)]
pub struct LivingSnapshots {
    last: AtomicU64,
    taken: Mutex<BTreeMap<u64, Instant>>,
}

/// A living snapshot. It leaves the list when it is dropped.
pub struct LivingSnapshot {
    number: u64,
    list: Arc<LivingSnapshots>,
}

impl LivingSnapshots {
    /// Lists a new snapshot until the result is dropped.
    pub fn enter(self: &Arc<Self>) -> LivingSnapshot {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(number, Instant::now());
        LivingSnapshot { number, list: Arc::clone(self) }
    }

    /// Returns the number of living snapshots.
    pub fn count(&self) -> u64 {
        self.lock().len() as u64
    }

    /// Returns the age of the oldest living snapshot in seconds, or 0 if there is none.
    pub fn oldest_seconds(&self) -> u64 {
        self.lock().values().next().map_or(0, |instant| instant.elapsed().as_secs())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Instant>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LivingSnapshot {
    fn drop(&mut self) {
        self.list.lock().remove(&self.number);
    }
}
