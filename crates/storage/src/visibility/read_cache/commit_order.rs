//! Numbers for commits, in the order in which they begin.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of a commit; the first one is 1.
pub(crate) type CommitNumber = u64;

/// The commits that have begun and those that have ended.
#[derive(Default)]
pub(super) struct CommitOrder {
    begun: Mutex<Begun>,
    finished: AtomicU64,
}

#[derive(Default)]
struct Begun {
    last: CommitNumber,
    /// Commits that have not ended.
    open: BTreeSet<CommitNumber>,
}

impl CommitOrder {
    /// Begins a commit, and returns its number.
    pub(super) fn begin(&self) -> CommitNumber {
        let mut begun = self.lock();
        begun.last += 1;
        let number = begun.last;
        begun.open.insert(number);
        number
    }

    /// Ends a commit. If it took place, every snapshot from now on includes it.
    pub(super) fn end(&self, number: CommitNumber) {
        let mut begun = self.lock();
        let was_open = begun.open.remove(&number);
        debug_assert!(was_open, "commit {number} ends that was not announced");
        let finished = begun.open.first().map_or(begun.last, |first| first - 1);
        debug_assert!(finished >= self.finished(), "snapshots would lose commits that they had");
        self.finished.store(finished, Ordering::SeqCst);
    }

    /// Returns the last commit that has ended together with all commits before it.
    pub(super) fn finished(&self) -> CommitNumber {
        self.finished.load(Ordering::SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, Begun> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_finished_has_no_gaps() {
        let order = CommitOrder::default();
        let (first, second, third) = (order.begin(), order.begin(), order.begin());
        assert_eq!((first, second, third, order.finished()), (1, 2, 3, 0));
        order.end(second);
        assert_eq!(order.finished(), 0);
        order.end(first);
        assert_eq!(order.finished(), 2);
        order.end(third);
        assert_eq!(order.finished(), 3);
        let fourth = order.begin();
        assert_eq!(order.finished(), 3);
        order.end(fourth);
        assert_eq!(order.finished(), 4);
    }
}
