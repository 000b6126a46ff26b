//! Who may use a collection: writers share it, loads of new documents share it, a change of its definition or indexes
//! has it alone.
//!
//! Writers and loads exclude each other: a load neither looks at the keys that transactions claim nor claims its own.
//!
//! Readers do not pass here; they have snapshots.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kv::WaitPolicy;

/// One gate a collection. Writers that come while somebody waits to be alone wait behind.
#[derive(Debug, Default)]
pub(crate) struct Gate {
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

/// How a gate is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// Together with other writers.
    Shared,
    /// Together with other loads. Who waits for this gives way to writers.
    Load,
    /// Alone.
    Exclusive,
}

/// The right to use the collection, until dropped.
#[derive(Debug)]
pub(crate) struct GateGuard {
    gate: Arc<Gate>,
    passage: Passage,
}

impl Gate {
    /// Waits as `wait` says; `None` when its limit has passed.
    pub(crate) fn pass(self: &Arc<Self>, passage: Passage, wait: WaitPolicy) -> Option<GateGuard> {
        let mut state = self.lock();
        if !state.admits(passage) {
            state = self.wait(state, passage, wait.limit())?;
        }
        match passage {
            Passage::Shared => state.sharing += 1,
            Passage::Load => state.loading += 1,
            Passage::Exclusive => state.is_exclusive = true,
        }
        drop(state);
        Some(GateGuard { gate: Arc::clone(self), passage })
    }

    fn wait<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        passage: Passage,
        timeout: Duration,
    ) -> Option<MutexGuard<'a, State>> {
        let deadline = Instant::now() + timeout;
        *state.waiting(passage) += 1;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let admitted = state.admits_waiting(passage);
            if admitted || left.is_zero() {
                *state.waiting(passage) -= 1;
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

    /// No code that can panic runs under this lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, passage: Passage) {
        let mut state = self.lock();
        let wake = match passage {
            Passage::Shared => {
                state.sharing -= 1;
                state.sharing == 0 && state.waiting_exclusive + state.waiting_load > 0
            }
            Passage::Load => {
                state.loading -= 1;
                state.loading == 0 && state.waiting_exclusive + state.waiting_shared > 0
            }
            Passage::Exclusive => {
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
    fn admits(&self, passage: Passage) -> bool {
        self.waiting_exclusive == 0 && self.admits_waiting(passage)
    }

    fn admits_waiting(&self, passage: Passage) -> bool {
        let is_open = !self.is_exclusive;
        match passage {
            Passage::Shared => is_open && self.waiting_exclusive == 0 && self.loading == 0,
            Passage::Load => {
                is_open && self.waiting_exclusive == 0 && self.sharing == 0 && self.waiting_shared == 0
            }
            Passage::Exclusive => is_open && self.sharing == 0 && self.loading == 0,
        }
    }

    /// How many wait to pass in this way.
    fn waiting(&mut self, passage: Passage) -> &mut usize {
        match passage {
            Passage::Shared => &mut self.waiting_shared,
            Passage::Load => &mut self.waiting_load,
            Passage::Exclusive => &mut self.waiting_exclusive,
        }
    }
}

impl Drop for GateGuard {
    fn drop(&mut self) {
        self.gate.leave(self.passage);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: WaitPolicy = WaitPolicy::UpTo(Duration::from_millis(20));
    const LONG: WaitPolicy = WaitPolicy::UpTo(Duration::from_secs(30));

    #[test]
    fn writers_share_and_a_change_is_alone() {
        let gate = Arc::new(Gate::default());
        let first = gate.pass(Passage::Shared, SOON).unwrap();
        let second = gate.pass(Passage::Shared, SOON).unwrap();
        assert!(gate.pass(Passage::Exclusive, SOON).is_none());
        drop(first);
        assert!(gate.pass(Passage::Exclusive, SOON).is_none());
        drop(second);
        let alone = gate.pass(Passage::Exclusive, SOON).unwrap();
        assert!(gate.pass(Passage::Shared, SOON).is_none());
        assert!(gate.pass(Passage::Exclusive, SOON).is_none());
        drop(alone);
        assert!(gate.pass(Passage::Shared, SOON).is_some());
    }

    #[test]
    fn loads_and_writers_exclude_each_other() {
        let gate = Arc::new(Gate::default());
        let first = gate.pass(Passage::Load, SOON).unwrap();
        let second = gate.pass(Passage::Load, SOON).unwrap();
        assert!(gate.pass(Passage::Shared, SOON).is_none());
        drop(first);
        assert!(gate.pass(Passage::Exclusive, SOON).is_none());
        drop(second);
        let writer = gate.pass(Passage::Shared, SOON).unwrap();
        assert!(gate.pass(Passage::Load, SOON).is_none());
        let waiting = {
            let gate = Arc::clone(&gate);
            std::thread::spawn(move || gate.pass(Passage::Load, LONG).is_some())
        };
        while gate.lock().waiting_load == 0 {
            std::thread::yield_now();
        }
        // A load that waits keeps no writer out.
        drop(gate.pass(Passage::Shared, SOON).unwrap());
        drop(writer);
        assert!(waiting.join().unwrap());
        drop(gate.pass(Passage::Exclusive, SOON).unwrap());
    }

    #[test]
    fn a_waiting_change_is_not_overtaken_for_ever() {
        let gate = Arc::new(Gate::default());
        let writer = gate.pass(Passage::Shared, SOON).unwrap();
        let waiting = {
            let gate = Arc::clone(&gate);
            std::thread::spawn(move || gate.pass(Passage::Exclusive, LONG).is_some())
        };
        while gate.lock().waiting_exclusive == 0 {
            std::thread::yield_now();
        }
        assert!(gate.pass(Passage::Shared, SOON).is_none());
        drop(writer);
        assert!(waiting.join().unwrap());
        assert!(gate.pass(Passage::Shared, LONG).is_some());
    }

    #[test]
    fn a_change_that_gives_up_lets_the_writers_behind_it_in() {
        let gate = Arc::new(Gate::default());
        let writer = gate.pass(Passage::Shared, SOON).unwrap();
        let waiting = {
            let gate = Arc::clone(&gate);
            let wait = WaitPolicy::UpTo(Duration::from_millis(200));
            std::thread::spawn(move || gate.pass(Passage::Exclusive, wait).is_none())
        };
        while gate.lock().waiting_exclusive == 0 {
            std::thread::yield_now();
        }
        assert!(gate.pass(Passage::Shared, LONG).is_some());
        assert!(waiting.join().unwrap());
        drop(writer);
    }
}
