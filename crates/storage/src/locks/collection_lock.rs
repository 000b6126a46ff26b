//! The lock of a collection. Writers share it, and loads of new documents share it. A change of the
//! collection's definition or indexes holds it exclusively.
//!
//! Writers and loads exclude each other, because a load neither checks the keys that transactions
//! claim nor claims its own.
//!
//! Waiting writers and changes are admitted in the order of their arrival, so nobody waits forever
//! while others overtake.
//!
//! Readers need no lock; they have snapshots.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aql_value::Waiting;
use errors::Result;
use kv::WaitPolicy;

/// Time between two checks of whether a waiting thread should give up.
const CHECK_EVERY: Duration = Duration::from_millis(50);

/// The lock of one collection.
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
    /// The waiting threads by ticket. Tickets ascend in the order of arrival.
    waiting: BTreeMap<u64, LockMode>,
    last_ticket: u64,
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

/// A place in the queue of a lock. To drop it is to leave the queue.
#[derive(Debug)]
pub(crate) struct LockTicket {
    lock: Arc<CollectionLock>,
    number: u64,
}

impl CollectionLock {
    /// Takes the lock if it admits the mode now.
    ///
    /// Otherwise the caller gets a place in the queue, `ticket`, and may try again with it.
    pub(crate) fn try_acquire(
        self: &Arc<Self>,
        mode: LockMode,
        ticket: &mut Option<LockTicket>,
    ) -> Option<CollectionLockGuard> {
        let mut state = self.state();
        if !state.admits(mode, ticket.as_ref()) {
            self.enqueue(&mut state, mode, ticket);
            return None;
        }
        let guard = self.enter(&mut state, mode);
        drop(state);
        *ticket = None;
        Some(guard)
    }

    /// Waits as long as `wait` allows; `None` after that.
    pub(crate) fn acquire(self: &Arc<Self>, mode: LockMode, wait: WaitPolicy) -> Option<CollectionLockGuard> {
        self.acquire_unless(mode, wait, &|| Ok(())).ok().flatten()
    }

    /// As [`CollectionLock::acquire`], but calls `check` from time to time while it waits. An error
    /// of `check` ends the wait and is returned.
    pub(crate) fn acquire_unless(
        self: &Arc<Self>,
        mode: LockMode,
        wait: WaitPolicy,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Option<CollectionLockGuard>> {
        let (mut deadline, mut waiting) = (None, None);
        // Dropped after the state is unlocked, which it locks.
        let mut ticket = None;
        let mut state = self.state();
        while !state.admits(mode, ticket.as_ref()) {
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + wait.limit());
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.enqueue(&mut state, mode, &mut ticket);
            waiting.get_or_insert_with(Waiting::begin);
            let woken = self.changed.wait_timeout(state, left.min(CHECK_EVERY));
            drop(woken.unwrap_or_else(PoisonError::into_inner));
            check()?;
            state = self.state();
        }
        Ok(Some(self.enter(&mut state, mode)))
    }

    fn enter(self: &Arc<Self>, state: &mut State, mode: LockMode) -> CollectionLockGuard {
        match mode {
            LockMode::Shared => state.sharing += 1,
            LockMode::Load => state.loading += 1,
            LockMode::Exclusive => state.is_exclusive = true,
        }
        debug_assert!(state.is_consistent(), "a collection has holders that exclude each other: {state:?}");
        CollectionLockGuard { lock: Arc::clone(self), mode }
    }

    /// Adds the caller to the end of the queue, unless it has a place there.
    fn enqueue(self: &Arc<Self>, state: &mut State, mode: LockMode, ticket: &mut Option<LockTicket>) {
        ticket.get_or_insert_with(|| {
            state.last_ticket += 1;
            state.waiting.insert(state.last_ticket, mode);
            LockTicket { lock: Arc::clone(self), number: state.last_ticket }
        });
    }

    /// Locks the state. No code that can panic runs under this lock, except assertions.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn release(&self, mode: LockMode) {
        let mut state = self.state();
        debug_assert!(state.is_held(mode), "a lock is released that nobody holds: {mode:?} of {state:?}");
        match mode {
            LockMode::Shared => state.sharing -= 1,
            LockMode::Load => state.loading -= 1,
            LockMode::Exclusive => state.is_exclusive = false,
        }
        let must_wake = !state.waiting.is_empty();
        drop(state);
        if must_wake {
            self.changed.notify_all();
        }
    }
}

impl State {
    /// Returns true if no two holders exclude each other.
    fn is_consistent(&self) -> bool {
        let kinds = [self.sharing > 0, self.loading > 0, self.is_exclusive];
        kinds.into_iter().filter(|is_held| *is_held).count() <= 1
    }

