//! The end of this server's lease, which no commit may reach.

use std::sync::atomic::{AtomicU64, Ordering};

use kv::{Error, Result};

use crate::topology::pd;

/// The end of a lease in milliseconds of the cluster's time, and the moment from which on all
/// commits are decided.
#[derive(Debug)]
pub(crate) struct Fence {
    end: AtomicU64,
    /// The greatest end of the lease at which a commit returned without a known outcome.
    doubtful_until: AtomicU64,
    /// The commits that have not returned.
    running: AtomicU64,
}

/// A commit that has not returned.
pub(crate) struct Running<'a>(&'a Fence);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The end of no lease at all.
const NONE: u64 = u64::MAX;

impl Default for Fence {
    fn default() -> Self {
        Fence { end: AtomicU64::new(NONE), doubtful_until: AtomicU64::new(0), running: AtomicU64::new(0) }
    }
}

impl Fence {
    fn end(&self) -> u64 {
        self.end.load(Ordering::Acquire)
    }

    /// Returns the timestamp at which the lease ends.
    pub(crate) fn end_timestamp(&self) -> u64 {
        match self.end() {
            NONE => NONE,
            end => pd::from_milliseconds(end),
        }
    }

    /// Notes that a commit begins.
    pub(crate) fn run(&self) -> Running<'_> {
        self.running.fetch_add(1, Ordering::AcqRel);
        Running(self)
    }

    /// Notes that nobody knows if a commit took place. Until the end of the present lease, a
    /// message that is still on its way may decide that.
    pub(crate) fn note_doubt(&self) {
        self.doubtful_until.fetch_max(self.end(), Ordering::AcqRel);
    }

    /// Returns true if a commit may not be decided at a timestamp.
    pub(crate) fn has_doubt(&self, timestamp: u64) -> bool {
        let is_doubtful = pd::milliseconds(timestamp) < self.doubtful_until.load(Ordering::Acquire);
        is_doubtful || self.running.load(Ordering::Acquire) > 0
    }

    /// Moves the end of the lease, unless the lease is lost.
    pub(crate) fn prolong(&self, end: u64) {
        let _ = self.end.fetch_update(Ordering::AcqRel, Ordering::Acquire, |now| (now > 0).then_some(end));
    }

    /// Ends the lease for good.
    pub(crate) fn lose(&self) {
        self.end.store(0, Ordering::Release);
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
