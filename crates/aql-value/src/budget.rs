//! The time that work may take where it is.
//!
//! A caller that must not be held up gives work a budget. Work that can be resumed yields when its time is over; all
//! other work is given up, so that the caller has it done again elsewhere. A query that is given up is not ended:
//! [`Interrupt::check`] fails with an error of its own, and only as long as [`Budget::run`] runs.

use std::time::{Duration, Instant};

use crate::Interrupt;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Budget(Option<Limits>);

/// The limits of a budget.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// When work that can be resumed yields, between two of its steps.
    pub yield_at: Instant,
    /// When work that cannot be resumed is given up.
    pub deadline: Instant,
    /// How long after the deadline work that can be resumed is given up, in the middle of a step.
    pub overrun: Duration,
    /// Work that is expected to take longer does not begin.
    pub longest_estimate: Duration,
}

impl Budget {
    /// Work may take any time.
    pub const UNLIMITED: Self = Budget(None);

    /// Work has limits.
    pub fn new(limits: Limits) -> Self {
        Budget(Some(limits))
    }

    /// Returns true if work may take any time, and wait.
    pub fn is_unlimited(&self) -> bool {
        self.0.is_none()
    }

    /// Returns true if work may begin that is expected to take so long.
    pub fn admits(&self, estimate: Duration) -> bool {
        self.0.is_none_or(|limits| estimate <= limits.longest_estimate)
    }

    /// Returns true if work that can be resumed has to yield.
    pub fn is_spent(&self) -> bool {
        self.0.is_some_and(|limits| Instant::now() >= limits.yield_at)
    }

    /// Runs work that cannot be resumed. `None`: it was given up, and what it did is not complete.
    pub fn run<T, E>(
        &self,
        interrupt: &Interrupt,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        run_until(self.0.map(|limits| limits.deadline), interrupt, work)
    }

    /// Runs work that yields when the budget is spent. `None`: it was given up, as one of its steps took too long.
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
    // Whatever became of the error of a check, work that met one is not complete.
    if interrupt.end_of_budget() { Ok(None) } else { done.map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, ErrorCode};

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
        // Nobody has checked: the work is complete.
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
        // A query that is killed stays killed.
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
