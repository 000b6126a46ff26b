//! The time that work may take on its current thread.
//!
//! A caller that must not block gives work a budget. Resumable work yields when its time is over.
//! All other work is abandoned, and the caller repeats it elsewhere. An abandoned query is
//! not killed: [`Interrupt::check`] fails with an error of its own, and only while [`Budget::run`]
//! runs.

use std::time::{Duration, Instant};

use crate::Interrupt;

/// A budget of time; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Budget(Option<Limits>);

/// The limits of a budget.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time at which resumable work yields, between two of its steps.
    pub yield_at: Instant,
    /// The time at which other work is abandoned.
    pub deadline: Instant,
    /// The time after the deadline at which resumable work is abandoned, in the middle of a step.
    pub overrun: Duration,
    /// The longest estimate with which work may begin.
    pub longest_estimate: Duration,
}

impl Budget {
    /// The budget of work that may take any time.
    pub const UNLIMITED: Self = Budget(None);

    /// Makes a budget with limits.
    pub fn new(limits: Limits) -> Self {
        Budget(Some(limits))
    }

    /// Returns true if work may take any time, and wait.
    pub fn is_unlimited(&self) -> bool {
        self.0.is_none()
    }

    /// Returns true if work with this estimate may begin.
    pub fn admits(&self, estimate: Duration) -> bool {
        self.0.is_none_or(|limits| estimate <= limits.longest_estimate)
    }

    /// Returns true if resumable work must yield.
    pub fn is_spent(&self) -> bool {
        self.0.is_some_and(|limits| Instant::now() >= limits.yield_at)
    }

    /// Runs work that is not resumable. Returns `None` if it was abandoned, and its effects are
    /// incomplete.
    pub fn run<T, E>(
        &self,
        interrupt: &Interrupt,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        run_until(self.0.map(|limits| limits.deadline), interrupt, work)
    }

    /// Runs work that yields when the budget is spent. Returns `None` if it was abandoned because
    /// one of its steps took too long.
    pub fn run_resumable<T, E>(
        &self,
        interrupt: &Interrupt,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        run_until(self.0.map(|limits| limits.deadline + limits.overrun), interrupt, work)
    }
}

fn run_until<T, E>(
    end: Option<Instant>,
    interrupt: &Interrupt,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<Option<T>, E> {
    let Some(end) = end else { return work().map(Some) };
    interrupt.give_up_at(end);
    let done = work();
    // The work is incomplete if one of its checks failed, whatever it did with that error.
    if interrupt.end_of_budget() { Ok(None) } else { done.map(Some) }
}

#[cfg(test)]
mod tests {
    use errors::{Error, ErrorCode};

    use super::*;

    fn budget(length: Duration) -> Budget {
        let end = Instant::now() + length;
        Budget::new(Limits {
            yield_at: end,
            deadline: end,
            overrun: Duration::from_secs(3600),
            longest_estimate: Duration::from_millis(1),
        })
    }

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn checks_fail_while_work_is_over_its_budget() {
        let interrupt = Interrupt::new();
        let check = || interrupt.check();
        assert_eq!(budget(LONG).run(&interrupt, check), Ok(Some(())));
        assert!(!interrupt.was_given_up());
        assert_eq!(budget(Duration::ZERO).run(&interrupt, check), Ok(None));
        assert!(interrupt.was_given_up() && interrupt.check().is_ok());
        assert_eq!(budget(Duration::ZERO).run_resumable(&interrupt, check), Ok(Some(())));
        assert_eq!(Budget::UNLIMITED.run(&interrupt, check), Ok(Some(())));
    }

    #[test]
    fn work_that_hides_the_error_of_a_check_is_given_up_all_the_same() {
        let interrupt = Interrupt::new();
        let hide = || -> Result<u8, Error> { Ok(u8::from(interrupt.check().is_ok())) };
        assert_eq!(budget(Duration::ZERO).run(&interrupt, hide), Ok(None));
        // No check has failed, so the work is complete.
        let finish = || -> Result<u8, Error> { Ok(1) };
        assert_eq!(budget(Duration::ZERO).run(&interrupt, finish), Ok(Some(1)));
    }

    #[test]
    fn work_that_is_over_its_budget_is_not_killed() {
        let interrupt = Interrupt::new();
        let code = |interrupt: &Interrupt| interrupt.check().map_err(|error| error.code());
        let mut seen = None;
        let run = budget(Duration::ZERO).run(&interrupt, || {
            seen = Some(code(&interrupt));
            code(&interrupt)
        });
        assert_eq!((run, seen), (Ok(None), Some(Err(ErrorCode::BudgetExceeded))));
        // A killed query stays killed.
        interrupt.kill();
        assert_eq!(budget(LONG).run(&interrupt, || code(&interrupt)), Err(ErrorCode::QueryKilled));
        assert_eq!(code(&interrupt), Err(ErrorCode::QueryKilled));
    }

    #[test]
    fn work_that_is_expected_to_take_long_does_not_begin() {
        assert!(budget(LONG).admits(Duration::from_millis(1)) && !budget(LONG).admits(LONG));
        assert!(Budget::UNLIMITED.admits(LONG) && !Budget::UNLIMITED.is_spent());
        assert!(budget(Duration::ZERO).is_spent() && !budget(LONG).is_spent());
    }
}
