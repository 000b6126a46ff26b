//! The worker pool: the threads that run all work that waits or computes for long.
//!
//! The pool has as many threads as there are cores. If a request has waited for a while because all
//! threads are blocked (on a disk or a sync), the pool adds spare threads, up to a limit. They end
//! when they are idle.
//!
//! A thread whose work waits for others ([`Waiting`](database::Waiting)) counts as none of these:
//! another one takes its place. Each user has a share of the threads, of those that wait, and of
//! the queue (see [`fair_queue`]).

mod fair_queue;
mod limits;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use database::waiting::{self, WaitObserver};
use errors::{Error, ErrorCode};
use metrics::{Gauge, Histogram, Registry, Summary};
use tokio::sync::oneshot;

use self::fair_queue::FairQueue;
pub use self::limits::PoolLimits;
use super::metrics::{self as pool_metrics, PoolCounts, PoolState, WAIT_CUTS};
use super::{RELIEF_AFTER, RELIEF_INTERVAL_MAX, SPARE_THREAD_IDLE};

/// A piece of work.
pub type Job = Box<dyn FnOnce() + Send>;

/// The user that work is done for; `None` for the superuser, without authentication, and for the
/// server itself.
pub type User = Option<Arc<str>>;

/// The error of a job that the pool refused: the queue is full, or the pool is stopping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejected;

impl From<Rejected> for Error {
    fn from(_: Rejected) -> Self {
        Error::of(ErrorCode::QueueFull)
    }
}

/// A pool of threads. See the module's documentation.
pub struct WorkerPool {
    shared: Arc<Shared>,
}

struct Shared {
    limits: PoolLimits,
    state: Mutex<State>,
    work: Condvar,
    ended: Condvar,
    /// The wait of the job that was taken last, in microseconds.
    last_wait_us: Gauge,
    waits: Histogram<9>,
}

struct State {
    queue: FairQueue<Job>,
    /// All threads: those that work, those whose work waits, and the idle ones.
    threads: usize,
    /// The idle threads that nobody has woken yet.
    idle: usize,
    /// The idle threads that were woken and have not noticed yet.
    woken: usize,
    stopping: bool,
    counts: PoolCounts,
}

impl State {
    /// Returns the threads that are not waiting for others.
    fn active_threads(&self) -> usize {
        self.threads.saturating_sub(self.queue.waiting())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WorkerPool {
    /// Returns a pool. Its threads start when they are first needed.
    pub fn new(limits: PoolLimits) -> Self {
        let shared = Shared {
            limits,
            state: Mutex::new(State {
                queue: FairQueue::new(limits.capacity()),
                threads: 0,
                idle: 0,
                woken: 0,
                stopping: false,
                counts: PoolCounts::default(),
            }),
            work: Condvar::new(),
            ended: Condvar::new(),
            last_wait_us: Gauge::new(),
            waits: Histogram::of_times(&WAIT_CUTS),
        };
        WorkerPool { shared: Arc::new(shared) }
    }

    /// Puts a job of a user at the end of the user's queue. Errors: [`Rejected`] if the queue, or
    /// the user's share of it, is full.
    pub fn submit(&self, user: &User, job: Job) -> Result<(), Rejected> {
        let mut state = self.shared.lock();
        if state.stopping || !state.queue.has_room(user) {
            state.counts.rejected += 1;
            return Err(Rejected);
        }
        self.add(state, user, job);
        Ok(())
    }

    /// Puts a job into the queue even if it is full, because its work has begun and must continue.
    pub(crate) fn submit_further(&self, user: &User, job: Job) {
        self.add(self.shared.lock(), user, job);
    }

    fn add(&self, mut state: MutexGuard<'_, State>, user: &User, job: Job) {
        state.queue.push(user, job);
        state.counts.submitted += 1;
        wake(&self.shared, &mut state, self.shared.limits.threads);
    }

    /// Runs work of a user on the pool and waits for it.
    ///
    /// The future is boxed, so that it does not enlarge the future of every request. Errors: those
    /// of the work, and 503 if the queue is full.
    pub(crate) fn run<'a, T: Send + 'static>(
        &'a self,
        user: &User,
        work: impl FnOnce() -> errors::Result<T> + Send + 'static,
    ) -> Pin<Box<dyn Future<Output = errors::Result<T>> + Send + 'a>> {
        let user = user.clone();
        Box::pin(self.wait_for(user, work))
    }

    async fn wait_for<T: Send + 'static>(
        &self,
        user: User,
        work: impl FnOnce() -> errors::Result<T> + Send + 'static,
    ) -> errors::Result<T> {
        let (sender, mut receiver) = oneshot::channel();
        let job = move || {
            // The receiver is gone if the client has left.
            let _ = sender.send(work());
        };
        self.submit(&user, Box::new(job))?;
        drop(user);
        let mut interval = RELIEF_AFTER;
        loop {
            match tokio::time::timeout(interval, &mut receiver).await {
                Ok(Ok(done)) => return done,
                Ok(Err(_)) => return Err(Error::internal("the request ended without an answer")),
                Err(_) => {
                    self.relieve();
                    interval = (interval * 2).min(RELIEF_INTERVAL_MAX);
                }
            }
        }
    }

    /// Wakes a thread, or adds a spare one, if a job that may begin has waited for
    /// [`RELIEF_AFTER`].
    pub fn relieve(&self) {
        let mut state = self.shared.lock();
        if state.queue.is_startable_for(RELIEF_AFTER) {
            wake(&self.shared, &mut state, self.shared.limits.max_threads);
        }
    }

