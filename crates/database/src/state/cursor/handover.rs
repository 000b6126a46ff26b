//! The handover of a cursor to another server that shares the store, when its own one is gone.
//!
//! The store then has the cursor's description and its progress ([`CursorRecords`]). A server that
//! stops writes them for all of its cursors. A crash leaves no time for that, so a cursor whose
//! client asks for `allowRetry` has them as long as it is open: its progress is written before a
//! batch is sent. So a server that goes on with a cursor skips all rows that the client may have.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use errors::{ErrorCode, Result};
use storage::{CursorProgress, CursorRecord, CursorRecords};

/// The maximum bytes of a description. A cursor over a query with a longer one ends with its
/// server.
const DESCRIPTION_MAX_BYTES: usize = 1 << 20;

/// The time after the end of a cursor's idle time for which its records stay. Its client cannot ask
/// for it before the lease of its server has ended.
const GRACE: Duration = Duration::from_secs(60);

/// The cursors whose records are to be removed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forgotten(Arc<Mutex<Vec<u64>>>);

impl Forgotten {
    fn add(&self, cursor: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(cursor);
    }

    /// Removes the records. Those that the store does not remove now expire.
    pub(super) fn remove_records(&self, records: &CursorRecords) {
        let cursors = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if cursors.is_empty() {
            return;
        }
        if let Err(error) = records.remove_own(&cursors) {
            tracing::debug!(target: "cluster", "records of ended cursors stay until they expire: {error}");
        }
    }
}

/// A cursor's records in the store. They are removed with the cursor, but not if the server ends.
#[derive(Debug)]
pub(crate) struct Handover {
    cursor: u64,
    records: CursorRecords,
    forgotten: Forgotten,
    progress: CursorProgress,
    /// The cursor was taken over, so that another server may do the same.
    is_taken: bool,
    /// Another server has the cursor.
    is_lost: bool,
}

impl Handover {
    /// Writes the records of an open cursor after its first batch. Returns `None` if the cursor
    /// cannot have any.
    pub(crate) fn begin(
        cursor: u64,
        (records, forgotten): (CursorRecords, &Forgotten),
        description: Vec<u8>,
        rows: usize,
        ttl: Duration,
    ) -> Option<Handover> {
        let record = record_of(&records, description, (1, rows as u64, rows), ttl)?;
        let progress = record.progress;
        let written = records.add(&[(cursor, record)]);
        let handover = Handover {
            cursor,
            records,
            forgotten: forgotten.clone(),
            progress,
            is_taken: false,
            is_lost: false,
        };
        match written {
            Ok(()) => Some(handover),
            Err(error) => {
                // The drop removes the records, which may be there although the write has failed.
                tracing::debug!(target: "cluster", "cursor {cursor} ends with this server: {error}");
                None
            }
        }
    }

    /// Makes this server the owner of a cursor whose record is `record`. Returns `None` if another
    /// server was faster.
    ///
    /// Errors: those of the store.
    pub(crate) fn take(
        cursor: u64,
        (records, forgotten): (CursorRecords, &Forgotten),
        before: CursorProgress,
        ttl: Duration,
    ) -> Result<Option<Handover>> {
        let owner = records.sharing().identity();
        let progress = CursorProgress { owner, expires_ms: expiry(&records, ttl), ..before };
        if !replaced(records.replace_progress(cursor, before, progress))? {
            return Ok(None);
        }
        let forgotten = forgotten.clone();
        Ok(Some(Handover { cursor, records, forgotten, progress, is_taken: true, is_lost: false }))
    }

    /// Returns the rows that the client has.
    pub(crate) fn progress(&self) -> CursorProgress {
        self.progress
    }

    /// Notes that a batch is about to be sent. Returns false if another server has the cursor now.
    ///
    /// Errors: those of the store. The batch must not be sent then: another server would send its
    /// rows again.
    pub(super) fn note_batch(&mut self, rows: usize, ttl: Duration) -> Result<bool> {
        let rows = rows as u64;
        let progress = CursorProgress {
            batches: self.progress.batches + 1,
            rows: self.progress.rows + rows,
            last_rows: rows,
            expires_ms: expiry(&self.records, ttl),
            ..self.progress
        };
        let written = match self.is_taken {
            true => replaced(self.records.replace_progress(self.cursor, self.progress, progress)),
            false => self.records.set_progress(self.cursor, progress).map(|()| true),
        };
        match written {
            Ok(true) => self.progress = progress,
            Ok(false) => {
                self.is_lost = true;
                return Ok(false);
            }
            // A store whose disk is full writes nothing, but removes.
            Err(error) => {
                self.records.remove_own(&[self.cursor]).map_err(|_| error)?;
                self.is_lost = true;
            }
        }
        Ok(true)
    }

    /// Leaves the records to another server.
    pub(super) fn leave(mut self) {
        self.is_lost = true;
    }

    /// Returns true if the records are gone, or are those of another server.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }
}

impl Drop for Handover {
    fn drop(&mut self) {
        if !self.is_lost {
            self.forgotten.add(self.cursor);
        }
    }
}

/// Returns the records of a cursor of this server. `sent` has the numbers of batches, of rows, and
/// of rows of the last batch. `None` if the description is too long.
pub(super) fn record_of(
    records: &CursorRecords,
    description: Vec<u8>,
    sent: (u64, u64, usize),
    ttl: Duration,
) -> Option<CursorRecord> {
    if description.len() > DESCRIPTION_MAX_BYTES {
        return None;
    }
    let owner = records.sharing().identity();
    let (batches, rows, last_rows) = sent;
    let (last_rows, expires_ms) = (last_rows as u64, expiry(records, ttl));
    let progress = CursorProgress { owner, batches, rows, last_rows, expires_ms };
    Some(CursorRecord { description, progress })
}

/// A server that conflicts with another one was slower.
fn replaced(outcome: Result<bool>) -> Result<bool> {
    match outcome {
        Err(error) if error.code() == ErrorCode::Conflict => Ok(false),
        outcome => outcome,
    }
}

fn expiry(records: &CursorRecords, ttl: Duration) -> u64 {
    let sharing = records.sharing();
    let life = ttl.saturating_add(sharing.lease()).saturating_add(GRACE);
    sharing.clock_ms().saturating_add(u64::try_from(life.as_millis()).unwrap_or(u64::MAX))
}
