//! The metrics of requests and connections.
//!
//! Every thread counts in a shard of its own, so that counting takes a few nanoseconds even if all
//! cores count. `http::observed` counts requests.

use std::sync::Arc;
use std::time::Duration;

use metrics::{Counter, Histogram, Metric, Registry, Section, Summary, Value, labels};

use super::connections::Connections;

/// Number of shards; further threads share them.
pub(super) const SHARDS: usize = 16;

/// The methods with a counter of their own, in the order of [`Totals::methods`]. The last one
/// counts all others.
pub const METHODS: [&str; 8] = ["get", "head", "post", "put", "patch", "delete", "options", "other"];

/// ArangoDB's bucket bounds for the times of requests, in seconds.
pub use crate::placement::metrics::WAIT_CUTS as TIME_CUTS;
/// ArangoDB's bucket bounds for the lifetimes of connections, in seconds.
pub const CONNECTION_CUTS: [f64; 3] = [0.1, 1.0, 60.0];
/// ArangoDB's bucket bounds for the bytes of bodies.
pub const BYTES_CUTS: [f64; 5] = [250.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0];

/// All counters.
#[derive(Debug)]
pub struct Metrics {
    pub(super) shards: [Shard; SHARDS],
    traffic_received_bytes: Counter,
    traffic_sent_bytes: Counter,
    connection_time: Histogram<3>,
    too_slow_queues: Counter,
}

/// The counters of one shard, on cache lines of their own. Present processors fetch two lines at
/// once.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Shard {
    pub(super) methods: [Counter; METHODS.len()],
    pub(super) superuser: Counter,
    pub(super) asynchronous: Counter,
    /// Requests by the first digit of their status.
    pub(super) statuses: [Counter; 6],
    pub(super) time: Histogram<9>,
    pub(super) sent: Histogram<5>,
    pub(super) received_http1: Histogram<5>,
    pub(super) received_http2: Histogram<5>,
    pub(super) sent_to_users: Histogram<5>,
    pub(super) received_from_users: Histogram<5>,
}

