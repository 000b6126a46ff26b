//! All cursors of the server: found by id, limited in number, and expired after their idle time.
//!
//! A cursor keeps its place in the storage engine from one fetch to the next: opening it again
//! costs as much as reading hundreds of documents. It gives up the place when no fetch has come for
//! a moment, and immediately when many other cursors keep theirs.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use aql_value::share;
use errors::{Error, ErrorCode, Result};
use storage::CursorRecords;

use super::handover::Forgotten;
use super::slot::{Held, Slot};
use crate::base::Owner;
use crate::state::cursor::encoder::Format;
use crate::state::cursor::{Cursor, ReadAhead, Reply};

/// The server's cursors. All methods may be called from many threads.
pub struct Cursors {
    slots: Mutex<HashMap<u64, Arc<Slot>>>,
    /// Maximum number of open cursors: each may hold a snapshot and a file.
    limit: usize,
    places: Arc<AtomicUsize>,
    /// The cursors whose records in a shared store are to be removed.
    forgotten: Forgotten,
    /// The cursors that are being taken over from other servers.
    taking: Mutex<HashSet<u64>>,
}

/// Maximum number of cursors whose records one transaction writes. A description has at most 1 MiB.
const HANDED_OVER_AT_ONCE: usize = 16;

/// The turn to take a cursor over from another server.
pub(crate) struct Taking<'c> {
    cursors: &'c Cursors,
    id: u64,
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        self.cursors.taking().remove(&self.id);
    }
}

impl Cursors {
    /// Returns an empty store of at most `limit` cursors.
    pub fn new(limit: usize) -> Self {
        Cursors {
            slots: Mutex::default(),
            limit,
            places: Arc::default(),
            forgotten: Forgotten::default(),
            taking: Mutex::default(),
        }
    }

    /// Returns the cursors whose records are to be removed.
    pub(crate) fn forgotten(&self) -> &Forgotten {
        &self.forgotten
    }

    /// Leaves the cursors that no request uses to the other servers of the store, as far as these
    /// can go on with them. They are unknown here afterwards.
    pub(crate) fn hand_over(&self, records: &CursorRecords) {
        let slots: Vec<(u64, Arc<Slot>)> =
            self.slots().iter().map(|(id, slot)| (*id, Arc::clone(slot))).collect();
        for slots in slots.chunks(HANDED_OVER_AT_ONCE) {
            // Held until the cursors are gone, so that no request moves them on.
            let held = slots.iter().filter_map(|(id, slot)| Some((*id, slot.held.try_lock().ok()?)));
            let mut held: Vec<_> = held.collect();
            let written = held.iter().filter_map(|(id, held)| Some((*id, held.cursor.record(records)?)));
            let written: Vec<_> = written.collect();
            if let Err(error) = records.add(&written) {
                // Each further attempt would wait as long for a store that does not answer.
                tracing::warn!(target: "cluster", "open cursors end with this server: {error}");
                return;
            }
            let mut open = self.slots();
            for (id, held) in &mut held {
                held.cursor.leave();
                open.remove(id);
            }
        }
    }

    /// Removes the records of cursors that have ended. The housekeeping thread calls it.
    pub(crate) fn remove_records(&self, records: &CursorRecords) {
        self.forgotten.remove_records(records);
    }

