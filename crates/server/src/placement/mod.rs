//! Placement: a request's work runs on its connection's task or on the worker pool. This module
//! holds all decisions and thresholds.
//!
//! Each thread of the connections serves many clients, which wait while it works for one of them.
//! Work therefore runs there only if it takes microseconds and never waits. All other work runs on
//! the pool. The pool costs two thread switches, which is more than many requests take.
//!
//! A route declares its [`Cost`]. A handler of unknown cost begins on the connection's task under a
//! [`Budget`] and does not wait. It returns the remaining work as a deferred response, which runs
//! on the pool.

pub mod logins;
pub mod metrics;
pub(crate) mod neighbours;
pub mod pool;

use std::sync::Arc;
use std::time::{Duration, Instant};

use database::{Budget, Limits};

use self::pool::{PoolLimits, WorkerPool};

/// Longest body of a request of unknown cost that is read on a connection's task. Parsing this much
/// JSON takes less than a tenth of the budget.
const SHORT_BODY_BYTES: usize = 32 << 10;

/// Time that work of unknown cost may take on a connection's task. Longer work is given up there
/// and starts again.
///
/// The connections of a thread share the time after which resumable work moves to the pool.
const BUDGET: Duration = Duration::from_millis(2);

/// Time that each connection has at least: as long as two thread switches take.
const LEAST_BUDGET: Duration = Duration::from_micros(100);

/// Time by which one step of resumable work may exceed the budget before it is given up.
const OVERRUN: Duration = Duration::from_millis(8);

/// Longest recent run of a plan that may run on the task of the only connection of a thread. On a
/// busy machine such a run ends before another thread would start it.
///
/// The connections of a thread share this time as well, so none waits longer for all others.
const LONGEST_ESTIMATE: Duration = Duration::from_millis(1);

/// Time that a job waits before the pool gets a spare thread: the other threads then seem to be
/// blocked.
const RELIEF_AFTER: Duration = Duration::from_millis(10);

/// Maximum time between two checks of whether the pool needs a spare thread.
const RELIEF_INTERVAL_MAX: Duration = Duration::from_secs(1);

/// Time that a spare thread waits for work before it ends.
const SPARE_THREAD_IDLE: Duration = Duration::from_secs(5);

/// The cost of a handler, as far as its route knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// It takes microseconds and never waits.
    Constant,
    /// It reads a few keys of the store. That takes microseconds, unless the store is on other
    /// machines.
    Read,
    /// It runs under a budget, and defers work that would take longer or wait.
    Unknown,
    /// It may take long or wait.
    Blocking,
    /// It may take long or wait, and belongs to a stream transaction.
    ///
    /// Other requests may wait for the transaction's end, on all threads of the pool. So it has
    /// threads of its own.
    Transaction,
    /// It is short, and ends the work of others. It never waits for a request.
    Control,
}

/// A set of threads for work that waits or takes long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lane {
    /// The worker pool.
    #[default]
    Requests,
    /// The threads of stream transactions.
    Transactions,
    /// The threads of sign-ins and of what ends the work of others. They are never busy for long,
    /// so administrators can always sign in and intervene.
    Control,
}

/// The pools of all lanes.
pub(crate) struct Lanes {
    pub(crate) requests: Arc<WorkerPool>,
    transactions: WorkerPool,
    control: WorkerPool,
}

impl Lanes {
    /// Returns lanes with the given worker pool, another of the same size, and a small one.
    pub(crate) fn new(requests: Arc<WorkerPool>, limits: PoolLimits) -> Self {
        let control = WorkerPool::new(PoolLimits::of_short_work());
        Lanes { requests, transactions: WorkerPool::new(limits), control }
    }

    /// Returns the pool of a lane.
    pub(crate) fn pool(&self, lane: Lane) -> &WorkerPool {
        match lane {
            Lane::Requests => &self.requests,
            Lane::Transactions => &self.transactions,
            Lane::Control => &self.control,
        }
    }