    /// Returns the number of waiting jobs.
    pub fn queue_length(&self) -> usize {
        self.shared.lock().queue.len()
    }

    /// Returns the largest number of waiting jobs.
    pub fn queue_capacity(&self) -> usize {
        self.shared.limits.max_queue
    }

    /// Returns the number of threads whose work waits for others.
    pub fn waiting_threads(&self) -> usize {
        self.shared.lock().queue.waiting()
    }

    /// Returns the number of threads, and the number of those that work.
    pub fn threads(&self) -> (usize, usize) {
        let state = self.shared.lock();
        (state.threads, state.queue.working())
    }

    /// Returns the counters.
    pub fn counts(&self) -> PoolCounts {
        self.shared.lock().counts
    }

    /// Returns the waits of jobs, in seconds.
    pub fn waits(&self) -> Summary {
        self.shared.waits.summary()
    }

    /// Returns the wait of the job that was taken last, in microseconds.
    pub fn last_wait_us(&self) -> u64 {
        self.shared.last_wait_us.get()
    }

    /// Registers the metrics of this pool.
    pub(crate) fn register_metrics(self: &Arc<Self>, registry: &Registry) {
        let pool = Arc::clone(self);
        pool_metrics::register(registry, move || {
            let (threads, busy_threads) = pool.threads();
            PoolState {
                threads,
                busy_threads,
                waiting_threads: pool.waiting_threads(),
                queue_length: pool.queue_length(),
                waits: pool.waits(),
                last_wait_us: pool.last_wait_us(),
                counts: pool.counts(),
            }
        });
    }

    /// Accepts no more jobs, and waits at most `timeout` for the queued ones.
    ///
    /// Returns true if all threads have ended.
    pub fn stop(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut state = self.shared.lock();
        state.stopping = true;
        self.shared.work.notify_all();
        while state.threads > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.shared.ended.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for WorkerPool {
    /// Lets the threads end after the queued jobs.
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        self.shared.work.notify_all();
    }
}

/// Wakes an idle thread, or starts one if fewer than `max_threads` are active.
fn wake(shared: &Arc<Shared>, state: &mut State, max_threads: usize) {
    if state.idle > 0 {
        state.idle -= 1;
        state.woken += 1;
        shared.work.notify_one();
    } else if state.active_threads() < max_threads {
        let own = Arc::clone(shared);
        let thread = std::thread::Builder::new().name("worker".to_owned());
        // If the system has no more threads, the present ones reach the job in time.
        if thread.spawn(move || work(&own)).is_ok() {
            state.threads += 1;
            state.counts.threads_started += 1;
        }
    }
}

/// Runs jobs on a thread of the pool until it ends.
fn work(shared: &Arc<Shared>) {
    let mut state = shared.lock();
    loop {
        if let Some((since, user, job)) = state.queue.pop() {
            state.counts.taken += 1;
            // The share of another user may have grown since that user's job came.
            if state.idle > 0 && state.queue.is_startable_for(Duration::ZERO) {
                wake(shared, &mut state, 0);
            }
            drop(state);
            run(shared, since, &user, job);
            state = shared.lock();
            state.queue.done(&user);
            state.counts.done += 1;
            continue;
        }
        if state.stopping {
            break;
        }
        let is_over;
        (state, is_over) = rest(shared, state);
        if is_over {
            break;
        }
    }
    state.threads -= 1;
    state.counts.threads_ended += 1;
    drop(state);
    shared.ended.notify_all();
}

/// Runs a job that was queued at `since`.
fn run(shared: &Arc<Shared>, since: Instant, user: &User, job: Job) {
    let waited = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
    shared.last_wait_us.set(waited);
    shared.waits.add(waited);
    let observer = Observer { shared: Arc::clone(shared), user: user.clone() };
    // Jobs catch their own panics. This keeps the thread alive in any case.
    let _ = catch_unwind(AssertUnwindSafe(|| waiting::observe(Rc::new(observer), job)));
}

/// Waits until somebody wakes the thread. Returns true if the pool no longer needs it.
fn rest<'a>(shared: &'a Shared, mut state: MutexGuard<'a, State>) -> (MutexGuard<'a, State>, bool) {
    state.idle += 1;
    let is_spare = state.active_threads() > shared.limits.threads;
    let longest = if is_spare { SPARE_THREAD_IDLE } else { Duration::from_secs(3_600) };
    let end = Instant::now() + longest;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let waited = shared.work.wait_timeout(state, left);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
        if state.woken > 0 {
            state.woken -= 1;
            return (state, false);
        }
        let is_over = Instant::now() >= end;
        if is_over || state.stopping {
            state.idle -= 1;
            let is_spare = state.active_threads() > shared.limits.threads;
            return (state, is_over && is_spare);
        }
    }
}

/// The observer of a thread that runs a job of a user.
struct Observer {
    shared: Arc<Shared>,
    user: User,
}

impl WaitObserver for Observer {
    /// Lets another thread take the place of this one.
    fn waits(&self) {
        let mut state = self.shared.lock();
        state.queue.begin_wait(&self.user);
        if state.queue.is_startable_for(Duration::ZERO) {
            wake(&self.shared, &mut state, self.shared.limits.threads);
        }
    }

    fn continues(&self) {
        self.shared.lock().queue.end_wait(&self.user);
    }
}

#[cfg(test)]
mod tests;
