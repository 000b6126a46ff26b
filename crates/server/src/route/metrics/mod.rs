//! `/_admin/metrics` and `/_admin/metrics/v2`: all metrics in Prometheus' text format.
//!
//! A metric has ArangoDB's name if it measures the same. Names with the prefix `persea_` have no
//! counterpart.

mod transactions;

use std::fmt::{Display, Write};
use std::sync::Arc;
use std::time::Instant;

use database::histogram::Summary;
use database::query::registry::{SLOW_TIME_CUTS, Scope, TIME_CUTS as QUERY_TIME_CUTS};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;

use crate::http::Cost::Blocking;
use crate::http::connections::Connections;
use crate::http::metrics::{BYTES_CUTS, CONNECTION_CUTS, METHODS, Metrics, TIME_CUTS, Totals};
use crate::http::{Request, Response, Route, Verb, content_type};
use crate::placement::pool::WorkerPool;
use crate::service::jobs::Jobs;
use crate::service::log::Log;
use crate::service::machine::{self, Process, Processor};
use database::Session;

/// The services of this family.
pub(crate) struct Services {
    pub(crate) is_enabled: bool,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) pool: Arc<WorkerPool>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) log: Arc<Log>,
    pub(crate) started: Instant,
    pub(crate) memory_limit_bytes: u64,
}

pub(crate) const ROUTES: &[Route<Services>] = &[
    Route::with(Verb::Get, "/_admin/metrics", Blocking, metrics).for_inspectors(),
    Route::with(Verb::Get, "/_admin/metrics/v2", Blocking, metrics).for_inspectors(),
];

fn metrics(services: &Services, session: &Session, request: &Request) -> Result<Response> {
    if !services.is_enabled {
        return Err(Error::new(ErrorCode::HttpNotFound, format!("unknown path '{}'", request.path())));
    }
    let mut page = Page::default();
    print_requests(services, &mut page);
    print_connections(services, &mut page);
    print_threads(services, &mut page);
    print_process(services, &mut page);
    print_queries(session, &mut page);
    print_catalog(session, &mut page);
    print_engine(session, &mut page);
    transactions::print(session, &mut page);
    Ok(Response::bytes(StatusCode::OK, content_type::PROMETHEUS, page.text))
}

/// The page of metrics, while it is written.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, "counter", help);
        let _ = writeln!(self.text, "{name} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, "gauge", help);
        let _ = writeln!(self.text, "{name} {value}");
    }

    /// Writes values, each with a label.
    fn labelled<L: Display, V: Display>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl Iterator<Item = (L, V)>,
    ) {
        self.head(name, "counter", help);
        for (text, value) in values {
            let _ = writeln!(self.text, "{name}{{{label}=\"{text}\"}} {value}");
        }
    }

    /// Writes a histogram. Prometheus counts cumulatively: each bucket includes the ones below it.
    fn histogram(&mut self, name: &str, help: &str, cuts: &[f64], summary: &Summary) {
        self.head(name, "histogram", help);
        let mut below = 0;
        let cuts = cuts.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
        for (cut, count) in cuts.zip(&summary.counts) {
            below += count;
            let _ = writeln!(self.text, "{name}_bucket{{le=\"{cut}\"}} {below}");
        }
        let _ = writeln!(self.text, "{name}_sum {}\n{name}_count {}", summary.sum, summary.count());
    }
}

fn print_requests(services: &Services, page: &mut Page) {
    let totals: Totals = services.metrics.totals();
    let name = |what: &str| format!("arangodb_http_request_statistics_{what}_requests_total");
    page.counter(&name("total"), "HTTP requests.", totals.requests());
    page.counter(&name("superuser"), "Requests without a user.", totals.superuser);
    let users = totals.requests().saturating_sub(totals.superuser);
    page.counter(&name("user"), "Requests of users.", users);
    page.counter(&name("async"), "Requests that were put aside.", totals.asynchronous);
    for (method, count) in METHODS.iter().zip(totals.methods) {
        let what = if *method == "other" { "other_http".to_owned() } else { format!("http_{method}") };
        page.counter(&name(&what), &format!("HTTP requests with the method {method}."), count);
    }
    let statuses =
        totals.statuses.iter().enumerate().skip(1).map(|(digit, count)| (format!("{digit}xx"), *count));
    page.labelled(
        "arangodb_http_response_code_total",
        "Replies by the class of their status.",
        "code",
        statuses,
    );
    let name = |what: &str| format!("arangodb_client_connection_statistics_{what}");
    page.histogram(&name("total_time"), "Seconds from a request to its reply.", &TIME_CUTS, &totals.time);
    page.histogram(&name("request_time"), "Seconds from a request to its reply.", &TIME_CUTS, &totals.time);
    page.histogram(&name("bytes_sent"), "Bytes of the bodies of replies.", &BYTES_CUTS, &totals.sent);
    page.histogram(
        &name("bytes_received"),
        "Bytes of the bodies of requests.",
        &BYTES_CUTS,
        &totals.received,
    );
    let name = |what: &str| format!("arangodb_client_user_connection_statistics_{what}");
    page.histogram(
        &name("bytes_sent"),
        "Bytes of the bodies of replies to users.",
        &BYTES_CUTS,
        &totals.sent_to_users,
    );
    page.histogram(
        &name("bytes_received"),
        "Bytes of the bodies of requests of users.",
        &BYTES_CUTS,
        &totals.received_from_users,
    );
}

