//! Activities: the requests, queries and transactions in progress, and which of them began which.
//!
//! A thread works for at most one activity at a time ([`within`]). Whatever begins meanwhile has
//! that activity as its parent ([`current`]). This module knows only numbers: each owner of
//! activities lists its own.
//!
//! A number costs a few nanoseconds, because each thread takes a block of them at once.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The numbers that a thread takes at once.
const BLOCK: u64 = 1 << 10;

/// The first number of the next block. It is the process's, as its threads are.
static NEXT_BLOCK: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The next number of the thread's block, and the end of the block.
    static NUMBERS: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    /// The number of the activity that the thread works for; 0 for none.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

/// The beginning of an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The number. No other activity of the process has it.
    pub id: u64,
    /// The activity that began this one, which may have ended since.
    pub parent: Option<u64>,
    /// The time of the beginning.
    pub created: SystemTime,
}

impl Origin {
    /// Begins an activity as a part of the one that the thread works for.
    pub fn new() -> Self {
        Self::with_id(next_id())
    }

    /// Begins an activity that has its number already.
    pub fn with_id(id: u64) -> Self {
        Origin { id, parent: current(), created: SystemTime::now() }
    }
}

impl Default for Origin {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns a number for an activity. Later ones of a thread are greater.
pub fn next_id() -> u64 {
    let (next, end) = NUMBERS.get();
    let (id, end) = if next < end {
        (next, end)
    } else {
        let start = NEXT_BLOCK.fetch_add(BLOCK, Ordering::Relaxed);
        (start, start + BLOCK)
    };
    NUMBERS.set((id + 1, end));
    id
}

/// Returns the activity that the calling thread works for.
pub fn current() -> Option<u64> {
    Some(CURRENT.get()).filter(|id| *id != 0)
}

/// Runs work of an activity. The outer activity of the thread continues afterwards, also after a
/// panic.
pub fn within<T>(id: u64, work: impl FnOnce() -> T) -> T {
    struct Restore(u64);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(CURRENT.replace(id));
    work()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn activities_nest_and_end_also_by_a_panic() {
        assert_eq!(Origin::new().parent, None);
        let outer = next_id();
        within(outer, || {
            let inner = Origin::new();
            assert_eq!(inner.parent, Some(outer));
            assert_eq!(within(inner.id, current), Some(inner.id));
            assert!(catch_unwind(|| within(inner.id, || panic!("by the test"))).is_err());
            assert_eq!(current(), Some(outer));
        });
        assert_eq!(current(), None);
    }

    #[test]
    fn no_two_activities_have_the_same_number() {
        const EACH: usize = 3 * BLOCK as usize;
        let numbers = || (0..EACH).map(|_| next_id()).collect::<Vec<_>>();
        let all: BTreeSet<u64> = std::thread::scope(|scope| {
            let threads = [scope.spawn(numbers), scope.spawn(numbers)];
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(all.len(), 2 * EACH);
        assert!(!all.contains(&0));
    }
}