impl Default for Shard {
    fn default() -> Self {
        let sizes = || Histogram::of_numbers(&BYTES_CUTS);
        Shard {
            methods: Default::default(),
            superuser: Counter::new(),
            asynchronous: Counter::new(),
            statuses: Default::default(),
            time: Histogram::of_times(&TIME_CUTS),
            sent: sizes(),
            received_http1: sizes(),
            received_http2: sizes(),
            sent_to_users: sizes(),
            received_from_users: sizes(),
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics {
            shards: Default::default(),
            traffic_received_bytes: Counter::new(),
            traffic_sent_bytes: Counter::new(),
            connection_time: Histogram::of_times(&CONNECTION_CUTS),
            too_slow_queues: Counter::new(),
        }
    }
}

/// The sums over all threads.
#[derive(Clone, Debug)]
pub struct Totals {
    /// Requests by method, see [`METHODS`].
    pub methods: [u64; METHODS.len()],
    /// Requests of the server itself or without authentication.
    pub superuser: u64,
    /// Requests that ran in the background.
    pub asynchronous: u64,
    /// Requests by the first digit of their status.
    pub statuses: [u64; 6],
    /// Seconds from a request's head to its reply's.
    pub time: Summary,
    /// Bytes of the bodies of replies whose length is known.
    pub sent: Summary,
    /// Bytes of the bodies of requests.
    pub received: Summary,
    /// The part of `received` for requests of HTTP/1.
    pub received_http1: Summary,
    /// The part of `received` for requests of HTTP/2.
    pub received_http2: Summary,
    /// The same as `sent` for requests of users.
    pub sent_to_users: Summary,
    /// The same as `received` for requests of users.
    pub received_from_users: Summary,
}

impl Totals {
    /// Returns the number of all requests.
    pub fn requests(&self) -> u64 {
        self.methods.iter().sum()
    }
}

impl Default for Totals {
    fn default() -> Self {
        let sizes = || Summary::empty(&BYTES_CUTS);
        Totals {
            methods: [0; METHODS.len()],
            superuser: 0,
            asynchronous: 0,
            statuses: [0; 6],
            time: Summary::empty(&TIME_CUTS),
            sent: sizes(),
            received: sizes(),
            received_http1: sizes(),
            received_http2: sizes(),
            sent_to_users: sizes(),
            received_from_users: sizes(),
        }
    }
}

const REQUESTS: &[Metric<Totals>] = &[
    Metric::counter(
        "arangodb_http_request_statistics_total_requests_total",
        "Total number of HTTP requests.",
        |totals| totals.requests().into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_superuser_requests_total",
        "Total number of HTTP requests without a user.",
        |totals| totals.superuser.into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_user_requests_total",
        "Total number of HTTP requests from users.",
        |totals| totals.requests().saturating_sub(totals.superuser).into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_async_requests_total",
        "Total number of HTTP requests that ran asynchronously.",
        |totals| totals.asynchronous.into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_http_get_requests_total",
        "Total number of HTTP GET requests.",
        |totals| totals.methods[0].into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_http_head_requests_total",
        "Total number of HTTP HEAD requests.",
        |totals| totals.methods[1].into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_http_post_requests_total",
        "Total number of HTTP POST requests.",
        |totals| totals.methods[2].into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_http_put_requests_total",
        "Total number of HTTP PUT requests.",
        |totals| totals.methods[3].into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_http_patch_requests_total",
        "Total number of HTTP PATCH requests.",
        |totals| totals.methods[4].into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_http_delete_requests_total",
        "Total number of HTTP DELETE requests.",
        |totals| totals.methods[5].into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_http_options_requests_total",
        "Total number of HTTP OPTIONS requests.",
        |totals| totals.methods[6].into(),
    ),
    Metric::counter(
        "arangodb_http_request_statistics_other_http_requests_total",
        "Total number of HTTP requests with other methods.",
        |totals| totals.methods[7].into(),
    ),
    Metric::counter(
        "arangodb_http_response_code_total",
        "Total number of HTTP responses by class of status code.",
        by_status,
    ),
    Metric::histogram(
        "arangodb_client_connection_statistics_total_time",
        "Total time to answer a request, in seconds.",
        |totals| totals.time.clone().into(),
    ),
    Metric::histogram(
        "arangodb_client_connection_statistics_request_time",
        "Time to process a request, in seconds.",
        |totals| totals.time.clone().into(),
    ),
    Metric::histogram(
        "arangodb_client_connection_statistics_bytes_sent",
        "Size of response bodies in bytes.",
        |totals| totals.sent.clone().into(),
    ),
    Metric::histogram(
        "arangodb_client_connection_statistics_bytes_received",
        "Size of request bodies in bytes.",
        |totals| totals.received.clone().into(),
    ),
    Metric::histogram(
        "arangodb_request_body_size_http1",
        "Size of HTTP/1.1 request bodies in bytes.",
        |totals| totals.received_http1.clone().into(),
    ),
    Metric::histogram(
        "arangodb_request_body_size_http2",
        "Size of HTTP/2 request bodies in bytes.",
        |totals| totals.received_http2.clone().into(),
    ),
    Metric::histogram(
        "arangodb_client_user_connection_statistics_bytes_sent",
        "Size of response bodies to users in bytes.",
        |totals| totals.sent_to_users.clone().into(),
    ),
    Metric::histogram(
        "arangodb_client_user_connection_statistics_bytes_received",
        "Size of request bodies from users in bytes.",
        |totals| totals.received_from_users.clone().into(),
    ),
];

fn by_status(totals: &Totals) -> Value {
    let classes = totals.statuses.iter().enumerate().skip(1);
    let rows = classes.map(|(digit, count)| (labels(&[("code", &format!("{digit}xx"))]), (*count).into()));
    Value::Labelled(rows.collect())
}

const OPEN_CONNECTIONS: &[Metric<Connections>] = &[Metric::gauge(
    "arangodb_client_connection_statistics_client_connections",
    "Number of open connections.",
    |connections| connections.len().into(),
)];

const CONNECTION_TIMES: &[Metric<Metrics>] = &[Metric::histogram(
    "arangodb_client_connection_statistics_connection_time",
    "Lifetime of connections in seconds.",
    |metrics| (&metrics.connection_time).into(),
)];

const CONNECTIONS: &[Metric<Connections>] = &[
    Metric::counter(
        "arangodb_http1_connections_total",
        "Total number of HTTP/1.1 connections.",
        |connections| connections.accepted().saturating_sub(connections.http2()).into(),
    ),
    Metric::counter(
        "arangodb_http2_connections_total",
        "Total number of HTTP/2 connections.",
        |connections| connections.http2().into(),
    ),
];

const TRAFFIC: &[Metric<Metrics>] = &[
    Metric::counter(
        "persea_connection_bytes_received_total",
        "Total number of bytes received on all connections.",
        |metrics| (&metrics.traffic_received_bytes).into(),
    ),
    Metric::counter(
        "persea_connection_bytes_sent_total",
        "Total number of bytes sent on all connections.",
        |metrics| (&metrics.traffic_sent_bytes).into(),
    ),
];

const QUEUE_TIMES: &[Metric<Metrics>] = &[Metric::counter(
    "arangodb_scheduler_queue_time_violations_total",
    "Total number of requests rejected because the queue time exceeded their clients' limit.",
    |metrics| (&metrics.too_slow_queues).into(),
)];

/// Registers the metrics of requests and connections.
pub(crate) fn register(registry: &Registry, metrics: &Arc<Metrics>, connections: &Arc<Connections>) {
    let requests = Arc::clone(metrics);
    registry.register_reading(Section::Requests, REQUESTS, move || requests.totals());
    registry.register(Section::Connections, OPEN_CONNECTIONS, connections);
    registry.register(Section::Connections, CONNECTION_TIMES, metrics);
    registry.register(Section::Connections, CONNECTIONS, connections);
    registry.register(Section::Connections, TRAFFIC, metrics);
    registry.register(Section::Scheduler, QUEUE_TIMES, metrics);
}

impl Metrics {
    /// Counts bytes on the connections.
    pub(crate) fn add_traffic(&self, received_bytes: u64, sent_bytes: u64) {
        self.traffic_received_bytes.add(received_bytes);
        self.traffic_sent_bytes.add(sent_bytes);
    }

