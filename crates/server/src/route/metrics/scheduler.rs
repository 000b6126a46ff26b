//! The threads and their only queue, in which requests of clients wait: ArangoDB's queue of low
//! priority. Jobs and the log are here too.

use database::histogram::Summary;

use super::{Page, Services};
use crate::http::metrics::TIME_CUTS;

pub(super) fn print(services: &Services, page: &mut Page) {
    let pool = &services.pool;
    let (threads, busy) = pool.threads();
    let (counts, waits) = (pool.counts(), pool.waits());
    page.histogram(
        "arangodb_client_connection_statistics_queue_time",
        "Seconds for which jobs waited for a thread.",
        &TIME_CUTS,
        &waits,
    );
    page.gauge("arangodb_scheduler_num_worker_threads", "Worker threads.", threads);
    page.gauge("arangodb_scheduler_num_working_threads", "Worker threads with a job.", busy);
    page.gauge("arangodb_scheduler_queue_length", "Jobs that wait for a thread.", pool.queue_length());
    page.gauge(
        "arangodb_scheduler_low_prio_queue_length",
        "Jobs that wait for a thread.",
        pool.queue_length(),
    );
    page.histogram(
        "arangodb_scheduler_low_prio_dequeue_hist",
        "Microseconds for which jobs waited for a thread.",
        &TIME_CUTS.map(|cut| cut * 1e6),
        &Summary { sum: waits.sum * 1e6, ..waits.clone() },
    );
    page.gauge(
        "arangodb_scheduler_low_prio_queue_last_dequeue_time",
        "Milliseconds for which the last job had waited.",
        pool.last_wait_us() / 1_000,
    );
    page.gauge("arangodb_scheduler_num_awake_threads", "Worker threads with a job.", busy);
    let name = |what: &str| format!("arangodb_scheduler_{what}_total");
    page.counter(&name("jobs_submitted"), "Jobs that were put into the queue.", counts.submitted);
    page.counter(&name("jobs_dequeued"), "Jobs that a thread has taken.", counts.taken);
    page.counter(&name("jobs_done"), "Jobs that are done.", counts.done);
    page.counter(&name("threads_started"), "Worker threads that were started.", counts.threads_started);
    page.counter(&name("threads_stopped"), "Worker threads that have ended.", counts.threads_ended);
    page.counter(&name("queue_full_failures"), "Jobs that were refused by a full queue.", counts.rejected);
    page.counter(
        &name("queue_time_violations"),
        "Requests that were refused because their clients would not wait so long.",
        services.metrics.too_slow_queues(),
    );
    page.gauge("persea_async_jobs", "Async jobs that are pending or not fetched.", services.jobs.len());
    let (warnings, errors, lost) = services.log.counts();
    page.counter("arangodb_logger_warnings_total", "Warnings in the log.", warnings);
    page.counter("arangodb_logger_errors_total", "Errors in the log.", errors);
    page.counter(
        "arangodb_logger_messages_dropped_total",
        "Entries of the log that could not be written.",
        lost,
    );
}
