//! The lock of a collection. Writers share it, and loads of new documents share it. A change of the
//! collection's definition or indexes holds it exclusively.
//!
//! Writers and loads exclude each other, because a load neither checks the keys that transactions
//! claim nor claims its own.
//!
//! Waiting writers and changes are admitted in the order of their arrival, so nobody waits for ever
//! while others overtake.
//!
//! Readers need no lock; they have snapshots.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use errors::Result;
use kv::WaitPolicy;

/// Time between two checks of whether a waiting thread shall give up.
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

/// Numbers of waits for collections since the store opened.
#[derive(Debug, Default)]
pub(crate) struct LockCounts {
    pub(crate) waited_micros: AtomicU64,
    pub(crate) shared_timeouts: AtomicU64,
    pub(crate) exclusive_timeouts: AtomicU64,
}

/// Waits of transactions for collections, since the store opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockStatistics {
    /// Microseconds that threads have waited for collections.
    pub waited_micros: u64,
    /// Shared locks that were not granted in time.
    pub shared_timeouts: u64,
    /// Exclusive locks that were not granted in time.
    pub exclusive_timeouts: u64,
}

impl LockCounts {
    /// Counts a lock that was requested at `since`.
    pub(crate) fn note(&self, mode: LockMode, since: Instant, is_granted: bool) {
        let waited = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.waited_micros.fetch_add(waited, Ordering::Relaxed);
        if !is_granted {
            self.note_timeout(mode);
        }
    }

    /// Counts a lock that was not granted in time.
    pub(crate) fn note_timeout(&self, mode: LockMode) {
        let timeouts = match mode {
            LockMode::Exclusive => &self.exclusive_timeouts,
            LockMode::Shared | LockMode::Load => &self.shared_timeouts,
        };
        timeouts.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn statistics(&self) -> LockStatistics {
        LockStatistics {
            waited_micros: self.waited_micros.load(Ordering::Relaxed),
            shared_timeouts: self.shared_timeouts.load(Ordering::Relaxed),
            exclusive_timeouts: self.exclusive_timeouts.load(Ordering::Relaxed),
        }
    }
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
        if !state.admits(mode, ticket.as_ref().map(|ticket| ticket.number)) {
            ticket.get_or_insert_with(|| LockTicket { lock: Arc::clone(self), number: state.enqueue(mode) });
            return None;
        }
        state.enter(mode);
        drop(state);
        *ticket = None;
        Some(CollectionLockGuard { lock: Arc::clone(self), mode })
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
        let mut state = self.state();
        if !state.admits(mode, None) {
            match self.wait_for(state, mode, wait.limit(), check)? {
                Some(admitted) => state = admitted,
                None => return Ok(None),
            }
        }
        state.enter(mode);
        drop(state);
        Ok(Some(CollectionLockGuard { lock: Arc::clone(self), mode }))
    }

    /// Waits in the queue until the lock admits the mode; `None` if it does not in time.
    fn wait_for<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        mode: LockMode,
        timeout: Duration,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Option<MutexGuard<'a, State>>> {
        let deadline = Instant::now() + timeout;
        let ticket = state.enqueue(mode);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let is_admitted = state.admits(mode, Some(ticket));
            if is_admitted || left.is_zero() {
                state.waiting.remove(&ticket);
                // Threads behind this one may be admitted now.
                self.changed.notify_all();
                return Ok(is_admitted.then_some(state));
            }
            let woken = self.changed.wait_timeout(state, left.min(CHECK_EVERY));
            drop(woken.unwrap_or_else(PoisonError::into_inner));
            let checked = check();
            state = self.state();
            if let Err(error) = checked {
                state.waiting.remove(&ticket);
                self.changed.notify_all();
                return Err(error);
            }
        }
    }

    /// Locks the state. No code that can panic runs under this lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn release(&self, mode: LockMode) {
        let mut state = self.state();
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
    fn enter(&mut self, mode: LockMode) {
        match mode {
            LockMode::Shared => self.sharing += 1,
            LockMode::Load => self.loading += 1,
            LockMode::Exclusive => self.is_exclusive = true,
        }
    }

    /// Adds a thread to the end of the queue, and returns its ticket.
    fn enqueue(&mut self, mode: LockMode) -> u64 {
        self.last_ticket += 1;
        self.waiting.insert(self.last_ticket, mode);
        self.last_ticket
    }

    /// Returns true if a thread may take the lock now. `ticket` is its place in the queue; `None`
    /// is the end.
    fn admits(&self, mode: LockMode, ticket: Option<u64>) -> bool {
        let is_open = match mode {
            LockMode::Shared => !self.is_exclusive && self.loading == 0,
            LockMode::Load => !self.is_exclusive && self.sharing == 0,
            LockMode::Exclusive => !self.is_exclusive && self.sharing == 0 && self.loading == 0,
        };
        is_open
            && !self.waiting.iter().any(|(other, theirs)| {
                let came_first = ticket.is_none_or(|own| *other < own);
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
    fn a_waiting_change_is_not_overtaken_for_ever() {
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
