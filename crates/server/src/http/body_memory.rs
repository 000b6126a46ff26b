//! The memory that long requests share: their bodies, and what is made of them until they are answered.
//!
//! A body is read only when there is memory for all of it. Until then the client's bytes stay with the client, which
//! costs nobody anything. Requests get memory in the order in which they ask for it, so that a long one is not put off
//! for ever by short ones; one that is longer than all there is waits until it is alone.

use std::sync::Arc;
use std::time::Duration;

use errors::Result;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::placement::pool::Rejected;

/// A request takes so many times its body: the body, its VelocyPack, the documents as they are stored, and the engine's
/// batch of them with an index over it (measured: 4 to 7 times, the more the shorter the documents are).
const BYTES_PER_BODY_BYTE: usize = 4;

/// Bodies up to this length are not counted: there are no more of them than connections.
pub(crate) const UNCOUNTED_BYTES: usize = 64 << 10;

/// What is counted in.
const UNIT_BYTES: usize = 1 << 10;

/// How long a request waits for memory: as long as its client may pause in the middle of its body.
const MEMORY_TIMEOUT: Duration = BODY_TIMEOUT;

/// How long a client may pause in the middle of its request's body; ArangoDB's "about 90 seconds".
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(90);

/// See the module.
#[derive(Debug)]
pub(crate) struct BodyMemory {
    units: Arc<Semaphore>,
    all: u32,
}

/// Memory that a request has, until this is dropped.
pub(crate) type BodyPermit = OwnedSemaphorePermit;

impl BodyMemory {
    /// So many bytes for all requests together.
    pub(crate) fn new(bytes: usize) -> Self {
        let units = bytes / BYTES_PER_BODY_BYTE / UNIT_BYTES;
        let all = u32::try_from(units).unwrap_or(u32::MAX).max(1);
        // The semaphore's own bound is that of a `usize`, shifted by three.
        BodyMemory { units: Arc::new(Semaphore::new(all as usize)), all }
    }

    /// Bytes of bodies that there can be at one time; a longer one is alone.
    pub(crate) fn capacity_bytes(&self) -> usize {
        self.all as usize * UNIT_BYTES
    }

    /// Waits for the memory of a body. `None` for one that is too short to be counted.
    ///
    /// Errors: 503 with 21003 when there is none for [`MEMORY_TIMEOUT`].
    pub(crate) async fn take(&self, body_bytes: usize) -> Result<Option<BodyPermit>> {
        if body_bytes <= UNCOUNTED_BYTES {
            return Ok(None);
        }
        let taken = Arc::clone(&self.units).acquire_many_owned(self.units_of(body_bytes));
        // Boxed, so that what most requests do not need does not make all of them larger.
        match Box::pin(tokio::time::timeout(MEMORY_TIMEOUT, taken)).await {
            Ok(Ok(permit)) => Ok(Some(permit)),
            // Nobody closes the semaphore.
            Ok(Err(_)) | Err(_) => Err(Rejected.into()),
        }
    }

    /// Waits until `permit` is enough for a body that has grown to `body_bytes`.
    ///
    /// Errors: as [`BodyMemory::take`].
    pub(crate) async fn grow(&self, permit: &mut Option<BodyPermit>, body_bytes: usize) -> Result<()> {
        let have = permit.as_ref().map_or(0, |permit| permit.num_permits() * UNIT_BYTES);
        if body_bytes.min(self.capacity_bytes()) <= have.max(UNCOUNTED_BYTES) {
            return Ok(());
        }
        // Twice as much each time, so that this is asked for seldom.
        let wanted = (body_bytes * 2).min(self.capacity_bytes());
        if let Some(more) = self.take(wanted - have).await? {
            match permit {
                Some(permit) => permit.merge(more),
                None => *permit = Some(more),
            }
        }
        Ok(())
    }

    /// Gives back what a body does not need.
    pub(crate) fn shrink(&self, permit: &mut Option<BodyPermit>, body_bytes: usize) {
        let Some(held) = permit else { return };
        let needed = self.units_of(body_bytes) as usize;
        drop(held.split(held.num_permits().saturating_sub(needed)));
    }

    fn units_of(&self, body_bytes: usize) -> u32 {
        u32::try_from(body_bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX).min(self.all)
    }
}
