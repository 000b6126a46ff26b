//! Background requests (`x-arango-async: store`), whose replies are kept until they are fetched.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use database::{Charge, Interrupt, LocalIds, MemoryAccount, share};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};

use crate::http::response::{Body, Response};
use crate::http::services::{AsyncMode, LaterWork};
use crate::placement::pool::{Job as PoolJob, WorkerPool};

/// The header that names a job.
pub const ASYNC_ID: HeaderName = HeaderName::from_static("x-arango-async-id");

/// Maximum number of jobs that are pending or not fetched. ArangoDB has no such limit; a client
/// that never fetches would fill the memory.
pub const MAX_JOBS: usize = 100_000;

/// The owner of a job: the user that started it, or every client without authentication.
pub type Owner = Option<Arc<str>>;

/// All jobs.
///
/// Replies that wait to be fetched are charged to the memory of results.
#[derive(Debug)]
pub struct Jobs {
    state: Arc<Mutex<State>>,
    next: AtomicU64,
    ids: LocalIds,
    memory: Arc<MemoryAccount>,
}

#[derive(Debug, Default)]
struct State {
    jobs: BTreeMap<u64, Job>,
}

#[derive(Debug)]
struct Job {
    owner: Owner,
    started_seconds: f64,
    interrupt: Interrupt,
    /// The reply; `None` while the job is pending.
    reply: Option<Response>,
    /// The memory of the reply.
    memory: Option<Charge>,
}

/// The result of fetching a job.
#[derive(Debug)]
// Moved once.
#[allow(clippy::large_enum_variant)]
pub enum Fetched {
    /// It is not done yet.
    Pending,
    /// Its reply, which is no longer kept.
    Done(Response),
}

/// A job that waits or runs.
pub(crate) struct Pending {
    state: Arc<Mutex<State>>,
    id: u64,
    interrupt: Interrupt,
    memory: Arc<MemoryAccount>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the seconds since 1970.
fn now_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

impl State {
    fn remove(&mut self, id: u64) -> Option<Job> {
        self.jobs.remove(&id)
    }

    fn owned(&self, owner: &Owner, id: u64) -> Option<&Job> {
        self.jobs.get(&id).filter(|job| job.is_of(owner))
    }
}

impl Job {
    fn is_of(&self, owner: &Owner) -> bool {
        owner.is_none() || self.owner == *owner
    }
}

impl Jobs {
    /// Returns an empty list of jobs, whose replies are charged to `memory`.
    ///
    /// Numbers begin with the time, so that numbers from before a restart do not recur.
    pub fn new(ids: LocalIds, memory: Arc<MemoryAccount>) -> Self {
        let first = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_micros());
        let first = u64::try_from(first).unwrap_or(1);
        Jobs { state: Arc::default(), next: AtomicU64::new(first), ids, memory }
    }

    /// Accepts a request that runs later on the pool.
    ///
    /// If its reply is kept, the work receives an interrupt that is killed when the job is
    /// cancelled. Errors: 503 if the queue is full or too many replies wait to be fetched.
    pub(crate) fn run_later(
        &self,
        pool: &WorkerPool,
        owner: Owner,
        mode: AsyncMode,
        work: LaterWork,
    ) -> Result<Response> {
        let (user, accepted) = (owner.clone(), Response::empty(StatusCode::ACCEPTED));
        let (job, accepted): (PoolJob, _) = match mode {
            AsyncMode::Forget => (Box::new(move || drop(work(None))), accepted),
            AsyncMode::Store => {
                let pending = self.start(owner)?;
                let accepted = accepted.header(ASYNC_ID, pending.header());
                let interrupt = pending.interrupt().clone();
                let reply = move || work(Some(&interrupt)).unwrap_or_else(Response::from);
                (Box::new(move || pending.run(reply)), accepted)
            }
        };
        pool.submit(&user, job)?;
        Ok(accepted)
    }

    /// Adds a job. Errors: 503 if there are too many, or too many bytes wait to be fetched.
    pub(crate) fn start(&self, owner: Owner) -> Result<Pending> {
        let mut state = lock(&self.state);
        let own = || state.jobs.values().filter(|job| job.owner == owner).count();
        if !share::admits_counted(own, state.jobs.len(), MAX_JOBS) || self.is_memory_scarce() {
            let message = "too many async results wait to be fetched: fetch or delete some (/_api/job)";
            return Err(Error::new(ErrorCode::QueueFull, message));
        }
        let id = self.ids.id(self.next.fetch_add(1, Ordering::Relaxed));
        let interrupt = Interrupt::new();
        let job = Job {
            owner,
            started_seconds: now_seconds(),
            interrupt: interrupt.clone(),
            reply: None,
            memory: None,
        };
        state.jobs.insert(id, job);
        Ok(Pending { state: Arc::clone(&self.state), id, interrupt, memory: Arc::clone(&self.memory) })
    }

