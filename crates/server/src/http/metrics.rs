//! Metrics of requests and connections.
//!
//! Every thread counts in a shard of its own, so that counting takes a few nanoseconds even if all
//! cores count.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use database::histogram::{Histogram, Summary};
use hyper::{Method, StatusCode, Version};
use traces::Span;

/// Number of shards; further threads share them.
const SHARDS: usize = 16;

/// The methods with a counter of their own, in the order of [`Totals::methods`]. The last one
/// counts all others.
pub const METHODS: [&str; 8] = ["get", "head", "post", "put", "patch", "delete", "options", "other"];

/// ArangoDB's bucket bounds for the times of requests, in seconds.
pub use crate::placement::pool::WAIT_CUTS as TIME_CUTS;
/// ArangoDB's bucket bounds for the lifetimes of connections, in seconds.
pub const CONNECTION_CUTS: [f64; 3] = [0.1, 1.0, 60.0];
/// ArangoDB's bucket bounds for the bytes of bodies.
pub const BYTES_CUTS: [f64; 5] = [250.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0];

/// The measurements of one request while it is answered.
#[derive(Debug)]
pub(crate) struct Observed {
    method: usize,
    is_http2: bool,
    is_superuser: bool,
    is_async: bool,
    user: Option<Arc<str>>,
    received_bytes: usize,
    /// The span of the request, if it is traced.
    pub(crate) span: Option<Span>,
}

impl Observed {
    pub(crate) fn new(method: &Method, version: Version) -> Self {
        let method = match *method {
            Method::GET => 0,
            Method::HEAD => 1,
            Method::POST => 2,
            Method::PUT => 3,
            Method::PATCH => 4,
            Method::DELETE => 5,
            Method::OPTIONS => 6,
            _ => 7,
        };
        Observed {
            method,
            is_http2: version == Version::HTTP_2,
            is_superuser: false,
            is_async: false,
            user: None,
            received_bytes: 0,
            span: None,
        }
    }

    /// Adds a fact to the span of the request.
    pub(crate) fn note(&mut self, name: &'static str, value: &str) {
        if let Some(span) = &mut self.span {
            span.set(name, value);
        }
    }

    pub(crate) fn set_user(&mut self, user: Option<&Arc<str>>) {
        self.is_superuser = user.is_none();
        self.user = user.cloned();
    }

    pub(crate) fn set_async(&mut self) {
        self.is_async = true;
    }

    pub(crate) fn received(&mut self, bytes: usize) {
        self.received_bytes = bytes;
    }
}

/// All counters.
#[derive(Debug, Default)]
pub struct Metrics {
    shards: [Shard; SHARDS],
    traffic_received_bytes: AtomicU64,
    traffic_sent_bytes: AtomicU64,
    connection_time: Histogram<3>,
    too_slow_queues: AtomicU64,
}

/// The counters of one shard, on cache lines of their own. Current processors fetch two lines
/// together.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard {
    methods: [AtomicU64; METHODS.len()],
    superuser: AtomicU64,
    asynchronous: AtomicU64,
    /// Requests by the first digit of their status.
    statuses: [AtomicU64; 6],
    time: Histogram<9>,
    sent: Histogram<5>,
    received_http1: Histogram<5>,
    received_http2: Histogram<5>,
    sent_to_users: Histogram<5>,
    received_from_users: Histogram<5>,
}

/// The sums over all threads.
#[derive(Clone, Debug, Default)]
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

thread_local! {
    static SHARD: Cell<Option<usize>> = const { Cell::new(None) };
}

fn shard_of_this_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    SHARD.with(|shard| {
        shard.get().unwrap_or_else(|| {
            let index = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
            shard.set(Some(index));
            index
        })
    })
}

