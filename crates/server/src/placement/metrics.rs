//! The metrics of the worker threads and of their only queue, in which requests of clients wait:
//! ArangoDB's queue of low priority.

use metrics::{Metric, Registry, Section, Summary};

/// ArangoDB's bucket bounds for the times of requests, used for the waits of jobs, in seconds.
pub const WAIT_CUTS: [f64; 9] = [0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 15.0, 30.0];

/// [`WAIT_CUTS`] in microseconds.
const WAIT_CUTS_US: [f64; 9] = [
    10_000.0,
    50_000.0,
    100_000.0,
    200_000.0,
    500_000.0,
    1_000_000.0,
    5_000_000.0,
    15_000_000.0,
    30_000_000.0,
];

/// The counters of a pool since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolCounts {
    /// Jobs that were put into the queue.
    pub submitted: u64,
    /// Jobs that were refused because the queue was full.
    pub rejected: u64,
    /// Jobs that a thread has taken.
    pub taken: u64,
    /// Jobs that are done.
    pub done: u64,
    /// Threads that were started.
    pub threads_started: u64,
    /// Threads that have ended.
    pub threads_ended: u64,
}

/// The state of the pool at one moment.
pub(super) struct PoolState {
    pub(super) threads: usize,
    pub(super) busy_threads: usize,
    /// The threads whose work waits for others.
    pub(super) waiting_threads: usize,
    pub(super) queue_length: usize,
    /// The times in seconds that jobs have waited.
    pub(super) waits: Summary,
    pub(super) last_wait_us: u64,
    pub(super) counts: PoolCounts,
}

const POOL: &[Metric<PoolState>] = &[
    Metric::histogram(
        "arangodb_client_connection_statistics_queue_time",
        "Time that jobs waited for a worker thread, in seconds.",
        |pool| pool.waits.clone().into(),
    ),
    Metric::gauge("arangodb_scheduler_num_worker_threads", "Number of worker threads.", |pool| {
        pool.threads.into()
    }),
    Metric::gauge("arangodb_scheduler_num_working_threads", "Number of busy worker threads.", |pool| {
        pool.busy_threads.into()
    }),
    Metric::gauge(
        "persea_scheduler_num_waiting_threads",
        "Number of worker threads whose work waits for a lock or for another request.",
        |pool| pool.waiting_threads.into(),
    ),
    Metric::gauge("arangodb_scheduler_queue_length", "Number of queued jobs.", |pool| {
        pool.queue_length.into()
    }),
    Metric::gauge(
        "arangodb_scheduler_low_prio_queue_length",
        "Number of jobs in the low-priority queue.",
        |pool| pool.queue_length.into(),
    ),
    Metric::histogram(
        "arangodb_scheduler_low_prio_dequeue_hist",
        "Time that jobs waited in the low-priority queue, in microseconds.",
        |pool| Summary { cuts: &WAIT_CUTS_US, sum: pool.waits.sum * 1e6, ..pool.waits.clone() }.into(),
    ),
    Metric::gauge(
        "arangodb_scheduler_low_prio_queue_last_dequeue_time",
        "Time that the last job waited in the low-priority queue, in milliseconds.",
        |pool| (pool.last_wait_us / 1_000).into(),
    ),
    Metric::gauge("arangodb_scheduler_num_awake_threads", "Number of awake worker threads.", |pool| {
        pool.busy_threads.into()
    }),
    Metric::counter("arangodb_scheduler_jobs_submitted_total", "Total number of queued jobs.", |pool| {
        pool.counts.submitted.into()
    }),
    Metric::counter("arangodb_scheduler_jobs_dequeued_total", "Total number of started jobs.", |pool| {
        pool.counts.taken.into()
    }),
    Metric::counter("arangodb_scheduler_jobs_done_total", "Total number of finished jobs.", |pool| {
        pool.counts.done.into()
    }),
    Metric::counter(
        "arangodb_scheduler_threads_started_total",
        "Total number of started worker threads.",
        |pool| pool.counts.threads_started.into(),
    ),
    Metric::counter(
        "arangodb_scheduler_threads_stopped_total",
        "Total number of stopped worker threads.",
        |pool| pool.counts.threads_ended.into(),
    ),
    Metric::counter(
        "arangodb_scheduler_queue_full_failures_total",
        "Total number of jobs rejected because the queue was full.",
        |pool| pool.counts.rejected.into(),
    ),
];

/// Registers the metrics of the pool whose state a function reads.
pub(super) fn register(registry: &Registry, read: impl Fn() -> PoolState + Send + Sync + 'static) {
    registry.register_reading(Section::Scheduler, POOL, read);
}
