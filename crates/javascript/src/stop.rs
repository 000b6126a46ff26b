//! The state that ends a running script: interrupt flag, deadline, failure of the host.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use owner::Waiting;

use crate::Failure;

/// The maximum pause of a sleeping script between two checks of the interrupt flag.
const LONGEST_NAP: Duration = Duration::from_millis(10);

/// The reasons to end a running script. The isolate, its allocator and the native functions share
/// it.
#[derive(Debug)]
pub(crate) struct Stop {
    flag: Arc<AtomicBool>,
    deadline: Cell<Option<Instant>>,
    /// The failure of a native function, which no script can undo.
    failure: RefCell<Option<Failure>>,
    /// The promises that were rejected and that nobody handles, by the hash of their addresses.
    rejections: RefCell<Vec<(u64, Failure)>>,
}

impl Stop {
    pub(crate) fn new(flag: Arc<AtomicBool>, deadline: Option<Instant>) -> Self {
        let deadline = Cell::new(deadline);
        Stop { flag, deadline, failure: RefCell::default(), rejections: RefCell::default() }
    }

    pub(crate) fn set_deadline(&self, deadline: Option<Instant>) {
        self.deadline.set(deadline);
    }

    /// Records the failure of a native function. The first one counts.
    pub(crate) fn fail(&self, failure: Failure) {
        self.failure.borrow_mut().get_or_insert(failure);
    }

    /// Forgets the failures of the last script.
    pub(crate) fn begin(&self) {
        self.failure.replace(None);
        self.rejections.replace(Vec::new());
    }

    /// Notes the rejection of a promise; without a failure, that somebody handles it.
    pub(crate) fn note_rejection(&self, promise: u64, failure: Option<Failure>) {
        let mut rejections = self.rejections.borrow_mut();
        match failure {
            Some(failure) => rejections.push((promise, failure)),
            None => rejections.retain(|(known, _)| *known != promise),
        }
    }

    /// Returns the first rejection that nobody handles.
    pub(crate) fn rejection(&self) -> Option<Failure> {
        self.rejections.borrow().first().map(|(_, failure)| failure.clone())
    }

    /// Forgets all rejections that nobody handles, and returns the first.
    pub(crate) fn take_rejections(&self) -> Option<Failure> {
        self.rejections.take().into_iter().next().map(|(_, failure)| failure)
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
        let (end, _waiting) = (Instant::now().checked_add(duration), Waiting::begin());
        while !self.is_due() {
            let left = end.map_or(LONGEST_NAP, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(LONGEST_NAP));
        }
    }
}