    /// Returns true if a reply would hardly be kept.
    fn is_memory_scarce(&self) -> bool {
        let limit_bytes = self.memory.limit_bytes().unwrap_or(u64::MAX);
        self.memory.used_bytes() > limit_bytes / 8 * 7
    }

    /// Returns the numbers of up to `count` jobs that are done, or pending.
    pub fn list(&self, owner: &Owner, done: bool, count: usize) -> Vec<u64> {
        let state = lock(&self.state);
        let wanted = state.jobs.iter().filter(|(_, job)| job.is_of(owner) && job.reply.is_some() == done);
        wanted.map(|(id, _)| *id).take(count).collect()
    }

    /// Returns true if a job is done, or `None` if it does not exist.
    pub fn is_done(&self, owner: &Owner, id: u64) -> Option<bool> {
        lock(&self.state).owned(owner, id).map(|job| job.reply.is_some())
    }

    /// Takes the reply of a job, or returns `None` if the job does not exist.
    pub fn fetch(&self, owner: &Owner, id: u64) -> Option<Fetched> {
        let mut state = lock(&self.state);
        if state.owned(owner, id)?.reply.is_none() {
            return Some(Fetched::Pending);
        }
        state.remove(id).and_then(|job| job.reply).map(Fetched::Done)
    }

    /// Cancels a job. Returns true if it exists.
    ///
    /// A waiting job never runs, the queries of a running job end, and the job gets no reply of its
    /// own.
    pub fn cancel(&self, owner: &Owner, id: u64) -> bool {
        let state = lock(&self.state);
        let job = state.owned(owner, id);
        job.inspect(|job| job.interrupt.kill()).is_some()
    }

    /// Forgets a job. Returns true if it existed.
    pub fn remove(&self, owner: &Owner, id: u64) -> bool {
        let mut state = lock(&self.state);
        state.owned(owner, id).is_some() && state.remove(id).is_some()
    }

    /// Forgets the jobs that were started before a time, in seconds since 1970, and the replies of
    /// those that are done. Pending ones run to their end.
    pub fn remove_before(&self, owner: &Owner, before_seconds: f64) {
        let mut state = lock(&self.state);
        let expired = |job: &Job| job.is_of(owner) && job.started_seconds < before_seconds;
        let ids: Vec<u64> = state.jobs.iter().filter(|(_, job)| expired(job)).map(|(id, _)| *id).collect();
        ids.into_iter().for_each(|id| drop(state.remove(id)));
    }

    /// Returns the number of jobs.
    pub fn len(&self) -> usize {
        lock(&self.state).jobs.len()
    }

    /// Returns true if there are no jobs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Pending {
    /// Returns the number as a header.
    pub(crate) fn header(&self) -> HeaderValue {
        HeaderValue::from(self.id)
    }

    /// Runs the work and keeps its reply.
    pub(crate) fn run(self, work: impl FnOnce() -> Response) {
        let reply = if self.interrupt.is_set() { cancelled() } else { work() };
        let (reply, memory) = match self.interrupt.is_set() {
            true => (cancelled(), None),
            false => match whole(reply, Charge::new(Arc::clone(&self.memory))) {
                Ok((reply, memory)) => (reply, Some(memory)),
                Err(error) => (error.into(), None),
            },
        };
        let mut state = lock(&self.state);
        // If the job was deleted while it ran, its reply is discarded.
        if let Some(job) = state.jobs.get_mut(&self.id) {
            (job.reply, job.memory) = (Some(reply), memory);
        }
    }

    /// Returns the interrupt that cancels the job.
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
}

/// Forgets a job that never ran, for example because the queue was full.
impl Drop for Pending {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        if state.jobs.get(&self.id).is_some_and(|job| job.reply.is_none()) {
            state.remove(self.id);
        }
    }
}

fn cancelled() -> Response {
    Error::of(ErrorCode::RequestCanceled).into()
}

