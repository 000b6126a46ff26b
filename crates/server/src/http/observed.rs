//! The measurements of a request.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::{Method, StatusCode, Version};
use metrics::Counter;
use traces::Span;

use super::metrics::{Metrics, SHARDS};

/// The measurements of one request while it is answered.
#[derive(Debug)]
pub(crate) struct Observed {
    /// The place of the method in [`METHODS`](super::metrics::METHODS).
    method: usize,
    is_http2: bool,
    is_superuser: bool,
    is_async: bool,
    user: Option<Arc<str>>,
    received_bytes: usize,
    /// The route reads what any replica of the data has, outside of a stream transaction.
    pub(crate) reads_replicas: bool,
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
            reads_replicas: false,
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

impl Metrics {
    /// Counts an answered request.
    pub(crate) fn record(&self, observed: &Observed, status: StatusCode, sent: Option<u64>, time: Duration) {
        let Some(shard) = self.shards.get(shard_of_this_thread()) else { return };
        shard.methods.get(observed.method).into_iter().for_each(Counter::increment);
        shard.statuses.get(usize::from(status.as_u16() / 100)).into_iter().for_each(Counter::increment);
        if observed.is_superuser {
            shard.superuser.increment();
        }
        if observed.is_async {
            shard.asynchronous.increment();
        }
        shard.time.add_time(time);
        let received = observed.received_bytes as u64;
        let by_version = if observed.is_http2 { &shard.received_http2 } else { &shard.received_http1 };
        by_version.add(received);
        sent.inspect(|sent| shard.sent.add(*sent));
        if observed.user.is_some() {
            shard.received_from_users.add(received);
            sent.inspect(|sent| shard.sent_to_users.add(*sent));
        }
    }
}

#[cfg(test)]
mod tests {
    use hyper::{Method, Version};

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
