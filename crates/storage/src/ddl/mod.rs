//! Changes of definitions. Each is one atomic write; the objects that it gives up are deleted
//! afterwards.

mod collection;
mod database;
mod index;
mod recount;
mod training;
mod truncate;
mod user;

use crate::Collection;
use crate::collection_lock::{CollectionLockGuard, LockMode};
use crate::error;
use crate::index::build::SharedCheck;
use crate::shared::Shared;
use errors::Result;

impl Shared {
    /// Waits until nobody else writes to the collection or changes it, and locks it.
    ///
    /// Errors: 18, 1004.
    pub(crate) fn exclude_writers(&self, collection: &Collection) -> Result<CollectionLockGuard> {
        self.exclude_writers_unless(collection, &|| Ok(()))
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
        check()?;
        let wait = self.options.collection_wait;
        let guard = collection.lock.acquire_unless(LockMode::Exclusive, wait, check)?;
        guard.ok_or_else(|| error::lock_timeout(collection.name()))
    }
}
