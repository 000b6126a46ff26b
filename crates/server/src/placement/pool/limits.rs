//! The sizes of a pool.

use super::fair_queue::Capacity;

/// The threads that may wait, for each thread that may work.
///
/// A thread that waits takes some 30 KiB of memory.
const WAITING_FACTOR: usize = 8;

/// Sizes of a pool.
#[derive(Clone, Copy, Debug)]
pub struct PoolLimits {
    /// Permanent threads.
    pub threads: usize,
    /// Maximum number of threads, spare ones included.
    pub max_threads: usize,
    /// Maximum number of waiting jobs.
    pub max_queue: usize,
}

impl PoolLimits {
    /// Returns the limits for this machine.
    ///
    /// The pool has as many threads as there are cores. The other limits are ArangoDB's: at least
    /// 32 threads in all, and 4,096 waiting jobs.
    pub fn of_this_machine() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        PoolLimits { threads: cores, max_threads: (2 * cores).max(32), max_queue: 4_096 }
    }

    /// Returns the limits of a pool for short work that others must not delay.
    pub(in crate::placement) fn of_short_work() -> Self {
        PoolLimits { threads: 1, max_threads: 4, max_queue: 4_096 }
    }

    /// Returns the limits for all users together.
    pub(super) fn capacity(&self) -> Capacity {
        Capacity {
            working: self.max_threads,
            waiting: self.max_threads.saturating_mul(WAITING_FACTOR),
            queued: self.max_queue,
        }
    }

    /// Returns the limits where reads wait for messages to other machines: three quarters of the
    /// threads stay, since most of them wait at any time.
    pub(in crate::placement) fn where_reads_wait(self) -> Self {
        PoolLimits { threads: self.threads.max(self.max_threads / 4 * 3), ..self }
    }
}