    fn is_held(&self, mode: LockMode) -> bool {
        match mode {
            LockMode::Shared => self.sharing > 0,
            LockMode::Load => self.loading > 0,
            LockMode::Exclusive => self.is_exclusive,
        }
    }

    /// Returns true if a thread may take the lock now. `ticket` is its place in the queue; `None`
    /// is the end.
    fn admits(&self, mode: LockMode, ticket: Option<&LockTicket>) -> bool {
        let is_open = match mode {
            LockMode::Shared => !self.is_exclusive && self.loading == 0,
            LockMode::Load => !self.is_exclusive && self.sharing == 0,
            LockMode::Exclusive => !self.is_exclusive && self.sharing == 0 && self.loading == 0,
        };
        is_open
            && !self.waiting.iter().any(|(other, theirs)| {
                let came_first = ticket.is_none_or(|own| *other < own.number);
                mode.yields_to(*theirs, came_first)
            })
    }
}

impl LockMode {
    /// Returns true if a thread lets a waiting one go first.
    fn yields_to(self, other: LockMode, came_first: bool) -> bool {
        match (self, other) {
            (_, LockMode::Load) => false,
            (LockMode::Load, _) => true,
            (LockMode::Shared, LockMode::Shared) => false,
            (LockMode::Shared, LockMode::Exclusive) | (LockMode::Exclusive, _) => came_first,
        }
    }
}

impl Drop for LockTicket {
    /// Wakes the threads behind it, which may be admitted now.
    fn drop(&mut self) {
        self.lock.state().waiting.remove(&self.number);
        self.lock.changed.notify_all();
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
        while lock.state().waiting.is_empty() {
            std::thread::yield_now();
        }
        // A waiting load keeps no writer out.
        drop(lock.acquire(LockMode::Shared, SOON).unwrap());
        drop(writer);
        assert!(waiting.join().unwrap());
        drop(lock.acquire(LockMode::Exclusive, SOON).unwrap());
    }

    #[test]
    fn a_waiting_change_is_not_overtaken_forever() {
        let lock = Arc::new(CollectionLock::default());
        let writer = lock.acquire(LockMode::Shared, SOON).unwrap();
        let waiting = {
            let lock = Arc::clone(&lock);
            std::thread::spawn(move || lock.acquire(LockMode::Exclusive, LONG).is_some())
        };
        while lock.state().waiting.is_empty() {
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
        while lock.state().waiting.is_empty() {
            std::thread::yield_now();
        }
        assert!(lock.acquire(LockMode::Shared, LONG).is_some());
        assert!(waiting.join().unwrap());
        drop(writer);
    }

    #[test]
    fn changes_are_admitted_in_the_order_of_their_arrival() {
        let lock = Arc::new(CollectionLock::default());
        let order = Arc::new(Mutex::new(Vec::new()));
        let first = lock.acquire(LockMode::Exclusive, SOON).unwrap();
        let threads: Vec<_> = (0..5)
            .map(|number| {
                let (own, order) = (Arc::clone(&lock), Arc::clone(&order));
                let thread = std::thread::spawn(move || {
                    let _guard = own.acquire(LockMode::Exclusive, LONG).unwrap();
                    order.lock().unwrap().push(number);
                });
                while lock.state().waiting.len() <= number {
                    std::thread::yield_now();
                }
                thread
            })
            .collect();
        drop(first);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_ticket_keeps_its_place_between_two_attempts() {
        let lock = Arc::new(CollectionLock::default());
        let (mut first, mut second) = (None, None);
        let writer = lock.acquire(LockMode::Shared, SOON).unwrap();
        assert!(lock.try_acquire(LockMode::Exclusive, &mut first).is_none());
        assert!(lock.try_acquire(LockMode::Exclusive, &mut second).is_none());
        assert!(lock.acquire(LockMode::Shared, SOON).is_none());
        drop(writer);
        assert!(lock.try_acquire(LockMode::Exclusive, &mut second).is_none());
        let guard = lock.try_acquire(LockMode::Exclusive, &mut first).unwrap();
        assert!(first.is_none());
        drop((guard, second));
        assert!(lock.acquire(LockMode::Shared, SOON).is_some());
    }

    #[test]
    fn a_check_ends_the_wait_and_leaves_the_queue() {
        let lock = Arc::new(CollectionLock::default());
        let writer = lock.acquire(LockMode::Shared, SOON).unwrap();
        let given_up = lock.acquire_unless(LockMode::Exclusive, LONG, &|| {
            Err(errors::Error::of(errors::ErrorCode::QueryKilled))
        });
        assert_eq!(given_up.unwrap_err().code(), errors::ErrorCode::QueryKilled);
        assert!(lock.acquire(LockMode::Shared, SOON).is_some());
        drop(writer);
    }
}
