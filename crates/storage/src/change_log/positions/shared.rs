//! Positions of the commits of several servers: they come from timestamps of the store.
//!
//! `docs/architecture/cluster.md`, "The change log", has the argument.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use errors::{Error, ErrorCode, Result};
use kv::{Sharing, TIMESTAMPS_MAX};

/// The bits of a position below its timestamp: a timestamp gives four positions.
const STEP_BITS: u32 = 2;

/// Returns the first position of a timestamp.
fn position_of(timestamp: u64) -> u64 {
    timestamp << STEP_BITS
}

/// Hands out positions, and knows how far all servers have come.
pub(crate) struct SharedPositions {
    sharing: Arc<dyn Sharing>,
    state: Mutex<State>,
    /// A copy of [`State::resolved`].
    resolved: AtomicU64,
    advanced: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// A lower bound of the positions of each commit that has not ended.
    open: BTreeMap<u64, u64>,
    next_ticket: u64,
    /// Commits with an unknown outcome, and the timestamps from which on it is final.
    in_doubt: Vec<(u64, u64)>,
    /// No commit takes a position below it any more.
    floor: u64,
    /// The position after the greatest one that was taken.
    end: u64,
    /// All commits of all servers below it have ended.
    settled: u64,
    /// The position after the last commit below `settled`, or a later one up to `settled`. It moves
    /// only if there may be a commit, so that those who wait for commits sleep on.
    resolved: u64,
    waiting: usize,
}

/// How far the commits of one server have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// All of its commits below this position have ended, and it takes no more positions there.
    pub(crate) settled: u64,
    /// No commit below `settled` ends behind this position.
    pub(crate) end: u64,
}

impl std::fmt::Debug for SharedPositions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedPositions").field("state", &self.state).finish_non_exhaustive()
    }
}

impl SharedPositions {
    pub(super) fn new(sharing: Arc<dyn Sharing>) -> Self {
        let (state, resolved) = (Mutex::default(), AtomicU64::new(0));
        SharedPositions { sharing, state, resolved, advanced: Condvar::new() }
    }

    /// Takes `steps` positions. Returns the number of the commit and the first position.
    ///
    /// Errors: 32 for too many positions, those of the engine.
    pub(super) fn hold(&self, steps: u64) -> Result<(u64, u64)> {
        let count = steps.max(1).div_ceil(1 << STEP_BITS);
        let count = u32::try_from(count).ok().filter(|count| *count <= TIMESTAMPS_MAX);
        let count = count.ok_or_else(|| {
            let most = u64::from(TIMESTAMPS_MAX) << STEP_BITS;
            let message = format!(
                "a commit has {steps} entries of the change log; it must have at most {most} where several \
                 servers share a store: divide the transaction"
            );
            Error::new(ErrorCode::ResourceLimit, message)
        })?;
        // The commit is open before it asks for a timestamp, which is greater than `floor`.
        let ticket = {
            let mut state = self.state();
            let (ticket, floor) = (state.next_ticket, state.floor);
            state.next_ticket += 1;
            state.open.insert(ticket, floor);
            ticket
        };
        let taken = self.sharing.timestamps(count);
        let mut state = self.state();
        match taken {
            Ok(timestamp) => {
                let first = position_of(timestamp);
                debug_assert!(first >= state.settled, "a commit takes a position that readers have passed");
                state.open.insert(ticket, first);
                state.end = state.end.max(first.saturating_add(steps.max(1)));
                Ok((ticket, first))
            }
            Err(error) => {
                state.open.remove(&ticket);
                Err(error.into())
            }
        }
    }

    pub(super) fn end(&self, ticket: u64) {
        let was_open = self.state().open.remove(&ticket).is_some();
        debug_assert!(was_open, "a commit ended twice");
    }

    /// Leaves a commit open until the end of this server's lease, which makes its outcome final.
    pub(super) fn leave_open(&self, ticket: u64) {
        let end = self.sharing.lease_end();
        self.state().in_doubt.push((ticket, end));
    }

    /// Returns how far the commits of this server have come at a timestamp that was taken before
    /// the call.
    pub(crate) fn progress(&self, timestamp: u64) -> Progress {
        let mut state = self.state();
        let state = &mut *state;
        state.in_doubt.retain(|(ticket, end)| {
            let is_final = timestamp >= *end;
            if is_final {
                state.open.remove(ticket);
            }
            !is_final
        });
        // Commits that register from now on take later timestamps.
        state.floor = state.floor.max(position_of(timestamp));
        let settled = state.open.values().copied().min().unwrap_or(u64::MAX).min(position_of(timestamp));
        Progress { settled, end: state.end }
    }

    /// Notes how far all servers have come: all commits below `settled` have ended, and the last of
    /// them before `end`.
    pub(crate) fn advance(&self, settled: u64, end: u64) {
        let mut state = self.state();
        if settled <= state.settled {
            return;
        }
        state.settled = settled;
        state.resolved = state.resolved.max(end.min(settled));
        self.resolved.store(state.resolved, Ordering::Release);
        if state.waiting > 0 {
            self.advanced.notify_all();
        }
    }

