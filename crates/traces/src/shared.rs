//! The options of traces, and the queue of ended spans.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

use client::ClientOptions;

use crate::record::Record;

/// The options of traces.
#[derive(Clone, Debug)]
pub struct TracerOptions {
    /// The collector.
    pub collector: ClientOptions,
    /// The path of its interface, usually `/v1/traces`.
    pub path: String,
    /// Headers of the requests to it.
    pub headers: Vec<(String, String)>,
    /// The name of this server in traces.
    pub service_name: String,
    /// The version of this server.
    pub service_version: String,
    /// The share of the requests that are traced if their callers do not say, from 0 to 1.
    pub share: f64,
    /// The time from which the execution of a node of a query is a span of its own.
    pub node_threshold: Duration,
    /// Maximum number of spans that wait to be sent.
    pub queue_length: usize,
}

/// The state that spans share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: TracerOptions,
    pub(crate) queue: SyncSender<Option<Record>>,
    pub(crate) exported: AtomicU64,
    pub(crate) dropped: AtomicU64,
    pub(crate) failures: AtomicU64,
    /// True once the server stops: a collector that fails then gets nothing more.
    pub(crate) is_stopping: AtomicBool,
}

impl Shared {
    /// Queues an ended span, or drops it if the queue is full.
    pub(crate) fn record(&self, record: Record) {
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = self.queue.try_send(Some(record))
        {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}
