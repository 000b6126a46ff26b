//! Exclusive locks of collections, on all servers that use the store.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aql_value::Waiting;
use errors::Result;
use kv::WaitPolicy;

use crate::Collection;
use crate::locks::collection_lock::{CollectionLockGuard, LockMode};
use crate::sharing::{LockRecord, Members};
use crate::store_core::StoreCore;
use crate::store_core::definition_group::ChangeOf;

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

/// A lock record of this server in the store. To drop it is to remove the record.
struct RemoteLock {
    core: Arc<StoreCore>,
    record: LockRecord,
    /// The announcement of the lock.
    announcement: u64,
}

impl Drop for RemoteLock {
    fn drop(&mut self) {
        self.core.remove_lock_or_leave(self.record);
    }
}

impl std::fmt::Debug for RemoteLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RemoteLock").field(&self.record).finish()
    }
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
        self: &Arc<Self>,
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
    fn write_lock(
        self: &Arc<Self>,
        members: &Members,
        collection: &Collection,
    ) -> Result<Option<RemoteLock>> {
        let id = self.ids.next()?;
        let mut written = None;
        let outcome = self.coordination.repeat(|| {
            self.change_once(ChangeOf::Coordination, |draft| {
                written = members.write_lock(draft.transaction(), collection.id(), id)?;
                Ok(())
            })
        });
        match (outcome, written) {
            (Ok(((), announced)), Some(record)) => {
                let (core, announcement) = (Arc::clone(self), announced.number);
                Ok(Some(RemoteLock { core, record, announcement }))
            }
            (Ok(_), None) => Ok(None),
            (Err(error), record) => {
                // The store may have it nevertheless.
                record.into_iter().for_each(|record| members.leave(record));
                Err(error)
            }
        }
    }

    /// Removes the record of a lock, if it is still there, and announces that.
    pub(super) fn remove_lock(&self, record: LockRecord) -> Result<()> {
        let remove = || self.change_once(ChangeOf::Coordination, |draft| record.remove(draft.transaction()));
        self.coordination.repeat(remove).map(drop)
    }

    /// Removes the record of a lock of this server, now or later.
    fn remove_lock_or_leave(&self, record: LockRecord) {
        if self.remove_lock(record).is_err()
            && let Some(members) = self.coordination.members()
        {
            members.leave(record);
        }
    }

    /// Removes the lock records of this server that could not be removed before.
    pub(super) fn remove_leftover_locks(&self) {
        let members = self.coordination.members();
        let left = members.map(|members| members.take_leftover()).unwrap_or_default();
        left.into_iter().for_each(|record| self.remove_lock_or_leave(record));
    }
}
