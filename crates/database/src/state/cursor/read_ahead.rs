//! Read-ahead: the next batch of a cursor is computed while its client reads the last one.
//!
//! It starts only after a client has fetched several batches, and only for sources without side
//! effects: their rows are the same whenever they are computed. A cursor has at most one batch
//! ahead, and none that is large.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::slot::Slot;
use super::{Cursor, Rest};

/// Delivered batches after which a client is expected to fetch the rest.
const BATCHES_BEFORE: u64 = 2;
/// Upper bound of batches with read-ahead: sending a larger one takes long enough anyway.
const BATCH_MAX_BYTES: usize = 1 << 20;

/// A batch that is about to be computed. While it exists, fetches wait for the cursor instead of
/// finding it busy.
#[derive(Debug)]
pub struct ReadAhead {
    slot: Arc<Slot>,
}

impl ReadAhead {
    pub(super) fn new(slot: &Arc<Slot>) -> Self {
        slot.ahead.fetch_add(1, Ordering::AcqRel);
        ReadAhead { slot: Arc::clone(slot) }
    }

    /// Computes the batch, unless the client's request was faster.
    pub fn run(self) {
        if let Ok(mut held) = self.slot.held.try_lock() {
            held.cursor.read_ahead();
            // The computation may have taken longer than the idle time.
            self.slot.renew(held.cursor.ttl());
        }
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        let ahead = self.slot.ahead.fetch_sub(1, Ordering::AcqRel);
        debug_assert!(ahead > 0, "a batch ahead is counted before it is computed");
    }
}

impl Cursor {
    /// Returns true if the next batch should be computed before the client requests it.
    pub(super) fn should_read_ahead(&self) -> bool {
        let Rest::Source(source) = &self.rest else { return false };
        self.delivered >= BATCHES_BEFORE
            && self.last_bytes <= BATCH_MAX_BYTES
            && !self.exhausted
            && self.ahead.is_none()
            && source.can_read_ahead()
    }

    fn read_ahead(&mut self) {
        if self.should_read_ahead() {
            self.ahead = Some(self.compute());
        }
    }
}
