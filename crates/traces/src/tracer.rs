//! The decision which requests are traced.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use client::Client;

use crate::context::Context;
use crate::export;
use crate::record::{Kind, Record};
use crate::shared::{Shared, TracerOptions};
use crate::span::Span;

/// The counts of spans since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Spans that the collector has accepted.
    pub exported: u64,
    /// Spans that were lost, because the queue was full or the collector did not accept them.
    pub dropped: u64,
    /// Requests to the collector that have failed.
    pub failures: u64,
}

/// The source of traces.
#[derive(Debug)]
pub struct Tracer {
    shared: Arc<Shared>,
    exporter: Mutex<Option<JoinHandle<()>>>,
}

impl Tracer {
    /// Starts the thread that sends spans. Errors: an option of the client; no thread.
    pub fn start(options: TracerOptions) -> client::Result<Self> {
        let client = Client::new(options.collector.clone())?;
        let (queue, ended): (_, Receiver<Option<Record>>) = sync_channel(options.queue_length.max(1));
        let (exported, dropped, failures) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let is_stopping = AtomicBool::new(false);
        let shared = Arc::new(Shared { options, queue, exported, dropped, failures, is_stopping });
        let sender = Arc::clone(&shared);
        let run = move || export::run(&sender, &client, &ended);
        let exporter = std::thread::Builder::new().name("traces".to_owned()).spawn(run);
        let exporter =
            exporter.map_err(|error| client::Error::Options(format!("no thread for traces: {error}")))?;
        Ok(Tracer { shared, exporter: Mutex::new(Some(exporter)) })
    }

    /// Begins the span of a request, unless it is not traced.
    ///
    /// `traceparent` is the header of that name. A caller that records its trace, or does not,
    /// decides for its requests.
    pub fn begin(&self, traceparent: Option<&str>, name: &'static str) -> Option<Span> {
        let parent = traceparent.and_then(Context::parse);
        let is_traced = match parent {
            Some(parent) => parent.is_sampled,
            None => fastrand::f64() < self.shared.options.share,
        };
        is_traced.then_some(())?;
        let context =
            parent.unwrap_or_else(|| Context { trace: fastrand::u128(1..), span: 0, is_sampled: true });
        let parent = parent.map(|parent| parent.span);
        Some(Span::begin(Arc::clone(&self.shared), context, parent, Kind::Server, name, Instant::now()))
    }

    /// Returns the counts of spans.
    pub fn statistics(&self) -> Statistics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Shared { exported, dropped, failures, .. } = &*self.shared;
        Statistics { exported: read(exported), dropped: read(dropped), failures: read(failures) }
    }

    /// Sends the spans that wait, and ends the thread. A collector that does not answer holds it up
    /// for the time-out of one request.
    pub fn stop(&self) {
        let exporter = self.exporter.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(exporter) = exporter else { return };
        self.shared.is_stopping.store(true, Ordering::Relaxed);
        // The queue may be full for a moment; the exporter is taking from it.
        let is_told = self.shared.queue.send(None).is_ok();
        if is_told {
            // A panic of the thread has been reported by itself.
            let _ = exporter.join();
        }
    }
}
