//! Transactions that commit in parts, and copies of the store that should contain none of them in
//! part.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aql_value::Waiting;
use errors::{Error, ErrorCode, Result};

/// The wait of a copy for the end of transactions that have committed a part of their writes.
#[derive(Clone, Copy, Debug)]
pub struct PartialWait {
    /// The maximum wait.
    pub timeout: Duration,
    /// True if those transactions are then aborted, and the copy waits once more for as long.
    pub aborts: bool,
    /// True if the copy may then contain partial transactions.
    pub accepts_halves: bool,
}

/// The transactions that have committed a part of their writes and have not ended.
#[derive(Debug, Default)]
pub(crate) struct PartialCommits {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: usize,
    /// The number of copies that are being made. No transaction commits its first part until they
    /// are done.
    holds: usize,
    /// The number of copies that want the open transactions to end.
    aborts: usize,
}

/// A transaction that has committed a part of its writes. Its end is the drop.
#[derive(Debug)]
pub(crate) struct PartialCommit(Arc<PartialCommits>);

/// The hold of a copy that is being made.
#[derive(Debug)]
pub(crate) struct Hold<'a> {
    commits: &'a PartialCommits,
    is_whole: bool,
}

impl PartialCommits {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a transaction that is about to commit its first part. Waits while a copy is made.
    pub(crate) fn begin(self: &Arc<Self>) -> PartialCommit {
        let state = self.lock();
        let _waiting = (state.holds > 0).then(Waiting::begin);
        let wait = self.changed.wait_while(state, |state| state.holds > 0);
        wait.unwrap_or_else(PoisonError::into_inner).open += 1;
        PartialCommit(Arc::clone(self))
    }

    /// Waits until no transaction is half committed, and keeps it so.
    ///
    /// Errors: 18 after the wait, unless it accepts halves.
    pub(crate) fn hold(&self, wait: &PartialWait) -> Result<Hold<'_>> {
        let mut state = self.wait_for_none(self.lock(), wait.timeout);
        if state.open > 0 && wait.aborts {
            state.aborts += 1;
            state = self.wait_for_none(state, wait.timeout);
            state.aborts -= 1;
        }
        if state.open > 0 && !wait.accepts_halves {
            let message = format!("{} running queries have committed a part of their writes", state.open);
            return Err(Error::new(ErrorCode::LockTimeout, message).retryable());
        }
        state.holds += 1;
        Ok(Hold { commits: self, is_whole: state.open == 0 })
    }

    fn wait_for_none<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        timeout: Duration,
    ) -> MutexGuard<'a, State> {
        let (start, _waiting) = (Instant::now(), (state.open > 0).then(Waiting::begin));
        while state.open > 0
            && let Some(left) = timeout.checked_sub(start.elapsed()).filter(|left| !left.is_zero())
        {
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }
}

impl PartialCommit {
    /// Checks that the transaction may continue. Errors: 1500 if a copy wants it to end.
    pub(crate) fn check(&self) -> Result<()> {
        if self.0.lock().aborts > 0 { Err(Error::killed()) } else { Ok(()) }
    }
}

impl Drop for PartialCommit {
    fn drop(&mut self) {
        self.0.lock().open -= 1;
        self.0.changed.notify_all();
    }
}

impl Hold<'_> {
    /// Returns true if no transaction is half committed.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.commits.lock().holds -= 1;
        self.commits.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(aborts: bool, accepts_halves: bool) -> PartialWait {
        PartialWait { timeout: Duration::from_millis(10), aborts, accepts_halves }
    }

    #[test]
    fn a_copy_waits_for_half_committed_transactions() {
        let commits = Arc::<PartialCommits>::default();
        assert!(commits.hold(&wait(false, false)).unwrap().is_whole());
        let partial = commits.begin();
        assert_eq!(commits.hold(&wait(false, false)).unwrap_err().code(), ErrorCode::LockTimeout);
        assert!(!commits.hold(&wait(false, true)).unwrap().is_whole());
        partial.check().unwrap();
        drop(partial);
        assert!(commits.hold(&wait(false, true)).unwrap().is_whole());
    }

    #[test]
    fn a_copy_may_abort_them() {
        let commits = Arc::<PartialCommits>::default();
        let partial = commits.begin();
        let aborting = PartialWait { timeout: Duration::from_millis(200), ..wait(true, false) };
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while partial.check().is_ok() {
                    std::thread::yield_now();
                }
            });

            assert!(commits.hold(&aborting).unwrap().is_whole());
        });
    }

    #[test]
    fn no_first_part_is_committed_while_a_copy_is_made() {
        let commits = Arc::<PartialCommits>::default();
        let hold = commits.hold(&wait(false, false)).unwrap();
        std::thread::scope(|scope| {
            let other = Arc::clone(&commits);
            let begun = scope.spawn(move || other.begin());
            // It would begin in this time.
            std::thread::sleep(Duration::from_millis(20));
            assert!(!begun.is_finished());
            drop(hold);
            drop(begun.join().unwrap());
        });
    }
}
