//! Threads that send operations, each over a connection of its own, up to a number or a time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::time::{Duration, Instant};

use client::{Client, ClientOptions, Request, Response, RetryOptions};
use velocypack::Slice;

use super::batch;
use super::case::Operations;
use super::histogram::Histogram;
use super::operation::{Amount, Operation, Plan, Turn};
use super::options::Settings;
use crate::{Console, Failure, Progress};

/// The number of consecutive failures of the connection that ends a run.
const BROKEN_MAX: u32 = 20;

/// The operations of a run, and the times they took.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub(super) operations: u64,
    pub(super) failed: u64,
    /// The latencies, one for each request, that is, each batch.
    pub(super) latencies: Histogram,
    pub(super) first_failure: Option<String>,
}

/// One run.
pub(super) struct Work<'a> {
    pub(super) settings: &'a Settings,
    pub(super) plan: &'a Plan,
    pub(super) options: &'a ClientOptions,
    pub(super) console: &'a Console,
    pub(super) progress: Progress,
}

/// The shared state of a run's threads.
struct Shared {
    batch_size: u64,
    next: AtomicU64,
    is_stopped: AtomicBool,
    begin: Barrier,
    total: Mutex<Tally>,
}

/// One thread.
struct Worker<'a> {
    work: &'a Work<'a>,
    shared: &'a Shared,
    client: Client,
    thread: u64,
    /// The number of its own operations so far.
    own: u64,
    deadline: Option<Instant>,
    /// The whole batch, or the single request, if all operations are the same.
    ready: Option<Request>,
    tally: Tally,
    broken: u32,
}

impl Tally {
    fn new() -> Self {
        Tally { operations: 0, failed: 0, latencies: Histogram::new(), first_failure: None }
    }

    fn merge(&mut self, other: Tally) {
        self.operations += other.operations;
        self.failed += other.failed;
        self.latencies.merge(&other.latencies);
        self.first_failure = self.first_failure.take().or(other.first_failure);
    }
}

impl Work<'_> {
    /// Returns the tally, and the time from the first request to the last reply.
    pub(super) fn run(&self, batch_size: u64) -> Result<(Tally, Duration), Failure> {
        let threads = self.plan.threads;
        let shared = Shared {
            batch_size,
            next: AtomicU64::new(0),
            is_stopped: AtomicBool::new(false),
            begin: Barrier::new(threads as usize + 1),
            total: Mutex::new(Tally::new()),
        };
        // A failed request counts, and is not retried.
        let retries = RetryOptions { count: 0, ..RetryOptions::default() };
        let options = ClientOptions { retries, ..self.options.clone() };
        let clients: Vec<Client> =
            (0..threads).map(|_| Client::new(options.clone())).collect::<client::Result<_>>()?;
        let mut begin = Instant::now();
        std::thread::scope(|scope| {
            for (thread, client) in (0..threads).zip(clients) {
                let shared = &shared;
                scope.spawn(move || Worker::new(self, shared, client, thread).run());
            }
            if self.settings.starts_together {
                shared.begin.wait();
                begin = Instant::now();
            }
        });
        let elapsed = begin.elapsed();
        Ok((shared.total.into_inner().unwrap_or_else(PoisonError::into_inner), elapsed))
    }
}

impl<'a> Worker<'a> {
    fn new(work: &'a Work<'a>, shared: &'a Shared, client: Client, thread: u64) -> Self {
        let tally = Tally::new();
        Worker { work, shared, client, thread, own: 0, deadline: None, ready: None, tally, broken: 0 }
    }

    fn run(mut self) {
        if let Operations::Same(make) = self.work.settings.case.operations {
            let operation = make(self.work.plan);
            self.ready = Some(match self.shared.batch_size {
                0 => self.finish(operation.into_request()),
                size => self.finish(batch::request((0..size).map(|_| operation.clone()))),
            });
        }
        if self.work.settings.starts_together {
            // Opens the connection. If that fails, so does the first request, which reports why.
            let _ = self.client.send(&Request::get("/_api/version"));
            self.shared.begin.wait();
        }
        if let Amount::Time(time) = self.work.settings.amount {
            self.deadline = Instant::now().checked_add(time);
        }
        while let Some((first, count)) = self.claim() {
            self.turn(first, count);
        }
        self.shared.total.lock().unwrap_or_else(PoisonError::into_inner).merge(self.tally);
    }