    /// Counts a connection that has ended.
    pub(crate) fn record_connection(&self, life: Duration) {
        self.connection_time.add_time(life);
    }

    /// Counts a request that was refused because the queue was slower than its client allowed.
    pub(crate) fn record_too_slow_queue(&self) {
        self.too_slow_queues.increment();
    }

    /// Returns the lifetimes of the connections that have ended, in seconds.
    pub fn connection_time(&self) -> Summary {
        self.connection_time.summary()
    }

    /// Returns the sums over all threads.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for shard in &self.shards {
            let add = |totals: &mut [u64], counters: &[Counter]| {
                totals.iter_mut().zip(counters).for_each(|(total, counter)| *total += counter.get());
            };
            add(&mut totals.methods, &shard.methods);
            add(&mut totals.statuses, &shard.statuses);
            totals.superuser += shard.superuser.get();
            totals.asynchronous += shard.asynchronous.get();
            totals.time.add(&shard.time.summary());
            totals.sent.add(&shard.sent.summary());
            let (http1, http2) = (shard.received_http1.summary(), shard.received_http2.summary());
            totals.received_http1.add(&http1);
            totals.received_http2.add(&http2);
            totals.received.add(&http1);
            totals.received.add(&http2);
            totals.sent_to_users.add(&shard.sent_to_users.summary());
            totals.received_from_users.add(&shard.received_from_users.summary());
        }
        totals
    }
}
