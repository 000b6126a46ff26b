//! Changes of definitions. Each is one atomic write; what it leaves behind is deleted afterwards.

mod collection;
mod database;
mod index;
mod recount;
mod truncate;
mod user;

use std::time::{Duration, Instant};

use kv::WaitPolicy;

use crate::collection_lock::{CollectionLockGuard, LockMode};
use crate::error;
use crate::index::build::SharedCheck;
use crate::shared::Shared;
use crate::{Collection, Result};

/// How long a lock is waited for between two checks.
const WAIT_PER_CHECK: Duration = Duration::from_millis(50);

impl Shared {
    /// Waits until nobody else writes or changes the collection.
    ///
    /// Errors: 18, 1004.
    pub(crate) fn exclude_writers(&self, collection: &Collection) -> Result<CollectionLockGuard> {
        self.check_writable()?;
        let guard = collection.lock.acquire(LockMode::Exclusive, self.options.collection_wait);
        guard.ok_or_else(|| error::lock_timeout(collection.name()))
    }

    /// The same, asking `check` from time to time whether to go on waiting.
    ///
    /// Errors: 18, 1004, that of `check`.
    pub(crate) fn exclude_writers_unless(
        &self,
        collection: &Collection,
        check: SharedCheck<'_>,
    ) -> Result<CollectionLockGuard> {
        self.check_writable()?;
        let until = Instant::now() + self.options.collection_wait.limit();
        loop {
            check()?;
            let left = until.saturating_duration_since(Instant::now());
            let wait = WaitPolicy::UpTo(left.min(WAIT_PER_CHECK));
            match collection.lock.acquire(LockMode::Exclusive, wait) {
                Some(guard) => return Ok(guard),
                None if left.is_zero() => return Err(error::lock_timeout(collection.name())),
                None => {}
            }
        }
    }
}