    /// Accepts no more jobs, and waits at most `timeout` for the queued ones of each lane.
    ///
    /// Returns true if all threads have ended.
    pub(crate) fn stop(&self, timeout: Duration) -> bool {
        let others = self.control.stop(timeout) & self.transactions.stop(timeout);
        self.requests.stop(timeout) && others
    }
}

/// The place where a handler runs.
pub(crate) enum Place {
    /// On its connection's task, within a budget.
    Connection(Budget),
    /// On the threads of a lane.
    Pool(Lane),
}

/// The decisions of one server about the places of its work.
#[derive(Debug, Default)]
pub(crate) struct Placement {
    /// Reads wait for messages, because the store is on other machines.
    reads_wait: bool,
    /// Writes wait for messages, because the other members of a group must have them.
    writes_wait: bool,
}

impl Placement {
    pub(crate) fn new(reads_wait: bool, writes_wait: bool) -> Self {
        Placement { reads_wait, writes_wait }
    }

    /// Returns the sizes of the pools, given those for a store on this machine.
    pub(crate) fn limits(&self, local: PoolLimits) -> PoolLimits {
        if self.reads_wait || self.writes_wait { local.where_reads_wait() } else { local }
    }

    /// Returns the place of a handler, given the length of its request's body.
    pub(crate) fn place(&self, cost: Cost, body_bytes: usize) -> Place {
        match cost {
            Cost::Read | Cost::Unknown if self.reads_wait => Place::Pool(Lane::Requests),
            Cost::Unknown if self.writes_wait => Place::Pool(Lane::Requests),
            Cost::Constant | Cost::Read => Place::Connection(Budget::UNLIMITED),
            Cost::Unknown if body_bytes <= SHORT_BODY_BYTES => Place::Connection(budget(Instant::now())),
            Cost::Unknown | Cost::Blocking => Place::Pool(Lane::Requests),
            Cost::Transaction => Place::Pool(Lane::Transactions),
            Cost::Control => Place::Pool(Lane::Control),
        }
    }
}

/// Returns the budget of work that begins now on this thread of the connections.
fn budget(now: Instant) -> Budget {
    Budget::new(Limits {
        yield_at: now + neighbours::share(BUDGET, LEAST_BUDGET),
        deadline: now + BUDGET,
        overrun: OVERRUN,
        longest_estimate: neighbours::share(LONGEST_ESTIMATE, LEAST_BUDGET),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_connection_waits_for_other_machines() {
        let (local, distant) = (Placement::new(false, false), Placement::new(true, false));
        for cost in [Cost::Unknown, Cost::Read] {
            assert!(matches!(distant.place(cost, 0), Place::Pool(Lane::Requests)));
            assert!(matches!(local.place(cost, 0), Place::Connection(..)));
        }
        assert!(matches!(distant.place(Cost::Constant, 0), Place::Connection(..)));
        let synchronous = Placement::new(false, true);
        assert!(matches!(synchronous.place(Cost::Unknown, 0), Place::Pool(Lane::Requests)));
        assert!(matches!(synchronous.place(Cost::Read, 0), Place::Connection(..)));
    }

    #[test]
    fn only_short_requests_of_unknown_cost_get_a_budget() {
        let placement = Placement::default();
        let place = |cost, bytes| match placement.place(cost, bytes) {
            Place::Connection(budget) => Some(budget.is_unlimited()),
            Place::Pool(_) => None,
        };
        assert_eq!(place(Cost::Constant, usize::MAX), Some(true));
        assert_eq!(place(Cost::Unknown, SHORT_BODY_BYTES), Some(false));
        assert_eq!(place(Cost::Unknown, SHORT_BODY_BYTES + 1), None);
        assert_eq!(place(Cost::Blocking, 0), None);
    }

    #[test]
    fn work_that_takes_longer_than_a_share_is_for_the_pool() {
        let budget = budget(Instant::now());
        assert!(budget.admits(LEAST_BUDGET));
        assert!(!budget.admits(LONGEST_ESTIMATE), "this thread serves no connection alone");
    }
}