    /// Begins to take a cursor over from another server. Returns `None` if it is here already.
    ///
    /// Errors: 1601 if another request takes it over.
    pub(crate) fn begin_taking(&self, id: u64) -> Result<Option<Taking<'_>>> {
        if !self.taking().insert(id) {
            return Err(Error::of(ErrorCode::CursorBusy));
        }
        let taking = Taking { cursors: self, id };
        Ok((!self.slots().contains_key(&id)).then_some(taking))
    }

    /// Returns the number of open cursors.
    pub fn len(&self) -> usize {
        self.slots().len()
    }

    /// Returns true if no cursor is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks that there is room for one more cursor of a user.
    ///
    /// Concurrent queries may exceed the limit by a few cursors. Errors: 32 if the user's share of
    /// the limit is reached.
    pub(crate) fn check_room(&self, user: Option<&Arc<str>>) -> Result<()> {
        let slots = self.slots();
        let own = || slots.values().filter(|slot| slot.owner.user.as_ref() == user).count();
        if share::admits_counted(own, slots.len(), self.limit) {
            return Ok(());
        }
        let (own, open) = (own(), slots.len());
        let message = format!(
            "resource limit exceeded: {own} of {open} open cursors are yours, the maximum; delete some, or read them to the end"
        );
        Err(Error::new(ErrorCode::ResourceLimit, message))
    }

    pub(crate) fn insert(&self, id: u64, owner: Owner, cursor: Cursor) {
        debug_assert!(!cursor.is_done(), "a cursor without further batches is not kept");
        let mut held = Held { cursor, place: None };
        held.keep_place(&self.places);
        self.slots().insert(id, Arc::new(Slot::new(owner, held)));
    }

    /// Returns the next batch of a cursor (`batch` is `None`), or the batch with that number.
    ///
    /// Errors: 1600 if this owner has no such cursor or batch, 400 for a delivered batch without
    /// `allowRetry`, 1601 if another request is using the cursor. Those of `check_source`, which is
    /// called before a batch is computed; the cursor stays as it is then.
    pub fn fetch(
        &self,
        id: u64,
        owner: &Owner,
        batch: Option<u64>,
        format: Format,
        check_source: impl FnOnce() -> Result<()>,
    ) -> Result<Reply> {
        let slot =
            self.slots().get(&id).filter(|slot| slot.owner == *owner).cloned().ok_or_else(not_found)?;
        // Looked at before the wait for a batch that is computed ahead.
        let is_expired = slot.is_expired();
        let mut held = match slot.held.try_lock() {
            Ok(held) => held,
            Err(TryLockError::WouldBlock) if slot.ahead.load(Ordering::Acquire) > 0 => {
                slot.held.lock().map_err(|_| self.broken(id))?
            }
            Err(TryLockError::WouldBlock) => return Err(Error::of(ErrorCode::CursorBusy)),
            Err(TryLockError::Poisoned(_)) => return Err(self.broken(id)),
        };
        if is_expired {
            self.slots().remove(&id);
            return Err(not_found());
        }
        held.cursor.check_batch(id, batch)?;
        if held.cursor.must_compute(batch) {
            check_source().inspect_err(|_| slot.renew(held.cursor.ttl()))?;
        }
        if !held.cursor.note_batch(batch, format).inspect_err(|_| slot.renew(held.cursor.ttl()))? {
            self.slots().remove(&id);
            return Err(not_found());
        }
        let mut outcome = held.cursor.fetch(id, batch, format);
        held.keep_place(&self.places);
        slot.renew(held.cursor.ttl());
        // A query that failed midway cannot continue.
        if held.cursor.is_done() || outcome.is_err() {
            self.slots().remove(&id);
        } else if let Ok(reply) = &mut outcome
            && held.place.is_some()
            && held.cursor.should_read_ahead()
        {
            reply.read_ahead = Some(ReadAhead::new(&slot));
        }
        outcome
    }

    /// Forgets a cursor whose fetch panicked: its state is unknown.
    fn broken(&self, id: u64) -> Error {
        self.slots().remove(&id);
        not_found()
    }

    /// Forgets a cursor. Errors: 1600 if this owner has no such cursor.
    pub fn remove(&self, id: u64, owner: &Owner) -> Result<()> {
        let mut slots = self.slots();
        match slots.get(&id) {
            Some(slot) if slot.owner == *owner => {
                let slot = slots.remove(&id);
                drop(slots);
                // Freed outside the lock: it may close a file.
                drop(slot);
                Ok(())
            }
            _ => Err(not_found()),
        }
    }

    /// Forgets all cursors of a dropped database.
    pub fn remove_database(&self, database: &str) {
        let mut gone = Vec::new();
        self.slots().retain(|_, slot| {
            let keep = &*slot.owner.database != database;
            if !keep {
                gone.push(Arc::clone(slot));
            }
            keep
        });
    }

    /// Releases the memory that idle cursors pin in the storage engine. The housekeeping thread
    /// calls it.
    pub fn release_idle(&self) {
        let slots: Vec<Arc<Slot>> = self.slots().values().cloned().collect();
        for slot in slots {
            // A cursor in use is not idle.
            if let Ok(mut held) = slot.held.try_lock() {
                held.give_up_old_place();
            }
        }
    }

    /// Forgets the cursors whose idle time is over. The housekeeping thread calls it.
    pub fn expire(&self) {
        let mut gone = Vec::new();
        self.slots().retain(|_, slot| {
            // A cursor in use is not idle, however long its last fetch takes.
            let keep = !slot.is_expired() || slot.held.try_lock().is_err();
            if !keep {
                gone.push(Arc::clone(slot));
            }
            keep
        });
    }

    fn taking(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.taking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<u64, Arc<Slot>>> {
        // The map is consistent wherever a panic may release its lock.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_found() -> Error {
    Error::of(ErrorCode::CursorNotFound)
}
