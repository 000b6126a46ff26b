//! The end of this server's lease, which no commit may reach.

use std::sync::atomic::{AtomicU64, Ordering};

use kv::{Error, Result};

use crate::topology::pd;

/// The end of a lease in milliseconds of the cluster's time.
#[derive(Debug)]
pub(crate) struct Fence(AtomicU64);

/// The end of no lease at all.
const NONE: u64 = u64::MAX;

impl Default for Fence {
    fn default() -> Self {
        Fence(AtomicU64::new(NONE))
    }
}

impl Fence {
    fn end(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Moves the end of the lease, unless the lease is lost.
    pub(crate) fn prolong(&self, end: u64) {
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |now| (now > 0).then_some(end));
    }

    /// Ends the lease for good.
    pub(crate) fn lose(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// Checks that the lease includes a timestamp. A lease that has ended is lost.
    ///
    /// Errors: [`Error::LeaseEnded`].
    pub(crate) fn check(&self, timestamp: u64) -> Result<()> {
        if pd::milliseconds(timestamp) < self.end() {
            return Ok(());
        }
        self.lose();
        Err(Error::LeaseEnded)
    }

    /// Checks that the lease is not lost, and that it includes a moment that is only estimated.
    ///
    /// Errors: [`Error::LeaseEnded`]; [`Error::Unavailable`] if the moment seems to be too late.
    pub(crate) fn check_about(&self, now_ms: u64) -> Result<()> {
        match self.end() {
            0 => Err(Error::LeaseEnded),
            end if now_ms < end => Ok(()),
            _ => {
                let reason =
                    "the lease of this server could not be renewed, because the cluster did not answer";
                Err(Error::Unavailable { reason: reason.to_owned() })
            }
        }
    }

    /// Returns the greatest timestamp that a commit may have; 0 without a lease.
    pub(crate) fn greatest_commit(&self) -> u64 {
        match self.end() {
            NONE => 0,
            end => pd::from_milliseconds(end).saturating_sub(1).max(1),
        }
    }
}