    pub(super) fn resolved(&self) -> u64 {
        self.resolved.load(Ordering::Acquire)
    }

    pub(super) fn next(&self) -> u64 {
        let state = self.state();
        state.end.max(state.settled)
    }

    /// Returns a position that is greater than those of all commits that have returned, on any
    /// server, and not greater than those of commits that begin afterwards.
    ///
    /// Errors: those of the engine.
    pub(crate) fn now(&self) -> Result<u64> {
        Ok(position_of(self.sharing.timestamps(1)?))
    }

    pub(super) fn wait(&self, known: u64, timeout: Duration) -> u64 {
        self.wait_until(timeout, |state| state.resolved > known).resolved
    }

    /// Waits until all commits of all servers below a position have ended, or for `timeout`.
    /// Returns a position up to which they have.
    pub(crate) fn wait_until_settled(&self, position: u64, timeout: Duration) -> u64 {
        self.wait_until(timeout, |state| state.settled >= position).settled
    }

    fn wait_until(&self, timeout: Duration, is_over: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let mut state = self.state();
        state.waiting += 1;
        let waited = self.advanced.wait_timeout_while(state, timeout, |state| !is_over(state));
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.waiting -= 1;
        state
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use kv::Engine;
    use kv_tikv::MemoryCluster;

    use super::super::Positions;
    use super::*;

    /// A server that is the only one in a cluster. Its engine is open while the first value is
    /// there.
    fn alone(cluster: &MemoryCluster) -> (Arc<dyn Engine>, Arc<Positions>, Arc<dyn Sharing>) {
        let engine: Arc<dyn Engine> = cluster.open(Duration::from_secs(20)).unwrap();
        let sharing = engine.sharing().unwrap();
        (engine, Arc::new(Positions::of_timestamps(Arc::clone(&sharing))), sharing)
    }

    fn progress(positions: &Positions, sharing: &Arc<dyn Sharing>) -> Progress {
        let timestamp = sharing.timestamps(1).unwrap();
        positions.shared().unwrap().progress(timestamp)
    }

    #[test]
    fn a_server_has_come_as_far_as_its_first_open_commit() {
        let cluster = MemoryCluster::new();
        let (_engine, positions, sharing) = alone(&cluster);
        let before = progress(&positions, &sharing);
        let first = positions.hold(9).unwrap();
        let second = positions.hold(1).unwrap();
        assert!(before.settled <= first.first() && first.first() + 9 <= second.first());
        let (begin, end) = (first.first(), second.first() + 1);
        assert_eq!(progress(&positions, &sharing), Progress { settled: begin, end });
        drop(first);
        assert_eq!(progress(&positions, &sharing).settled, second.first());
        drop(second);
        let after = progress(&positions, &sharing);
        assert!(after.settled > end && after.end == end);
    }

    #[test]
    fn a_commit_with_an_unknown_outcome_is_open_until_its_lease_ends() {
        let cluster = MemoryCluster::new();
        let (_engine, positions, sharing) = alone(&cluster);
        let held = positions.hold(1).unwrap();
        let first = held.first();
        held.leave_open();
        drop(positions.hold(1));
        assert_eq!(progress(&positions, &sharing).settled, first);
        let end = sharing.lease_end();
        let shared = positions.shared().unwrap();
        assert_eq!(shared.progress(end - 1).settled, first);
        assert!(shared.progress(end).settled > first);
    }

    #[test]
    fn a_commit_that_is_too_large_is_refused_and_holds_nobody_up() {
        let cluster = MemoryCluster::new();
        let (_engine, positions, sharing) = alone(&cluster);
        assert_eq!(positions.hold(1 << 21).unwrap_err().number(), 32);
        let before = positions.shared().unwrap().now().unwrap();
        assert!(progress(&positions, &sharing).settled > before);
    }

    #[test]
    fn only_commits_wake_those_who_wait() {
        let cluster = MemoryCluster::new();
        let (_engine, positions, _sharing) = alone(&cluster);
        let shared = positions.shared().unwrap();
        shared.advance(100, 0);
        assert_eq!((positions.resolved(), shared.wait_until_settled(100, Duration::ZERO)), (0, 100));
        shared.advance(200, 150);
        assert_eq!(positions.resolved(), 150);
        // The end belongs to a commit that has not ended.
        shared.advance(300, 350);
        assert_eq!(positions.resolved(), 300);
        shared.advance(250, 250);
        assert_eq!((positions.resolved(), shared.wait_until_settled(0, Duration::ZERO)), (300, 300));
        let waiting = Arc::clone(&positions);
        let waiter = std::thread::spawn(move || waiting.wait(300, Duration::from_secs(60)));
        shared.advance(400, 350);
        assert_eq!(waiter.join().unwrap(), 350);
    }
}
