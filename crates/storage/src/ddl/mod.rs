//! Changes of definitions. Each is one atomic write; the objects that it gives up are deleted
//! afterwards.

mod collection;
mod database;
mod index;
mod recount;
mod truncate;
mod user;

use std::time::{Duration, Instant};

use kv::WaitPolicy;

use crate::Collection;
use crate::collection_lock::{CollectionLockGuard, LockMode};
use crate::error;
use crate::index::build::SharedCheck;
use crate::shared::Shared;
use errors::Result;

/// The time that one attempt waits for a lock, between two checks.
const WAIT_PER_CHECK: Duration = Duration::from_millis(50);

impl Shared {
    /// Waits until nobody else writes to the collection or changes it, and locks it.
    ///
    /// Errors: 18, 1004.
    pub(crate) fn exclude_writers(&self, collection: &Collection) -> Result<CollectionLockGuard> {
        self.check_writable()?;
        let guard = collection.lock.acquire(LockMode::Exclusive, self.options.collection_wait);
        guard.ok_or_else(|| error::lock_timeout(collection.name()))
    }

    /// As [`Shared::exclude_writers`], but calls `check` from time to time; its error ends the
    /// wait.
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
