//! An exclusive lock that other servers must grant, for a caller that must not wait.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use errors::{Error, ErrorCode, Result};

use crate::Collection;
use crate::base::error::lock_timeout;
use crate::store_core::StoreCore;
use crate::store_core::exclusive_lock::CollectionGuard;

/// A lock that a thread waits for. To drop it is to give up.
pub(super) struct DistantLock(Arc<Waiting>);

struct Waiting {
    is_given_up: AtomicBool,
    outcome: Mutex<Option<Result<CollectionGuard>>>,
}

impl DistantLock {
    /// Starts to wait for the lock of a collection, as long as the store waits for changes of
    /// collections.
    pub(super) fn request(core: &Arc<StoreCore>, collection: &Arc<Collection>) -> Result<DistantLock> {
        let waiting = Arc::new(Waiting { is_given_up: AtomicBool::new(false), outcome: Mutex::new(None) });
        let (core, collection, own) = (Arc::clone(core), Arc::clone(collection), Arc::clone(&waiting));
        let work = move || {
            let check = || match own.is_given_up.load(Ordering::Relaxed) {
                true => Err(Error::of(ErrorCode::QueryKilled)),
                false => Ok(()),
            };
            let locked = core.lock_everywhere(&collection, core.options.collection_wait, &check);
            let locked = locked.and_then(|guard| guard.ok_or_else(|| lock_timeout(collection.name())));
            *own.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(locked);
        };
        let started = std::thread::Builder::new().name("distant-lock".to_owned()).spawn(work);
        started.map_err(|error| Error::internal(format!("no thread for a lock: {error}")))?;
        Ok(DistantLock(waiting))
    }

    /// Returns the lock once it is granted. Errors: 18, those of the engine.
    pub(super) fn take(&self) -> Result<Option<CollectionGuard>> {
        self.0.outcome.lock().unwrap_or_else(PoisonError::into_inner).take().transpose()
    }
}

impl Drop for DistantLock {
    fn drop(&mut self) {
        self.0.is_given_up.store(true, Ordering::Relaxed);
    }
}
