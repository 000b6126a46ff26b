//! Positions of commits, and the commits that have not ended.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Hands out positions.
#[derive(Debug)]
pub(crate) struct Positions {
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

/// Positions of a commit. Dropping this says that the commit has ended: its entries are visible, or
/// never will be.
#[derive(Debug)]
pub(crate) struct HeldPositions {
    positions: Arc<Positions>,
    first: u64,
    end: u64,
    /// Nothing was committed.
    is_withdrawn: bool,
}

impl Positions {
    pub(crate) fn starting_with(next: u64) -> Self {
        let state = Mutex::new(State { next, open: BTreeSet::new(), waiting: 0 });
        Positions { state, resolved: AtomicU64::new(next), advanced: Condvar::new() }
    }

    /// Skips the positions below `least`.
    pub(crate) fn skip_to(&self, least: u64) {
        let mut state = self.state();
        state.next = state.next.max(least);
        self.resolved.store(state.resolved(), Ordering::Release);
    }

    /// Takes the next `steps` positions.
    pub(crate) fn hold(self: &Arc<Self>, steps: u64) -> HeldPositions {
        let mut state = self.state();
        let first = state.next;
        let end = first.saturating_add(steps.max(1));
        state.next = end;
        state.open.insert(first);
        HeldPositions { positions: Arc::clone(self), first, end, is_withdrawn: false }
    }

    /// Returns the position below which all commits have ended. A snapshot that is taken afterwards
    /// shows all of them.
    pub(crate) fn resolved(&self) -> u64 {
        self.resolved.load(Ordering::Acquire)
    }

    /// Returns the position of the next commit. All commits that have taken positions are below it.
    pub(crate) fn next(&self) -> u64 {
        self.state().next
    }

    /// Waits until [`Positions::resolved`] is greater than `known`, or for `timeout`, and returns
    /// it.
    pub(crate) fn wait(&self, known: u64, timeout: Duration) -> u64 {
        let deadline = Instant::now() + timeout;
        let mut state = self.state();
        while state.resolved() <= known {
            let Some(rest) = deadline.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero())
            else {
                break;
            };
            state.waiting += 1;
            let (woken, _) = self.advanced.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.waiting -= 1;
        }
        state.resolved()
    }

    fn end(&self, held: &HeldPositions) {
        let mut state = self.state();
        let was_open = state.open.remove(&held.first);
        if held.is_withdrawn && state.next == held.end {
            state.next = held.first;
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

impl HeldPositions {
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
    /// until the store is opened again.
    pub(crate) fn leave_open(self) {
        std::mem::forget(self);
    }
}

impl Drop for HeldPositions {
    fn drop(&mut self) {
        self.positions.end(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_stop_before_the_first_commit_that_has_not_ended() {
        let positions = Arc::new(Positions::starting_with(10));
        let first = positions.hold(3);
        let second = positions.hold(1);
        assert_eq!((first.first(), second.first()), (10, 13));
        drop(second);
        assert_eq!((positions.resolved(), positions.next()), (10, 14));
        drop(first);
        assert_eq!((positions.resolved(), positions.next()), (14, 14));
    }

    #[test]
    fn skipped_positions_are_not_used() {
        let positions = Arc::new(Positions::starting_with(1));
        let held = positions.hold(1);
        positions.skip_to(100);
        assert_eq!(positions.resolved(), 1);
        drop(held);
        assert_eq!((positions.resolved(), positions.hold(1).first()), (100, 100));
        positions.skip_to(5);
        assert_eq!(positions.hold(1).first(), 101);
    }

    #[test]
    fn a_commit_with_an_unknown_outcome_is_never_passed() {
        let positions = Arc::new(Positions::starting_with(1));
        positions.hold(1).leave_open();
        drop(positions.hold(1));
        assert_eq!(positions.resolved(), 1);
    }

    #[test]
    fn a_commit_that_has_failed_leaves_no_position_at_the_end() {
        let positions = Arc::new(Positions::starting_with(10));
        positions.hold(3).withdraw();
        assert_eq!((positions.resolved(), positions.next()), (10, 10));
        let (failed, last) = (positions.hold(3), positions.hold(1));
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
        drop(positions.hold(2));
        assert_eq!(waiter.join().unwrap(), 3);
    }
}