fn increment(counter: Option<&AtomicU64>) {
    if let Some(counter) = counter {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts an answered request.
    pub(crate) fn record(&self, observed: &Observed, status: StatusCode, sent: Option<u64>, time: Duration) {
        let Some(shard) = self.shards.get(shard_of_this_thread()) else { return };
        increment(shard.methods.get(observed.method));
        increment(shard.statuses.get(usize::from(status.as_u16() / 100)));
        increment(observed.is_superuser.then_some(&shard.superuser));
        increment(observed.is_async.then_some(&shard.asynchronous));
        shard.time.add_micros(&TIME_CUTS, u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        let received = observed.received_bytes as u64;
        let by_version = if observed.is_http2 { &shard.received_http2 } else { &shard.received_http1 };
        by_version.add(&BYTES_CUTS, received);
        sent.inspect(|sent| shard.sent.add(&BYTES_CUTS, *sent));
        if observed.user.is_some() {
            shard.received_from_users.add(&BYTES_CUTS, received);
            sent.inspect(|sent| shard.sent_to_users.add(&BYTES_CUTS, *sent));
        }
    }

    /// Counts bytes on the connections.
    pub(crate) fn add_traffic(&self, received_bytes: u64, sent_bytes: u64) {
        self.traffic_received_bytes.fetch_add(received_bytes, Ordering::Relaxed);
        self.traffic_sent_bytes.fetch_add(sent_bytes, Ordering::Relaxed);
    }

    /// Counts a connection that has ended.
    pub(crate) fn record_connection(&self, life: Duration) {
        self.connection_time
            .add_micros(&CONNECTION_CUTS, u64::try_from(life.as_micros()).unwrap_or(u64::MAX));
    }

    /// Counts a request that was refused because the queue was slower than its client allowed.
    pub(crate) fn record_too_slow_queue(&self) {
        increment(Some(&self.too_slow_queues));
    }

    /// Returns the number of requests that were refused because the queue was slower than their
    /// clients allowed.
    pub fn too_slow_queues(&self) -> u64 {
        self.too_slow_queues.load(Ordering::Relaxed)
    }

    /// Returns the bytes received and sent on all connections, heads included.
    pub fn traffic(&self) -> (u64, u64) {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (read(&self.traffic_received_bytes), read(&self.traffic_sent_bytes))
    }

    /// Returns the lifetimes of the connections that have ended, in seconds.
    pub fn connection_time(&self) -> Summary {
        let mut summary = Summary::default();
        self.connection_time.add_to(&mut summary, 1e-6);
        summary
    }

    /// Returns the sums over all threads.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        for shard in &self.shards {
            totals
                .methods
                .iter_mut()
                .zip(&shard.methods)
                .for_each(|(total, counter)| *total += read(counter));
            totals
                .statuses
                .iter_mut()
                .zip(&shard.statuses)
                .for_each(|(total, counter)| *total += read(counter));
            totals.superuser += read(&shard.superuser);
            totals.asynchronous += read(&shard.asynchronous);
            shard.time.add_to(&mut totals.time, 1e-6);
            shard.sent.add_to(&mut totals.sent, 1.0);
            for (part, total) in [
                (&shard.received_http1, &mut totals.received_http1),
                (&shard.received_http2, &mut totals.received_http2),
            ] {
                part.add_to(total, 1.0);
                part.add_to(&mut totals.received, 1.0);
            }
            shard.sent_to_users.add_to(&mut totals.sent_to_users, 1.0);
            shard.received_from_users.add_to(&mut totals.received_from_users, 1.0);
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_all_threads_are_summed() {
        let metrics = Arc::new(Metrics::default());
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let metrics = Arc::clone(&metrics);
                std::thread::spawn(move || {
                    for _ in 0..100 {
                        let mut observed = Observed::new(&Method::POST, Version::HTTP_11);
                        observed.received(300);
                        metrics.record(&observed, StatusCode::CREATED, Some(10), Duration::from_millis(20));
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let totals = metrics.totals();
        assert_eq!((totals.requests(), totals.methods[2], totals.statuses[2]), (400, 400, 400));
        assert_eq!(totals.received.counts, [0, 400, 0, 0, 0, 0]);
        assert_eq!(totals.sent.sum, 4_000.0);
        assert!((totals.time.sum - 8.0).abs() < 1e-9);
    }
}
