//! The state that ends a running script: interrupt flag, deadline, failure of the host.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Failure;

/// The longest pause of a sleeping script between two looks at the interrupt flag.
const LONGEST_NAP: Duration = Duration::from_millis(10);

/// The reasons to end a running script. The isolate, its allocator and the native functions share
/// it.
#[derive(Debug)]
pub(crate) struct Stop {
    flag: Arc<AtomicBool>,
    deadline: Cell<Option<Instant>>,
    /// The failure of a native function, which no script can undo.
    failure: RefCell<Option<Failure>>,
}

impl Stop {
    pub(crate) fn new(flag: Arc<AtomicBool>, deadline: Option<Instant>) -> Self {
        Stop { flag, deadline: Cell::new(deadline), failure: RefCell::new(None) }
    }

    pub(crate) fn set_deadline(&self, deadline: Option<Instant>) {
        self.deadline.set(deadline);
    }

    /// Records the failure of a native function. The first one counts.
    pub(crate) fn fail(&self, failure: Failure) {
        self.failure.borrow_mut().get_or_insert(failure);
    }

    /// Forgets a recorded failure, before the next script.
    pub(crate) fn forget_failure(&self) {
        self.failure.replace(None);
    }

    /// Returns the reason to end the running script, if there is one.
    pub(crate) fn reason(&self) -> Option<Failure> {
        if let Some(failure) = &*self.failure.borrow() {
            return Some(failure.clone());
        }
        if self.flag.load(Ordering::Relaxed) {
            return Some(Failure::Interrupted);
        }
        self.deadline.get().filter(|deadline| Instant::now() >= *deadline).map(|_| Failure::DeadlinePassed)
    }

    /// Returns true if the running script must end.
    pub(crate) fn is_due(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
            || self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline)
            || self.failure.borrow().is_some()
    }

    /// Blocks the thread for a while, or until the script must end.
    pub(crate) fn sleep(&self, duration: Duration) {
        let end = Instant::now().checked_add(duration);
        while !self.is_due() {
            let left = end.map_or(LONGEST_NAP, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(LONGEST_NAP));
        }
    }
}
