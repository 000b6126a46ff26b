//! Interrupts of a running query: a client kills it, or its time is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use errors::{Error, Result};

use crate::thread_meter;

/// A flag shared between a query and everyone who may end it. Clones are handles to the same flag.
///
/// Operators and long loops call [`Interrupt::check`] at least every few thousand rows. So a query
/// ends within a tenth of a second, whatever it is doing.
///
/// A [`crate::Budget`] abandons a query on its current thread, but does not end it.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    shared: Arc<Shared>,
    deadline: Option<Instant>,
    /// The interrupt of the work that the query is a part of.
    whole: Option<Arc<Interrupt>>,
}

#[derive(Debug)]
struct Shared {
    killed: AtomicBool,
    created: Instant,
    /// The time at which the budget ends, in microseconds after `created`.
    give_up_us: AtomicU64,
    /// True if a check has failed since then because the budget has ended.
    given_up: AtomicBool,
    /// The checks since the budget began.
    checks: AtomicU32,
}

/// The checks of a budget for each reading of the clock.
///
/// A check stands for microseconds of work. The clock takes more instructions than most checks.
const CHECKS_PER_CLOCK: u32 = 8;

/// The time of no budget.
const NEVER: u64 = u64::MAX;

impl Default for Shared {
    fn default() -> Self {
        Self {
            killed: AtomicBool::new(false),
            created: Instant::now(),
            give_up_us: AtomicU64::new(NEVER),
            given_up: AtomicBool::new(false),
            checks: AtomicU32::new(0),
        }
    }
}

impl Interrupt {
    /// Makes an interrupt that only [`Interrupt::kill`] ends.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an interrupt that ends by [`Interrupt::kill`], or `max_runtime` from now. A runtime
    /// too long to be represented is not a limit.
    pub fn with_max_runtime(max_runtime: Duration) -> Self {
        let shared = Arc::<Shared>::default();
        let deadline = shared.created.checked_add(max_runtime);
        Self { shared, deadline, whole: None }
    }

    /// Returns the same interrupt, which a kill of `whole` and the end of its time or of its budget
    /// end too.
    pub fn part_of(self, whole: &Interrupt) -> Self {
        let deadline = self.deadline.into_iter().chain(whole.deadline).min();
        Self { whole: Some(Arc::new(whole.clone())), deadline, ..self }
    }

    /// Returns the same interrupt, which also ends `max_runtime` from now.
    pub fn for_at_most(self, max_runtime: Duration) -> Self {
        let end = Instant::now().checked_add(max_runtime);
        Self { deadline: self.deadline.into_iter().chain(end).min(), ..self }
    }

    /// Makes checks fail from `end` on, until [`Interrupt::end_of_budget`].
    pub(crate) fn give_up_at(&self, end: Instant) {
        let end = end.saturating_duration_since(self.shared.created);
        let end_us = u64::try_from(end.as_micros()).unwrap_or(NEVER);
        self.shared.given_up.store(false, Ordering::Relaxed);
        self.shared.checks.store(0, Ordering::Relaxed);
        self.shared.give_up_us.store(end_us, Ordering::Relaxed);
    }

    /// Ends the budget, so that checks no longer fail for it. Returns true if one has failed.
    pub(crate) fn end_of_budget(&self) -> bool {
        self.shared.give_up_us.store(NEVER, Ordering::Relaxed);
        self.was_given_up()
    }

    /// Returns true if a check failed for the last budget. The caller then runs the query again
    /// elsewhere.
    pub fn was_given_up(&self) -> bool {
        self.shared.given_up.load(Ordering::Relaxed)
    }

    /// Returns true if the budget of this, or of the work that it is a part of, is over.
    fn is_over_budget(&self) -> bool {
        self.is_over_own_budget() || self.whole.as_ref().is_some_and(|whole| whole.is_over_budget())
    }

    fn is_over_own_budget(&self) -> bool {
        let end_us = self.shared.give_up_us.load(Ordering::Relaxed);
        if end_us == NEVER {
            return false;
        }
        if self.was_given_up() {
            return true;
        }
        // The count may lose a check of another thread, which does no harm.
        let checks = self.shared.checks.load(Ordering::Relaxed);
        self.shared.checks.store(checks.wrapping_add(1), Ordering::Relaxed);
        if !checks.is_multiple_of(CHECKS_PER_CLOCK) {
            return false;
        }
        let is_over = self.shared.created.elapsed() >= Duration::from_micros(end_us);
        if is_over {
            self.shared.given_up.store(true, Ordering::Relaxed);
        }
        is_over
    }

    /// Asks the query to end at its next check.
    pub fn kill(&self) {
        self.shared.killed.store(true, Ordering::Relaxed);
    }

    fn is_killed(&self) -> bool {
        self.shared.killed.load(Ordering::Relaxed)
            || self.whole.as_ref().is_some_and(|whole| whole.is_killed())
    }

    fn is_ended(&self) -> bool {
        self.is_killed() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Returns true if the query, or the work that it is a part of, was killed, or if its time or
    /// its budget is over.
    pub fn is_set(&self) -> bool {
        self.is_ended() || self.is_over_budget()
    }

    /// Checks whether the query may continue.
    ///
    /// Errors: 1500 if it was killed or its time is over; [`Error::budget_exceeded`] if its budget
    /// is over, 32 if the thread has allocated more for the query than it may (see
    /// [`crate::ThreadMeter`]).
    pub fn check(&self) -> Result<()> {
        if self.is_ended() {
            return Err(Error::killed());
        }
        if self.is_over_budget() { Err(Error::budget_exceeded()) } else { thread_meter::check() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kill_reaches_every_handle() {
        let interrupt = Interrupt::new();
        let handle = interrupt.clone();
        assert!(interrupt.check().is_ok());
        handle.kill();
        assert_eq!(interrupt.check().unwrap_err().number(), 1500);
    }

    #[test]
    fn a_part_ends_with_the_whole() {
        let whole = Interrupt::new();
        let (part, other) = (Interrupt::new().part_of(&whole), Interrupt::new().part_of(&whole));
        part.kill();
        assert!(part.is_set() && !whole.is_set() && !other.is_set());
        let inner = Interrupt::new().part_of(&other);
        assert!(!inner.is_set());
        whole.kill();
        assert!(other.is_set() && inner.is_set());
        let late = Interrupt::with_max_runtime(Duration::ZERO);
        let long = Interrupt::with_max_runtime(Duration::from_secs(3600));
        assert!(Interrupt::new().part_of(&late).is_set() && long.clone().part_of(&late).is_set());
        assert!(late.part_of(&long).is_set() && !long.is_set());
        let short = long.clone().for_at_most(Duration::ZERO);
        assert!(short.is_set() && !long.is_set() && !long.for_at_most(Duration::MAX).is_set());
    }

    #[test]
    fn a_part_is_over_with_the_budget_of_the_whole() {
        let whole = Interrupt::new();
        let part = Interrupt::new().part_of(&whole);
        whole.give_up_at(Instant::now());
        assert!(part.check().is_err() && whole.was_given_up());
        assert!(whole.end_of_budget());
        assert!(part.check().is_ok());
    }

    #[test]
    fn runs_out_of_time() {
        assert!(Interrupt::with_max_runtime(Duration::ZERO).check().is_err());
        assert!(Interrupt::with_max_runtime(Duration::from_secs(3600)).check().is_ok());
        assert!(Interrupt::with_max_runtime(Duration::MAX).check().is_ok());
    }
}
