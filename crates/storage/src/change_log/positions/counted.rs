//! Positions of the commits of a server that is alone: it counts them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Hands out positions, one after another.
#[derive(Debug)]
pub(crate) struct CountedPositions {
    state: Mutex<State>,
    /// A copy of what [`State::resolved`] returns.
    resolved: AtomicU64,
    advanced: Condvar,
}

#[derive(Debug)]
struct State {
    next: u64,
    /// The first positions of commits that have not ended.
    open: BTreeSet<u64>,
    waiting: usize,
}

impl CountedPositions {
    pub(super) fn starting_with(next: u64) -> Self {
        let state = Mutex::new(State { next, open: BTreeSet::new(), waiting: 0 });
        CountedPositions { state, resolved: AtomicU64::new(next), advanced: Condvar::new() }
    }

    /// Skips the positions below `least`.
    pub(super) fn skip_to(&self, least: u64) {
        let mut state = self.state();
        state.next = state.next.max(least);
        self.resolved.store(state.resolved(), Ordering::Release);
    }

    /// Takes the next `steps` positions, and returns the first.
    pub(super) fn hold(&self, steps: u64) -> u64 {
        let mut state = self.state();
        let first = state.next;
        state.next = first.saturating_add(steps.max(1));
        state.open.insert(first);
        first
    }

    /// Returns the position below which all commits have ended. A snapshot that is taken afterwards
    /// shows all of them.
    pub(super) fn resolved(&self) -> u64 {
        self.resolved.load(Ordering::Acquire)
    }

    /// Returns the position of the next commit. All commits that have taken positions are below it.
    pub(super) fn next(&self) -> u64 {
        self.state().next
    }

    /// Waits until [`CountedPositions::resolved`] is greater than `known`, or for `timeout`, and
    /// returns it.
    pub(super) fn wait(&self, known: u64, timeout: Duration) -> u64 {
        let mut state = self.state();
        state.waiting += 1;
        let waited = self.advanced.wait_timeout_while(state, timeout, |state| state.resolved() <= known);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.waiting -= 1;
        state.resolved()
    }

    /// Ends the commit with the positions from `first` to `end`.
    pub(super) fn end(&self, first: u64, end: u64, is_withdrawn: bool) {
        let mut state = self.state();
        let was_open = state.open.remove(&first);
        if is_withdrawn && state.next == end {
            state.next = first;
        }
        debug_assert!(was_open, "a commit ended twice");
        let resolved = state.resolved();
        debug_assert!(self.resolved() <= resolved, "readers have seen a commit that had not ended");
        self.resolved.store(resolved, Ordering::Release);
        if state.waiting > 0 {
            self.advanced.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn resolved(&self) -> u64 {
        self.open.first().copied().unwrap_or(self.next)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Positions;
    use super::*;

    #[test]
    fn readers_stop_before_the_first_commit_that_has_not_ended() {
        let positions = Arc::new(Positions::starting_with(10));
        let first = positions.hold(3).unwrap();
        let second = positions.hold(1).unwrap();
        assert_eq!((first.first(), second.first()), (10, 13));
        drop(second);
        assert_eq!((positions.resolved(), positions.next()), (10, 14));
        drop(first);
        assert_eq!((positions.resolved(), positions.next()), (14, 14));
    }

    #[test]
    fn skipped_positions_are_not_used() {
        let positions = Arc::new(Positions::starting_with(1));
        let held = positions.hold(1).unwrap();
        positions.skip_to(100);
        assert_eq!(positions.resolved(), 1);
        drop(held);
        assert_eq!((positions.resolved(), positions.hold(1).unwrap().first()), (100, 100));
        positions.skip_to(5);
        assert_eq!(positions.hold(1).unwrap().first(), 101);
    }

    #[test]
    fn a_commit_with_an_unknown_outcome_is_never_passed() {
        let positions = Arc::new(Positions::starting_with(1));
        positions.hold(1).unwrap().leave_open();
        drop(positions.hold(1).unwrap());
        assert_eq!(positions.resolved(), 1);
    }

    #[test]
    fn a_commit_that_has_failed_leaves_no_position_at_the_end() {
        let positions = Arc::new(Positions::starting_with(10));
        positions.hold(3).unwrap().withdraw();
        assert_eq!((positions.resolved(), positions.next()), (10, 10));
        let (failed, last) = (positions.hold(3).unwrap(), positions.hold(1).unwrap());
        failed.withdraw();
        assert_eq!((positions.resolved(), positions.next()), (13, 14));
        drop(last);
        assert_eq!((positions.resolved(), positions.next()), (14, 14));
    }

    #[test]
    fn a_wait_ends_with_a_commit_or_with_its_time() {
        let positions = Arc::new(Positions::starting_with(1));
        assert_eq!(positions.wait(1, Duration::from_millis(1)), 1);
        let waiting = Arc::clone(&positions);
        let waiter = std::thread::spawn(move || waiting.wait(1, Duration::from_secs(60)));
        drop(positions.hold(2).unwrap());
        assert_eq!(waiter.join().unwrap(), 3);
    }
}
