//! Where the work of a request runs: on its connection's task or on the worker pool. All decisions and all thresholds
//! are here.
//!
//! The threads of the connections serve many clients each, and the runtime may notice no connection while one of them
//! is blocked. So work runs there only if it takes microseconds and never waits. Everything else runs on the pool, which
//! costs two switches of threads: more than many requests take.
//!
//! A route declares its [`Cost`]. A handler of unknown cost begins on the connection's task under a
//! [`Budget`], does not wait for others, and answers what is left as a deferred response, which runs on the pool.

pub(crate) mod permits;
pub mod pool;

use std::time::{Duration, Instant};

use database::{Budget, Limits};

use self::permits::{Permit, Permits};

/// The longest body of a request of unknown cost that is looked at on a connection's task. Reading so much JSON takes
/// less than a tenth of the budget.
const SHORT_BODY_BYTES: usize = 32 << 10;

/// How long work of unknown cost may take on a connection's task. What takes longer is given up there and begins anew.
const BUDGET: Duration = Duration::from_millis(2);

/// How long work that can be resumed goes on without a permit: as long as a switch of threads and back takes.
const BUDGET_WITHOUT_PERMIT: Duration = Duration::from_micros(100);

/// How much longer than the budget a single step of work may take that can be resumed, before it is given up.
const OVERRUN: Duration = Duration::from_millis(8);

/// Plans whose runs took up to so long lately may run here. On a busy machine they are over before another thread would
/// have begun with them.
const LONGEST_ESTIMATE: Duration = Duration::from_millis(1);

/// How long a job waits for a thread of the pool before a spare one is added: then all others seem to wait themselves.
const RELIEF_AFTER: Duration = Duration::from_millis(10);

/// The longest time between two looks at whether the pool needs a spare thread.
const RELIEF_INTERVAL_MAX: Duration = Duration::from_secs(1);

/// How long a spare thread waits for work before it ends.
const SPARE_THREAD_IDLE: Duration = Duration::from_secs(5);

/// How long a handler takes, as far as its route knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Microseconds, and it never waits.
    Constant,
    /// It finds out under a budget. What would take longer or wait it answers as a deferred response.
    Unknown,
    /// It may take long or wait.
    Blocking,
}

/// Where a handler runs.
pub(crate) enum Place<'a> {
    /// On the task of its connection, within a budget. The permit is held meanwhile.
    Connection(Budget, Option<Permit<'a>>),
    /// On the worker pool.
    Pool,
}

/// Decides for a handler and the length of its request's body.
pub(crate) fn place(cost: Cost, body_bytes: usize, permits: &Permits) -> Place<'_> {
    match cost {
        Cost::Constant => Place::Connection(Budget::UNLIMITED, None),
        Cost::Unknown if body_bytes <= SHORT_BODY_BYTES => {
            let permit = permits.take();
            Place::Connection(budget(Instant::now(), permit.is_some()), permit)
        }
        Cost::Unknown | Cost::Blocking => Place::Pool,
    }
}

/// Without a permit nothing begins that may take long: one thread is left to serve connections.
fn budget(now: Instant, has_permit: bool) -> Budget {
    let (length, longest_estimate) =
        if has_permit { (BUDGET, LONGEST_ESTIMATE) } else { (BUDGET_WITHOUT_PERMIT, Duration::ZERO) };
    Budget::new(Limits { yield_at: now + length, deadline: now + BUDGET, overrun: OVERRUN, longest_estimate })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_requests_of_unknown_cost_get_a_budget() {
        let permits = Permits::default();
        let place = |cost, bytes| match place(cost, bytes, &permits) {
            Place::Connection(budget, permit) => Some((budget.is_unlimited(), permit.is_some())),
            Place::Pool => None,
        };
        assert_eq!(place(Cost::Constant, usize::MAX), Some((true, false)));
        assert_eq!(place(Cost::Unknown, SHORT_BODY_BYTES), Some((false, false)));
        assert_eq!(place(Cost::Unknown, SHORT_BODY_BYTES + 1), None);
        assert_eq!(place(Cost::Blocking, 0), None);
    }

    #[test]
    fn work_that_may_take_long_needs_a_permit() {
        let now = Instant::now();
        assert!(budget(now, true).admits(LONGEST_ESTIMATE));
        assert!(!budget(now, false).admits(Duration::from_micros(1)));
    }
}
