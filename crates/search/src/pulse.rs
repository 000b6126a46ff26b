//! The interrupt of a search, for loops that cannot fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use errors::{Error, Result};
use owner::Interrupt;

/// The steps between two checks of the interrupt. A step is one term, one document of one list, or
/// one character of a pattern.
const STEPS_PER_CHECK: usize = 1024;

/// Counts the steps of a search, and says when the search is over.
///
/// Iterators over documents and automata over terms cannot fail. They stop as if they were at
/// their end, and the search then fails by [`Pulse::check`]. Clones belong to the same search.
#[derive(Clone)]
pub(crate) struct Pulse {
    interrupt: Interrupt,
    shared: Arc<Shared>,
}

/// The state of a search, which one thread at a time works for.
#[derive(Default)]
struct Shared {
    /// The steps since the last check.
    steps: AtomicUsize,
    /// True if a check has failed.
    is_over: AtomicBool,
}

impl Pulse {
    pub(crate) fn new(interrupt: &Interrupt) -> Self {
        Pulse { interrupt: interrupt.clone(), shared: Arc::default() }
    }

    /// Counts some steps. Returns true if the search has to stop.
    #[inline]
    pub(crate) fn is_over(&self, steps: usize) -> bool {
        let steps = self.shared.steps.load(Ordering::Relaxed).saturating_add(steps);
        self.shared.steps.store(steps, Ordering::Relaxed);
        steps >= STEPS_PER_CHECK && self.look()
    }

    #[cold]
    fn look(&self) -> bool {
        self.shared.steps.store(0, Ordering::Relaxed);
        // A loop that has stopped makes its search fail, even if later checks would not.
        if self.interrupt.check().is_err() {
            self.shared.is_over.store(true, Ordering::Relaxed);
        }
        self.shared.is_over.load(Ordering::Relaxed)
    }

    /// Counts some steps of work that can fail. Errors: those of the interrupt.
    #[inline]
    pub(crate) fn step(&self, steps: usize) -> Result<()> {
        if self.is_over(steps) { self.failed() } else { Ok(()) }
    }

    /// Fails if a loop of the search has stopped. Errors: those of the interrupt.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        if self.shared.is_over.load(Ordering::Relaxed) { self.failed() } else { Ok(()) }
    }

    #[cold]
    fn failed(&self) -> Result<()> {
        // Memory may have been freed since then.
        self.interrupt.check().and_then(|()| Err(Error::killed()))
    }
}
