//! The slot of a cursor: its owner, and the permit to keep its place in the storage engine.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::base::Owner;
use crate::state::cursor::Cursor;

/// Time after a fetch during which a cursor keeps its place, and thereby memory of the storage
/// engine.
const KEEP_PLACE: Duration = Duration::from_secs(1);
/// Maximum number of cursors that keep their places.
const PLACES_MAX: usize = 64;

/// A cursor and, while it keeps its place in the storage engine, the permit for it.
pub(super) struct Held {
    pub(super) cursor: Cursor,
    pub(super) place: Option<Place>,
}

/// One of [`PLACES_MAX`] permits.
pub(super) struct Place {
    taken: Arc<AtomicUsize>,
    until: Instant,
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Slot").field("owner", &self.owner).finish_non_exhaustive()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let taken = self.taken.fetch_sub(1, Ordering::Relaxed);
        debug_assert!(taken > 0, "a permit is returned once");
    }
}

impl Held {
    /// Keeps the place for [`KEEP_PLACE`] after a fetch if there is a permit, and gives it up
    /// otherwise.
    pub(super) fn keep_place(&mut self, taken: &Arc<AtomicUsize>) {
        let until = Instant::now() + KEEP_PLACE;
        match &mut self.place {
            Some(place) => place.until = until,
            None if taken.fetch_add(1, Ordering::Relaxed) < PLACES_MAX => {
                self.place = Some(Place { taken: Arc::clone(taken), until });
            }
            None => {
                taken.fetch_sub(1, Ordering::Relaxed);
                self.cursor.release();
            }
        }
    }

    pub(super) fn give_up_old_place(&mut self) {
        if self.place.as_ref().is_some_and(|place| place.until <= Instant::now()) {
            self.cursor.release();
            self.place = None;
        }
    }
}

pub(super) struct Slot {
    pub(super) owner: Owner,
    pub(super) held: Mutex<Held>,
    /// Number of batches that are computed ahead, or are about to be.
    pub(super) ahead: AtomicUsize,
    started: Instant,
    /// Milliseconds after `started` at which the cursor expires, unless it is in use then.
    expires_ms: AtomicU64,
}

impl Slot {
    pub(super) fn new(owner: Owner, held: Held) -> Self {
        Slot {
            owner,
            started: Instant::now(),
            expires_ms: AtomicU64::new(held.cursor.ttl().as_millis() as u64),
            held: Mutex::new(held),
            ahead: AtomicUsize::new(0),
        }
    }

    /// Begins the idle time of the cursor anew.
    pub(super) fn renew(&self, ttl: Duration) {
        let expires_ms = self.now_ms().saturating_add(ttl.as_millis() as u64);
        self.expires_ms.store(expires_ms, Ordering::Release);
    }

    /// Returns true if the idle time is over. A cursor for which a batch is computed ahead is not
    /// idle.
    pub(super) fn is_expired(&self) -> bool {
        self.ahead.load(Ordering::Acquire) == 0 && self.expires_ms.load(Ordering::Acquire) < self.now_ms()
    }

    fn now_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }
}
