//! The thread that sends spans to the collector.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use client::{Client, Request};

use crate::otlp;
use crate::record::Record;
use crate::shared::Shared;

/// Maximum number of spans of one request.
const BATCH_MAX: usize = 512;

/// The time after which spans are sent although they are few.
const DELAY: Duration = Duration::from_secs(1);

/// The minimum time between two entries in the log about a collector that fails.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// Sends spans until it is told to stop by an empty message.
pub(crate) fn run(shared: &Shared, client: &Client, ended: &Receiver<Option<Record>>) {
    let mut batch = Vec::new();
    let mut reported: Option<Instant> = None;
    loop {
        let is_last = collect(ended, &mut batch);
        if !batch.is_empty()
            && let Err(reason) = send(shared, client, &batch)
        {
            shared.failures.fetch_add(1, Ordering::Relaxed);
            shared.dropped.fetch_add(batch.len() as u64, Ordering::Relaxed);
            if reported.is_none_or(|time| time.elapsed() > REPORT_INTERVAL) {
                reported = Some(Instant::now());
                tracing::warn!(target: "requests", "{} trace spans were lost: {reason}", batch.len());
            }
            if shared.is_stopping.load(Ordering::Relaxed) {
                let lost = ended.try_iter().flatten().count();
                shared.dropped.fetch_add(lost as u64, Ordering::Relaxed);
                return;
            }
        }
        batch.clear();
        if is_last {
            return;
        }
    }
}

/// Waits for spans. Returns true if no more follow.
fn collect(ended: &Receiver<Option<Record>>, batch: &mut Vec<Record>) -> bool {
    let deadline = Instant::now() + DELAY;
    while batch.len() < BATCH_MAX {
        match ended.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Some(record)) => batch.push(record),
            Ok(None) | Err(RecvTimeoutError::Disconnected) => return true,
            Err(RecvTimeoutError::Timeout) => return false,
        }
    }
    false
}

/// Sends spans. The error describes the reason.
fn send(shared: &Shared, client: &Client, batch: &[Record]) -> Result<(), String> {
    let body = otlp::request(&shared.options, batch).map_err(|error| error.to_string())?;
    let mut request = Request::post(&shared.options.path).without_database().json(body).repeatable();
    for (name, value) in &shared.options.headers {
        request = request.any_header(name, value);
    }
    client.call(&request).map_err(|error| error.to_string())?;
    shared.exported.fetch_add(batch.len() as u64, Ordering::Relaxed);
    Ok(())
}