fn print_connections(services: &Services, page: &mut Page) {
    let Services { connections, metrics, .. } = services;
    page.gauge(
        "arangodb_client_connection_statistics_client_connections",
        "Open connections.",
        connections.len(),
    );
    page.histogram(
        "arangodb_client_connection_statistics_connection_time",
        "Seconds from the begin of a connection to its end.",
        &CONNECTION_CUTS,
        &metrics.connection_time(),
    );
    let http2 = connections.http2();
    page.counter(
        "arangodb_http1_connections_total",
        "HTTP/1.1 connections.",
        connections.accepted().saturating_sub(http2),
    );
    page.counter("arangodb_http2_connections_total", "HTTP/2 connections.", http2);
    let (received, sent) = metrics.traffic();
    page.counter("persea_connection_bytes_received_total", "Bytes received on all connections.", received);
    page.counter("persea_connection_bytes_sent_total", "Bytes sent on all connections.", sent);
}

fn print_threads(services: &Services, page: &mut Page) {
    let pool = &services.pool;
    let (threads, busy) = pool.threads();
    let counts = pool.counts();
    page.histogram(
        "arangodb_client_connection_statistics_queue_time",
        "Seconds for which jobs waited for a thread.",
        &TIME_CUTS,
        &pool.waits(),
    );
    page.gauge("arangodb_scheduler_num_worker_threads", "Worker threads.", threads);
    page.gauge("arangodb_scheduler_num_working_threads", "Worker threads with a job.", busy);
    page.gauge("arangodb_scheduler_queue_length", "Jobs that wait for a thread.", pool.queue_length());
    page.gauge(
        "arangodb_scheduler_high_prio_queue_length",
        "Jobs that wait for a thread.",
        pool.queue_length(),
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

fn print_process(services: &Services, page: &mut Page) {
    let (process, processor) = (Process::now(), Processor::now());
    let name = |what: &str| format!("arangodb_process_statistics_{what}");
    let physical = machine::physical_memory_bytes();
    let share = process.resident_bytes as f64 / physical.max(1) as f64;
    page.gauge(
        &name("minor_page_faults_total"),
        "Page faults that needed no disk.",
        process.minor_page_faults,
    );
    page.counter(
        &name("major_page_faults_total"),
        "Page faults that needed the disk.",
        process.major_page_faults,
    );
    page.gauge(&name("user_time"), "Seconds of CPU in the program.", process.user_seconds);
    page.gauge(&name("system_time"), "Seconds of CPU in the kernel.", process.system_seconds);
    page.gauge(&name("number_of_threads"), "Threads.", process.threads);
    page.gauge(&name("resident_set_size"), "Bytes of memory that are present.", process.resident_bytes);
    page.gauge(&name("resident_set_size_percent"), "Their share of the machine's memory.", share);
    page.gauge(&name("virtual_memory_size"), "Bytes of memory that are mapped.", process.virtual_bytes);
    page.gauge("arangodb_file_descriptors_current", "Open file descriptors.", process.file_descriptors);
    page.gauge("arangodb_file_descriptors_limit", "Most file descriptors.", process.file_descriptors_limit);
    let name = |what: &str| format!("arangodb_server_statistics_{what}");
    page.gauge(&name("physical_memory"), "Bytes of memory of the machine.", physical);
    page.gauge(
        &name("effective_physical_memory"),
        "Bytes of memory that the process may use.",
        machine::available_memory_bytes(),
    );
    page.gauge(&name("cpu_cores"), "Cores that the process may use.", machine::cores());
    page.gauge(&name("user_percent"), "Share of the machine's CPU time in programs.", processor.user_percent);
    page.gauge(
        &name("system_percent"),
        "Share of the machine's CPU time in the kernel.",
        processor.system_percent,
    );
    page.gauge(&name("idle_percent"), "Share of the machine's CPU time in nothing.", processor.idle_percent);
    page.gauge(
        &name("iowait_percent"),
        "Share of the machine's CPU time waiting for a disk.",
        processor.wait_percent,
    );
    let uptime = services.started.elapsed().as_secs_f64();
    page.counter(&name("server_uptime_total"), "Seconds since the start.", uptime);
    page.gauge(
        "persea_memory_limit_bytes",
        "Bytes that the whole process is meant to stay within.",
        services.memory_limit_bytes,
    );
}

fn print_queries(session: &Session, page: &mut Page) {
    let instance = session.instance();
    let running = instance.queries().running(Scope::default()).len();
    page.gauge("arangodb_aql_current_query", "Queries that run.", running);
    page.counter("arangodb_aql_all_query_total", "Queries that have ended.", instance.queries().count());
    page.counter(
        "arangodb_aql_total_query_time_msec_total",
        "Milliseconds that queries ran.",
        instance.queries().total_time().as_millis(),
    );
    page.histogram(
        "arangodb_aql_query_time",
        "Seconds that queries ran.",
        &QUERY_TIME_CUTS,
        &instance.queries().times(),
    );
    page.histogram(
        "arangodb_aql_slow_query_time",
        "Seconds that slow queries ran.",
        &SLOW_TIME_CUTS,
        &instance.queries().slow_times(),
    );
    let (global, local) = instance.query_memory_limits_reached();
    page.counter(
        "arangodb_aql_global_query_memory_limit_reached_total",
        "How often all queries together would have used more memory than allowed.",
        global,
    );
    page.counter(
        "arangodb_aql_local_query_memory_limit_reached_total",
        "How often a query would have used more memory than its own limit.",
        local,
    );
    page.gauge("arangodb_aql_cursors_active", "Open cursors and exports.", instance.cursors().len());
    let dumps = instance.dump_contexts();
    page.gauge("arangodb_dump_ongoing", "Dumps that many requests fetch at once.", dumps.len());
    page.gauge(
        "arangodb_dump_memory_usage",
        "Bytes of dumps that wait for their clients.",
        dumps.memory_bytes(),
    );
    page.gauge("persea_dump_batches", "Snapshots that dumps hold.", instance.batches().len());
    let used = instance.query_memory_used_bytes();
    page.gauge("arangodb_aql_global_memory_usage", "Bytes that all queries use.", used);
    let limit = instance.options().query_memory_bytes;
    page.gauge("arangodb_aql_global_memory_limit", "Bytes that all queries may use.", limit);
    page.gauge(
        "persea_query_plans_cached",
        "Plans that are kept for queries that come again.",
        instance.plan_cache().len(),
    );
}

fn print_catalog(session: &Session, page: &mut Page) {
    let catalog = session.catalog();
    let collections: usize = catalog.databases().map(|database| database.collections().count()).sum();
    page.gauge("arangodb_metadata_number_of_databases", "Databases.", catalog.databases().count());
    page.gauge(
        "arangodb_metadata_number_of_collections",
        "Collections of all databases, system collections among them.",
        collections,
    );
}

fn print_engine(session: &Session, page: &mut Page) {
    let figures = session.engine_statistics();
    page.counter(
        "arangodb_transactions_started_total",
        "Transactions that wrote.",
        figures.commits + figures.conflicts,
    );
    page.counter(
        "arangodb_transactions_aborted_total",
        "Transactions that met the writes of another.",
        figures.conflicts,
    );
    page.counter(
        "arangodb_transactions_committed_total",
        "Transactions that were committed.",
        figures.commits,
    );
    page.counter(
        "arangodb_intermediate_commits_total",
        "Commits of queries before their end.",
        session.intermediate_commits(),
    );
    page.counter(
        "persea_write_conflicts_total",
        "Writes that met those of another transaction.",
        figures.conflicts,
    );
    page.gauge(
        "rocksdb_block_cache_capacity",
        "Bytes that the block cache may use.",
        figures.cache_limit_bytes,
    );
    page.gauge("rocksdb_block_cache_usage", "Bytes in the block cache.", figures.cache_used_bytes);
    let kept = session.read_cache_statistics();
    page.gauge(
        "rocksdb_cache_limit",
        "Bytes that documents and edges read lately may use.",
        kept.limit_bytes,
    );
    page.gauge("rocksdb_cache_allocated", "Bytes of documents and edges read lately.", kept.used_bytes);
    let look_ups = (kept.hits + kept.misses).max(1);
    page.gauge(
        "rocksdb_cache_hit_rate_lifetime",
        "Look-ups of documents and edges, in percent, that found them there.",
        100.0 * kept.hits as f64 / look_ups as f64,
    );
    page.gauge("rocksdb_cur_size_all_mem_tables", "Bytes in memtables.", figures.memtable_bytes);
    page.gauge("rocksdb_total_sst_files_size", "Bytes of table files on disk.", figures.disk_bytes);
    page.gauge("rocksdb_live_sst_files_size", "Bytes of table files on disk.", figures.disk_bytes);
    page.gauge("rocksdb_num_snapshots", "Snapshots that are alive.", figures.snapshots);
    page.gauge(
        "persea_oldest_snapshot_seconds",
        "Age of the oldest snapshot, whose versions cannot be forgotten.",
        figures.oldest_snapshot_seconds,
    );
    for (name, value) in &figures.counters {
        page.gauge(&name.replace(['.', '-'], "_"), "As the engine reports it.", *value);
    }
}
