//! The memory that long requests share: their bodies, and the structures built from them.
//!
//! A body is read only when there is memory for all of it. Until then its bytes stay with the
//! client and cost the server nothing. Requests get memory in the order in which they ask for it,
//! so that short ones cannot starve a long one. A request that needs more than the whole memory
//! waits until it is alone.

use std::sync::Arc;
use std::time::Duration;

use errors::Result;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::placement::pool::Rejected;

/// The memory of a request as a multiple of its body.
///
/// It holds the body, its VelocyPack, the documents as they are stored, and the engine's batch of
/// them with an index over it. Measured: 4 to 7 times, more for shorter documents.
const BYTES_PER_BODY_BYTE: usize = 4;

/// Bodies up to this length are not counted: their number is at most that of connections.
pub(crate) const UNCOUNTED_BYTES: usize = 64 << 10;

/// The unit in which memory is counted.
const UNIT_BYTES: usize = 1 << 10;

/// Longest wait of a request for memory: as long as its client may pause within the body.
const MEMORY_TIMEOUT: Duration = BODY_TIMEOUT;

/// Longest pause of a client within a request's body: ArangoDB's "about 90 seconds".
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(90);

/// The memory for the bodies of requests. See the module's documentation.
#[derive(Debug)]
pub(crate) struct BodyMemory {
    units: Arc<Semaphore>,
    all: u32,
}

/// The share of a request; it is given back on drop.
pub(crate) type BodyPermit = OwnedSemaphorePermit;

impl BodyMemory {
    /// Returns an account of `bytes` for all requests together.
    pub(crate) fn new(bytes: usize) -> Self {
        let units = bytes / BYTES_PER_BODY_BYTE / UNIT_BYTES;
        let all = u32::try_from(units).unwrap_or(u32::MAX).max(1);
        // The semaphore's limit is `usize::MAX >> 3`, which is greater than any `u32`.
        BodyMemory { units: Arc::new(Semaphore::new(all as usize)), all }
    }

    /// Returns the bytes of bodies that fit at the same time. A longer body waits until it is
    /// alone.
    pub(crate) fn capacity_bytes(&self) -> usize {
        self.all as usize * UNIT_BYTES
    }

    /// Waits for the memory of a body. Returns `None` for a body that is too short to be counted.
    ///
    /// Errors: 503 with 21003 if there is none for [`MEMORY_TIMEOUT`].
    pub(crate) async fn take(&self, body_bytes: usize) -> Result<Option<BodyPermit>> {
        if body_bytes <= UNCOUNTED_BYTES {
            return Ok(None);
        }
        let taken = Arc::clone(&self.units).acquire_many_owned(self.units_of(body_bytes));
        // Boxed, so that this rare wait does not enlarge the future of every request.
        match Box::pin(tokio::time::timeout(MEMORY_TIMEOUT, taken)).await {
            Ok(Ok(permit)) => Ok(Some(permit)),
            // The semaphore is never closed.
            Ok(Err(_)) | Err(_) => Err(Rejected.into()),
        }
    }

    /// Waits until `permit` suffices for a body that has grown to `body_bytes`.
    ///
    /// Errors: as for [`BodyMemory::take`].
    pub(crate) async fn grow(&self, permit: &mut Option<BodyPermit>, body_bytes: usize) -> Result<()> {
        let have = permit.as_ref().map_or(0, |permit| permit.num_permits() * UNIT_BYTES);
        if body_bytes.min(self.capacity_bytes()) <= have.max(UNCOUNTED_BYTES) {
            return Ok(());
        }
        // Doubled each time, so that the memory is rarely requested.
        let wanted = (body_bytes * 2).min(self.capacity_bytes());
        if let Some(more) = self.take(wanted - have).await? {
            match permit {
                Some(permit) => permit.merge(more),
                None => *permit = Some(more),
            }
        }
        Ok(())
    }

    /// Gives back the memory that a body does not need.
    pub(crate) fn shrink(&self, permit: &mut Option<BodyPermit>, body_bytes: usize) {
        let Some(held) = permit else { return };
        let needed = self.units_of(body_bytes) as usize;
        drop(held.split(held.num_permits().saturating_sub(needed)));
    }

    fn units_of(&self, body_bytes: usize) -> u32 {
        u32::try_from(body_bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX).min(self.all)
    }
}