/// Returns a reply with all chunks made, since no client reads them yet, and its memory.
///
/// Errors: 32 if there is no memory for it; those of its stream.
fn whole(reply: Response, mut memory: Charge) -> Result<(Response, Charge)> {
    let (content_type, mut source) = match reply.body {
        Body::Stream { content_type, source } => (content_type, source),
        body => {
            let bytes = match &body {
                Body::Value { bytes, .. } => bytes.len(),
                Body::Bytes { bytes, .. } => bytes.len(),
                Body::Live(_) => return Err(Error::bad_parameter(crate::http::stream::live::NO_END)),
                Body::Empty | Body::Stream { .. } | Body::Deferred(_) => 0,
            };
            memory.grow(bytes as u64)?;
            return Ok((Response { body, ..reply }, memory));
        }
    };
    let mut all = Vec::new();
    while let Some(chunk) = source.next_chunk()? {
        // A vector doubles when it is full.
        memory.grow(2 * chunk.len() as u64)?;
        all.extend_from_slice(&chunk);
    }
    Ok((Response { body: Body::Bytes { content_type, bytes: all.into() }, ..reply }, memory))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> Owner {
        Some(name.into())
    }

    fn ok() -> Response {
        Response::json(StatusCode::OK, "true")
    }

    fn only(jobs: &Jobs, done: bool) -> u64 {
        let ids = jobs.list(&None, done, 10);
        assert_eq!(ids.len(), 1);
        ids[0]
    }

    #[test]
    fn a_reply_is_fetched_once() {
        let jobs = Jobs::new(LocalIds::default(), Arc::new(MemoryAccount::unlimited()));
        let pending = jobs.start(user("a")).unwrap();
        let id = only(&jobs, false);
        assert!(matches!(jobs.fetch(&user("a"), id), Some(Fetched::Pending)));
        pending.run(ok);
        assert_eq!(jobs.is_done(&user("a"), id), Some(true));
        assert!(matches!(jobs.fetch(&user("a"), id), Some(Fetched::Done(_))));
        assert!(jobs.fetch(&user("a"), id).is_none());
        assert_eq!(jobs.memory.used_bytes(), 0);
    }

    #[test]
    fn a_reply_without_memory_becomes_an_error() {
        let jobs = Jobs::new(LocalIds::default(), Arc::new(MemoryAccount::new(Some(100), None)));
        let started = jobs.start(None).unwrap();
        started.run(|| Response::json(StatusCode::OK, vec![b' '; 101]));
        let id = only(&jobs, true);
        let Some(Fetched::Done(reply)) = jobs.fetch(&None, id) else { panic!("no reply") };
        assert_eq!((reply.status().as_u16(), jobs.memory.used_bytes()), (500, 0));
        jobs.start(None).unwrap().run(|| Response::json(StatusCode::OK, vec![b' '; 90]));
        assert!(jobs.start(None).is_err(), "too many bytes wait to be fetched");
    }

    #[test]
    fn a_job_is_hidden_from_other_users() {
        let jobs = Jobs::new(LocalIds::default(), Arc::new(MemoryAccount::unlimited()));
        jobs.start(user("a")).unwrap().run(ok);
        let id = only(&jobs, true);
        assert!(jobs.list(&user("b"), true, 10).is_empty());
        assert!(jobs.fetch(&user("b"), id).is_none());
        assert!(!jobs.remove(&user("b"), id));
        assert!(jobs.remove(&None, id));
    }

    #[test]
    fn a_cancelled_job_does_not_run() {
        let jobs = Jobs::new(LocalIds::default(), Arc::new(MemoryAccount::unlimited()));
        let pending = jobs.start(None).unwrap();
        let id = only(&jobs, false);
        assert!(jobs.cancel(&None, id));
        pending.run(|| panic!("must not run"));
        let Some(Fetched::Done(reply)) = jobs.fetch(&None, id) else { panic!("no reply") };
        assert_eq!(reply.status(), StatusCode::GONE);
    }

    #[test]
    fn a_job_that_was_dropped_or_deleted_leaves_nothing() {
        let jobs = Jobs::new(LocalIds::default(), Arc::new(MemoryAccount::unlimited()));
        drop(jobs.start(None).unwrap());
        assert!(jobs.is_empty());
        let pending = jobs.start(None).unwrap();
        jobs.remove(&None, only(&jobs, false));
        pending.run(ok);
        assert!(jobs.is_empty());
    }

    #[test]
    fn jobs_are_removed_by_their_age_also_pending_ones() {
        let jobs = Jobs::new(LocalIds::default(), Arc::new(MemoryAccount::unlimited()));
        jobs.start(None).unwrap().run(ok);
        let pending = jobs.start(None).unwrap();
        jobs.remove_before(&None, now_seconds() - 60.0);
        assert_eq!(jobs.len(), 2);
        jobs.remove_before(&None, f64::INFINITY);
        assert!(jobs.is_empty());
        pending.run(ok);
        assert!(jobs.is_empty());
    }
}
