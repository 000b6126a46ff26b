//! Concurrent sending of batches, each thread on a connection of its own.

use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use client::{Client, Request, Response};
use velocypack::Slice;

use super::batch::{Batch, Batches};
use super::latency::Latency;
use super::options::Settings;
use super::outcome::{Counts, Outcome};
use super::rate::Rate;
use super::{rejected, rewrite};
use crate::Failure;

/// The shared state of all senders.
struct Sender<'a> {
    client: &'a Client,
    settings: &'a Settings,
    outcome: &'a Outcome,
    /// The request without its body.
    request: Request,
    rate: Option<Rate>,
    latency: Option<Latency>,
}

/// Reads batches on this thread and sends them on others, until the end or the first failure.
///
/// Waits for the replies to all sent batches.
pub(super) fn send_all(
    batches: &mut dyn Batches,
    client: &Client,
    settings: &Settings,
    outcome: &Outcome,
) -> Result<(), Failure> {
    let sender = Sender {
        client,
        settings,
        outcome,
        request: request(settings),
        rate: settings.auto_rate.then(|| Rate::new(settings.batch_bytes, settings.threads)),
        latency: settings.latency.then(|| Latency::new(outcome.console())),
    };
    // One batch waits, so that an idle thread finds it; more would only take memory.
    let (queue, waiting) = sync_channel(1);
    let waiting = Mutex::new(waiting);
    std::thread::scope(|scope| {
        for _ in 0..settings.threads {
            scope.spawn(|| sender.run(&waiting));
        }
        while !outcome.has_stopped() {
            match batches.next_batch() {
                Ok(Some(batch)) => {
                    if queue.send(batch).is_err() {
                        break;
                    }
                }
                Ok(None) => break,
                Err(failure) => outcome.fail(failure),
            }
        }
        drop(queue);
    });
    if let Some(latency) = &sender.latency {
        latency.finish();
    }
    outcome.take_failure().map_or(Ok(()), Err)
}

/// Returns the request of every batch.
fn request(settings: &Settings) -> Request {
    let mut request = Request::post("/_api/import").query("collection", &settings.collection);
    if !settings.form.is_table() {
        request = request.query("type", "documents");
    }
    request = request.query("details", "true").query("onDuplicate", settings.on_duplicate);
    for (name, value) in [("fromPrefix", &settings.from_prefix), ("toPrefix", &settings.to_prefix)] {
        if !value.is_empty() {
            request = request.query(name, value);
        }
    }
    if settings.overwrite_prefix {
        request = request.query("overwriteCollectionPrefix", "true");
    }
    if settings.skip_validation {
        request = request.query("skipDocumentValidation", "true");
    }
    request
}

impl Sender<'_> {
    fn run(&self, waiting: &Mutex<Receiver<Batch>>) {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(mut batch) = next else { return };
            // After a failure, waiting batches are dropped, so that the reader does not block.
            if self.outcome.has_stopped() {
                continue;
            }
            self.outcome.add_read(batch.lines_read, batch.rows());
            let wrong = std::mem::take(&mut batch.rejected);
            if !wrong.is_empty() {
                let counts = Counts { errors: wrong.len() as u64, ..Counts::default() };
                self.outcome.add(counts, &wrong);
            }
            if batch.body.len() > batch.header_bytes
                && !self.outcome.has_stopped()
                && let Err(failure) = self.send(batch)
            {
                self.outcome.fail(failure);
            }
        }
    }

    fn send(&self, mut batch: Batch) -> Result<(), Failure> {
        let body = std::mem::take(&mut batch.body);
        let is_table = batch.header_bytes > 0;
        let body = match self.settings.removed.as_slice() {
            // Tables have omitted these columns already.
            removed if !removed.is_empty() && !is_table => rewrite::without(&body, removed),
            _ => body,
        };
        let body = Bytes::from(body);
        if let Some(rate) = &self.rate {
            rate.wait(body.len());
        }
        let begin = Instant::now();
        let request = self.request.clone().body("text/plain; charset=utf-8", body.clone());
        let reply = self.client.call(&request).map_err(|error| self.explain(&error, &body, &batch))?;
        let elapsed = begin.elapsed();
        if let Some(rate) = &self.rate {
            rate.answered(elapsed);
        }
        if let Some(latency) = &self.latency {
            latency.add(elapsed);
        }
        self.count(&reply, &body, &batch)
    }

    fn count(&self, reply: &Response, body: &[u8], batch: &Batch) -> Result<(), Failure> {
        let value = reply.value()?;
        let value = Slice::new(&value);
        let count = |name: &str| value.get(name).and_then(|count| count.as_u64()).unwrap_or(0);
        let counts = Counts {
            created: count("created"),
            errors: count("errors"),
            updated: count("updated"),
            ignored: count("ignored"),
        };
        let details = value.get("details").filter(|details| details.is_array());
        let details: Vec<&str> = details
            .into_iter()
            .flat_map(|details| details.elements())
            .filter_map(|detail| detail.as_str())
            .collect();
        let rejected = if details.is_empty() { Vec::new() } else { rejected::rows(body, batch, &details) };
        self.outcome.add(counts, &rejected);
        Ok(())
    }

    /// Describes the rows that may or may not have been stored.
    fn explain(&self, error: &client::Error, body: &[u8], batch: &Batch) -> Failure {
        let rows = body.get(batch.header_bytes..).unwrap_or_default();
        let count = rows.split_inclusive(|byte| *byte == b'\n').count();
        let (first, last) = (batch.lines.of(0), batch.lines.of(count.saturating_sub(1)));
        let file = &self.settings.file;
        let state = match error {
            client::Error::Connect { .. } | client::Error::Request { .. } => "were not stored",
            // The server refuses a request as a whole before it stores its first row.
            client::Error::Server(answer) if matches!(answer.status, 400..=405 | 413 | 415) => {
                "were not stored"
            }
            _ => "may or may not have been stored",
        };
        Failure::new(format!("{file}:{first}: rows of the lines {first} to {last} {state}: {error}"))
    }
}