    /// Returns the number of the next operation and how many there are from it on.
    fn claim(&self) -> Option<(u64, u64)> {
        let wanted = self.shared.batch_size.max(1);
        if self.shared.is_stopped.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            return None;
        }
        let first = self.shared.next.fetch_add(wanted, Ordering::Relaxed);
        let left = match self.work.settings.amount {
            Amount::Operations(total) => total.saturating_sub(first),
            Amount::Time(_) => wanted,
        };
        (left > 0).then_some((first, wanted.min(left)))
    }

    fn turn(&mut self, first: u64, count: u64) {
        let is_whole = count == self.shared.batch_size.max(1);
        let made;
        let request = match &self.ready {
            Some(ready) if is_whole => ready,
            _ => {
                made = self.make(first, count);
                &made
            }
        };
        let start = Instant::now();
        let outcome = self.client.send(request).and_then(|reply| self.fetch_rest(reply));
        self.tally.latencies.record(start.elapsed());
        self.own += count;
        self.tally.operations += count;
        self.work.progress.add(count);
        match outcome {
            Ok(reply) => {
                self.broken = 0;
                self.check(reply, count);
            }
            Err(error) => {
                self.broken = if error.is_connection() { self.broken + 1 } else { 0 };
                self.fail(count, &error.to_string());
            }
        }
        if self.broken >= BROKEN_MAX {
            self.shared.is_stopped.store(true, Ordering::Relaxed);
        }
    }

    fn make(&self, first: u64, count: u64) -> Request {
        let operation = |offset: u64| -> Operation {
            let turn = Turn { number: first + offset, thread: self.thread, own: self.own + offset };
            match self.work.settings.case.operations {
                Operations::Same(make) => make(self.work.plan),
                Operations::Each(make) => make(self.work.plan, turn),
            }
        };
        self.finish(match self.shared.batch_size {
            0 => operation(0).into_request(),
            _ => batch::request((0..count).map(operation)),
        })
    }

    /// Adds the headers of all requests.
    fn finish(&self, mut request: Request) -> Request {
        if self.work.settings.is_async {
            request = request.header("x-arango-async", "true");
        }
        if !self.work.settings.keeps_alive {
            request = request.header("connection", "close");
        }
        request
    }

    /// Fetches the rest of a query's result, so that the server keeps nothing.
    fn fetch_rest(&self, mut reply: Response) -> client::Result<Response> {
        if !self.work.settings.case.has_cursors || self.shared.batch_size > 0 {
            return Ok(reply);
        }
        while reply.status() < 400 && has_more(&reply) {
            let value = reply.value()?;
            let value = Slice::new(&value);
            if value.get("hasMore").and_then(Slice::as_bool) != Some(true) {
                break;
            }
            let Some(id) = value.get("id").and_then(Slice::as_str) else { break };
            reply = self.client.send(&self.finish(Request::post("/_api/cursor").segment(id)))?;
        }
        Ok(reply)
    }

    /// Counts the operations of a request that failed.
    fn check(&mut self, reply: Response, count: u64) {
        if reply.status() >= 400 {
            let text = reply.success().err().map(|error| error.to_string()).unwrap_or_default();
            return self.fail(count, &text);
        }
        let failed = reply.header("x-arango-errors").and_then(|failed| failed.parse().ok()).unwrap_or(0);
        if self.shared.batch_size > 0 && failed > 0 {
            let body = String::from_utf8_lossy(reply.body());
            let part = body.split("HTTP/1.1 ").find(|part| part.starts_with(['4', '5']));
            let part = part.unwrap_or_default().split("\r\n--").next().unwrap_or_default();
            let text = part.replace("\r\n", " ").trim().to_owned();
            self.fail(failed, &format!("a part of a batch is answered with {text}"));
        }
    }

    fn fail(&mut self, count: u64, text: &str) {
        self.tally.failed += count;
        if self.work.settings.verbose {
            self.work.console.error(text);
        }
        if self.tally.first_failure.is_none() {
            self.tally.first_failure = Some(text.to_owned());
        }
    }
}

/// Returns true if the body may say that more results follow. It is cheap: most replies do not.
fn has_more(reply: &Response) -> bool {
    memchr::memmem::find(reply.body(), b"\"hasMore\":true").is_some()
}
