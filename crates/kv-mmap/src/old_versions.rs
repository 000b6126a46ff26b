//! The versions that snapshots still read, and the end of those that make the file grow.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::version::Version;

/// All versions that are alive, oldest first.
#[derive(Default)]
pub(crate) struct OldVersions(Mutex<VecDeque<Weak<Version>>>);

impl OldVersions {
    /// Adds a version that has just been replaced by `current`. Expires the oldest versions for
    /// whose sake the file has more than `bytes_max` additional free bytes.
    pub(crate) fn add(&self, old: &Arc<Version>, current: &Version, bytes_max: u64) {
        let mut versions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        versions.retain(|version| version.strong_count() > 0);
        versions.push_back(Arc::downgrade(old));
        while let Some(oldest) = versions.front() {
            if let Some(oldest) = oldest.upgrade() {
                if current.free_bytes() <= oldest.free_bytes() + bytes_max {
                    return;
                }
                oldest.expire();
            }
            versions.pop_front();
        }
    }

    /// Expires all versions, whose file cannot be read any more.
    pub(crate) fn expire_all(&self) {
        let versions = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        versions.iter().filter_map(Weak::upgrade).for_each(|version| version.expire());
    }

    /// Forgets all versions, of a file that was replaced.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
