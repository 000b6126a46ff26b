//! The states that living snapshots read, and the oldest one that the cluster keeps.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use kv::{Error, Result};

/// The timestamps of living snapshots.
#[derive(Default)]
pub(crate) struct Versions {
    held: Mutex<BTreeMap<u64, usize>>,
    safe_point: AtomicU64,
}

/// A timestamp that is held until this is dropped.
pub(crate) struct Held {
    at: u64,
    versions: Arc<Versions>,
}

impl Versions {
    /// Holds a timestamp.
    pub(crate) fn hold(self: &Arc<Self>, at: u64) -> Held {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner).entry(at).or_default() += 1;
        Held { at, versions: Arc::clone(self) }
    }

    /// Returns the oldest timestamp that is held.
    pub(crate) fn oldest(&self) -> Option<u64> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).keys().next().copied()
    }

    /// Notes that the cluster may have removed versions before a timestamp.
    pub(crate) fn set_safe_point(&self, safe_point: u64) {
        self.safe_point.fetch_max(safe_point, Ordering::AcqRel);
    }

    /// Returns the timestamp before which the cluster may have removed versions.
    pub(crate) fn safe_point(&self) -> u64 {
        self.safe_point.load(Ordering::Acquire)
    }

    /// Checks that the cluster keeps the state at a timestamp. Errors: [`Error::SnapshotExpired`].
    pub(crate) fn check(&self, at: u64) -> Result<()> {
        if at < self.safe_point() { Err(Error::SnapshotExpired) } else { Ok(()) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut held = self.versions.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = held.get_mut(&self.at) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.at);
            }
        }
    }
}
