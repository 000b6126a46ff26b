//! Positions of commits, and the commits that have not ended.
//!
//! A server that is alone counts ([`counted`]). Servers that share a store take timestamps of the
//! store ([`shared`]).

mod counted;
mod shared;

use std::sync::Arc;
use std::time::Duration;

use errors::Result;
use kv::Sharing;

use counted::CountedPositions;
pub(crate) use shared::{Progress, SharedPositions};

/// Hands out positions.
#[derive(Debug)]
pub(crate) enum Positions {
    /// Only this process writes the log.
    Counted(CountedPositions),
    /// Several servers write the log.
    Shared(SharedPositions),
}

/// Positions of a commit. Dropping this says that the commit has ended: its entries are visible, or
/// never will be.
#[derive(Debug)]
pub(crate) struct HeldPositions {
    positions: Arc<Positions>,
    first: u64,
    end: u64,
    /// The commit's number among those that are open.
    ticket: u64,
    /// Nothing was committed.
    is_withdrawn: bool,
}

impl Positions {
    /// Returns the positions of a server that is alone, from `next` on.
    pub(crate) fn starting_with(next: u64) -> Self {
        Positions::Counted(CountedPositions::starting_with(next))
    }

    /// Returns the positions of one of several servers.
    pub(crate) fn of_timestamps(sharing: Arc<dyn Sharing>) -> Self {
        Positions::Shared(SharedPositions::new(sharing))
    }

    /// Returns the positions of one of several servers; `None` for a server that is alone.
    pub(crate) fn shared(&self) -> Option<&SharedPositions> {
        match self {
            Positions::Counted(_) => None,
            Positions::Shared(shared) => Some(shared),
        }
    }

    /// Skips the positions below `least`, if the server counts.
    pub(crate) fn skip_to(&self, least: u64) {
        if let Positions::Counted(counted) = self {
            counted.skip_to(least);
        }
    }

    /// Takes the next `steps` positions.
    ///
    /// Errors: those of the engine, if servers share the store; 32 for too many positions.
    pub(crate) fn hold(self: &Arc<Self>, steps: u64) -> Result<HeldPositions> {
        let (ticket, first) = match self.as_ref() {
            Positions::Counted(counted) => {
                let first = counted.hold(steps);
                (first, first)
            }
            Positions::Shared(shared) => shared.hold(steps)?,
        };
        let end = first.saturating_add(steps.max(1));
        Ok(HeldPositions { positions: Arc::clone(self), first, end, ticket, is_withdrawn: false })
    }

    /// Returns a position below which all commits have ended. A snapshot that is taken afterwards
    /// shows all of them.
    pub(crate) fn resolved(&self) -> u64 {
        match self {
            Positions::Counted(counted) => counted.resolved(),
            Positions::Shared(shared) => shared.resolved(),
        }
    }

    /// Returns the position of the next commit of this server, or a lower one. All of its commits
    /// that have taken positions are below it.
    pub(crate) fn next(&self) -> u64 {
        match self {
            Positions::Counted(counted) => counted.next(),
            Positions::Shared(shared) => shared.next(),
        }
    }

    /// Waits until [`Positions::resolved`] is greater than `known`, or for `timeout`, and returns
    /// it.
    pub(crate) fn wait(&self, known: u64, timeout: Duration) -> u64 {
        match self {
            Positions::Counted(counted) => counted.wait(known, timeout),
            Positions::Shared(shared) => shared.wait(known, timeout),
        }
    }
}

impl HeldPositions {
    /// Returns the first of the positions.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// Gives the positions of a commit back that has failed, if they are the last ones. Otherwise a
    /// reader would have a position that no commit of the store has: after the next start, it
    /// would look like one of a commit that was lost.
    pub(crate) fn withdraw(mut self) {
        self.is_withdrawn = true;
    }

    /// Leaves the commit open, because nobody knows whether it took place. Readers do not pass it
    /// until the store is opened again. Where servers share the store, they pass it once the
    /// outcome is final.
    pub(crate) fn leave_open(self) {
        if let Positions::Shared(shared) = self.positions.as_ref() {
            shared.leave_open(self.ticket);
        }
        std::mem::forget(self);
    }
}

impl Drop for HeldPositions {
    fn drop(&mut self) {
        match self.positions.as_ref() {
            Positions::Counted(counted) => counted.end(self.first, self.end, self.is_withdrawn),
            Positions::Shared(shared) => shared.end(self.ticket),
        }
    }
}
