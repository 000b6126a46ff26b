//! The lock of a collection. Writers share it, and loads of new documents share it. A change of the
//! collection's definition or indexes holds it exclusively.
//!
//! Writers and loads exclude each other, because a load neither checks the keys that transactions
//! claim nor claims its own.
//!
//! Readers need no lock; they have snapshots.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kv::WaitPolicy;

/// The lock of one collection. While a change waits for exclusive use, later writers wait behind
/// it.
#[derive(Debug, Default)]
pub(crate) struct CollectionLock {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    sharing: usize,
    loading: usize,
    is_exclusive: bool,
    waiting_exclusive: usize,
    waiting_shared: usize,
    waiting_load: usize,
}

/// A mode of locking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockMode {
    /// Shared with other writers.
    Shared,
    /// Shared with other loads. A load that waits lets writers go first.
    Load,
    /// Held by one change alone.
    Exclusive,
}

/// The right to use the collection, until the guard is dropped.
#[derive(Debug)]
pub(crate) struct CollectionLockGuard {
    lock: Arc<CollectionLock>,
    mode: LockMode,
}

impl CollectionLock {
    /// Waits as long as `wait` allows; `None` after that.
    pub(crate) fn acquire(self: &Arc<Self>, mode: LockMode, wait: WaitPolicy) -> Option<CollectionLockGuard> {
        let mut state = self.state();
        if !state.admits(mode) {
            state = self.wait_for(state, mode, wait.limit())?;
        }
        match mode {
            LockMode::Shared => state.sharing += 1,
            LockMode::Load => state.loading += 1,
            LockMode::Exclusive => state.is_exclusive = true,
        }
        drop(state);
        Some(CollectionLockGuard { lock: Arc::clone(self), mode })
    }

    fn wait_for<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        mode: LockMode,
        timeout: Duration,
    ) -> Option<MutexGuard<'a, State>> {
        let deadline = Instant::now() + timeout;
        *state.waiting(mode) += 1;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let admitted = state.admits_waiting(mode);
            if admitted || left.is_zero() {
                *state.waiting(mode) -= 1;
                if !admitted {
                    drop(state);
                    self.changed.notify_all();
                    return None;
                }
                return Some(state);
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Locks the state. No code that can panic runs under this lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn release(&self, mode: LockMode) {
        let mut state = self.state();
        let wake = match mode {
            LockMode::Shared => {
                state.sharing -= 1;
                state.sharing == 0 && state.waiting_exclusive + state.waiting_load > 0
            }
            LockMode::Load => {
                state.loading -= 1;
                state.loading == 0 && state.waiting_exclusive + state.waiting_shared > 0
            }
            LockMode::Exclusive => {
                state.is_exclusive = false;
                true
            }
        };
        drop(state);
        if wake {
            self.changed.notify_all();
        }
    }
}

impl State {
    fn admits(&self, mode: LockMode) -> bool {
        self.waiting_exclusive == 0 && self.admits_waiting(mode)
    }

    fn admits_waiting(&self, mode: LockMode) -> bool {
        let is_open = !self.is_exclusive;
        match mode {
            LockMode::Shared => is_open && self.waiting_exclusive == 0 && self.loading == 0,
            LockMode::Load => {
                is_open && self.waiting_exclusive == 0 && self.sharing == 0 && self.waiting_shared == 0
            }
            LockMode::Exclusive => is_open && self.sharing == 0 && self.loading == 0,
        }
    }

    /// Returns the number of threads that wait for a mode.
    fn waiting(&mut self, mode: LockMode) -> &mut usize {
        match mode {
            LockMode::Shared => &mut self.waiting_shared,
            LockMode::Load => &mut self.waiting_load,
            LockMode::Exclusive => &mut self.waiting_exclusive,
        }
    }
}

impl Drop for CollectionLockGuard {
    fn drop(&mut self) {
        self.lock.release(self.mode);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: WaitPolicy = WaitPolicy::UpTo(Duration::from_millis(20));
    const LONG: WaitPolicy = WaitPolicy::UpTo(Duration::from_secs(30));

    #[test]
    fn writers_share_and_a_change_is_alone() {
        let lock = Arc::new(CollectionLock::default());
        let first = lock.acquire(LockMode::Shared, SOON).unwrap();
        let second = lock.acquire(LockMode::Shared, SOON).unwrap();
        assert!(lock.acquire(LockMode::Exclusive, SOON).is_none());
        drop(first);
        assert!(lock.acquire(LockMode::Exclusive, SOON).is_none());
        drop(second);
        let alone = lock.acquire(LockMode::Exclusive, SOON).unwrap();
        assert!(lock.acquire(LockMode::Shared, SOON).is_none());
        assert!(lock.acquire(LockMode::Exclusive, SOON).is_none());
        drop(alone);
        assert!(lock.acquire(LockMode::Shared, SOON).is_some());
    }

    #[test]
    fn loads_and_writers_exclude_each_other() {
        let lock = Arc::new(CollectionLock::default());
        let first = lock.acquire(LockMode::Load, SOON).unwrap();
        let second = lock.acquire(LockMode::Load, SOON).unwrap();
        assert!(lock.acquire(LockMode::Shared, SOON).is_none());
        drop(first);
        assert!(lock.acquire(LockMode::Exclusive, SOON).is_none());
        drop(second);
        let writer = lock.acquire(LockMode::Shared, SOON).unwrap();
        assert!(lock.acquire(LockMode::Load, SOON).is_none());
        let waiting = {
            let lock = Arc::clone(&lock);
            std::thread::spawn(move || lock.acquire(LockMode::Load, LONG).is_some())
        };
        while lock.state().waiting_load == 0 {
            std::thread::yield_now();
        }
        // A waiting load keeps no writer out.
        drop(lock.acquire(LockMode::Shared, SOON).unwrap());
        drop(writer);
        assert!(waiting.join().unwrap());
        drop(lock.acquire(LockMode::Exclusive, SOON).unwrap());
    }

    #[test]
    fn a_waiting_change_is_not_overtaken_for_ever() {
        let lock = Arc::new(CollectionLock::default());
        let writer = lock.acquire(LockMode::Shared, SOON).unwrap();
        let waiting = {
            let lock = Arc::clone(&lock);
            std::thread::spawn(move || lock.acquire(LockMode::Exclusive, LONG).is_some())
        };
        while lock.state().waiting_exclusive == 0 {
            std::thread::yield_now();
        }
        assert!(lock.acquire(LockMode::Shared, SOON).is_none());
        drop(writer);
        assert!(waiting.join().unwrap());
        assert!(lock.acquire(LockMode::Shared, LONG).is_some());
    }

    #[test]
    fn a_change_that_gives_up_lets_the_writers_behind_it_in() {
        let lock = Arc::new(CollectionLock::default());
        let writer = lock.acquire(LockMode::Shared, SOON).unwrap();
        let waiting = {
            let lock = Arc::clone(&lock);
            let wait = WaitPolicy::UpTo(Duration::from_millis(200));
            std::thread::spawn(move || lock.acquire(LockMode::Exclusive, wait).is_none())
        };
        while lock.state().waiting_exclusive == 0 {
            std::thread::yield_now();
        }
        assert!(lock.acquire(LockMode::Shared, LONG).is_some());
        assert!(waiting.join().unwrap());
        drop(writer);
    }
}
