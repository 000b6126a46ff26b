//! Exclusive locks of collections, on all servers that use the store.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_value::Waiting;
use errors::Result;
use kv::WaitPolicy;

use crate::Collection;
use crate::locks::collection_lock::{CollectionLockGuard, LockMode};
use crate::sharing::{Members, RemoteLock};
use crate::store_core::StoreCore;

/// The pause before another look at a collection that another server has.
const PAUSE: Duration = Duration::from_millis(20);

/// The minimum time that other servers have to stop writing to a collection.
const REMOTE_WAIT_MIN: Duration = Duration::from_millis(500);

/// The right to use a collection, on this server and perhaps on all others, until the guard is
/// dropped.
#[derive(Debug)]
pub(crate) struct CollectionGuard {
    // The record of the lock goes before the server's own lock.
    _remote: Option<RemoteLock>,
    _local: CollectionLockGuard,
}

impl From<CollectionLockGuard> for CollectionGuard {
    fn from(local: CollectionLockGuard) -> Self {
        CollectionGuard { _remote: None, _local: local }
    }
}

impl StoreCore {
    /// Returns true if other servers must grant a lock of this kind.
    pub(crate) fn is_granted_by_others(&self, mode: LockMode) -> bool {
        mode == LockMode::Exclusive && !self.coordination.is_alone()
    }

    /// Takes the exclusive lock of a collection, on all servers that use the store; `None` if that
    /// takes longer than `wait` allows.
    ///
    /// Errors: that of `check`, which is called from time to time; those of the engine.
    pub(crate) fn lock_everywhere(
        &self,
        collection: &Collection,
        wait: WaitPolicy,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Option<CollectionGuard>> {
        let deadline = Instant::now() + wait.limit();
        loop {
            let left = WaitPolicy::UpTo(deadline.saturating_duration_since(Instant::now()));
            let local = collection.lock.acquire_unless(LockMode::Exclusive, left, check)?;
            let Some(local) = local else { return Ok(None) };
            let Some(members) = self.coordination.members() else { return Ok(Some(local.into())) };
            if let Some(remote) = self.write_lock(members, collection)? {
                let deadline = deadline.max(Instant::now() + REMOTE_WAIT_MIN);
                let (announcement, id) = (remote.announcement, remote.record.id);
                let _waiting = Waiting::begin();
                let is_alone = members.wait(announcement, Some(id), deadline, check)?;
                let guard = CollectionGuard { _remote: Some(remote), _local: local };
                return Ok(is_alone.then_some(guard));
            }
            // Another server waits for this one to give the collection away.
            drop(local);
            if Instant::now() >= deadline {
                return Ok(None);
            }
            check()?;
            let _waiting = Waiting::begin();
            std::thread::sleep(PAUSE);
        }
    }

    /// Writes the lock record of a collection; `None` if another server has one.
    fn write_lock(&self, members: &Arc<Members>, collection: &Collection) -> Result<Option<RemoteLock>> {
        let id = self.ids.next()?;
        Members::repeat(|| {
            let _definitions = self.definitions();
            let mut transaction = self.engine.begin(kv::TransactionOptions::default())?;
            self.catch_up(transaction.view().as_ref())?;
            members.write_lock(transaction, collection.id(), id)
        })
    }
}
