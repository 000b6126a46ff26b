//! The worker pool: the threads that run all work that waits or computes for long.
//!
//! The pool has as many threads as there are cores. If a request has waited for a while because all
//! threads are blocked (on a disk, a lock or a sync), the pool adds spare threads, up to a limit.
//! They end when they are idle.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use errors::{Error, ErrorCode};
use metrics::{Gauge, Histogram, Registry, Summary};
use tokio::sync::oneshot;

use super::metrics::{self as pool_metrics, PoolCounts, PoolState, WAIT_CUTS};
use super::{RELIEF_AFTER, RELIEF_INTERVAL_MAX, SPARE_THREAD_IDLE};

/// A piece of work.
pub type Job = Box<dyn FnOnce() + Send>;

/// Sizes of a pool.
#[derive(Clone, Copy, Debug)]
pub struct PoolLimits {
    /// Permanent threads.
    pub threads: usize,
    /// Maximum number of threads, spare ones included.
    pub max_threads: usize,
    /// Maximum number of waiting jobs.
    pub max_queue: usize,
}

impl PoolLimits {
    /// Returns the limits for this machine.
    ///
    /// The pool has as many threads as there are cores. The other limits are ArangoDB's: at least
    /// 32 threads in all, and 4,096 waiting jobs.
    pub fn of_this_machine() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        PoolLimits { threads: cores, max_threads: (2 * cores).max(32), max_queue: 4_096 }
    }

    /// Returns the limits where reads wait for messages to other machines: three quarters of the
    /// threads stay, since most of them wait at any time.
    pub(super) fn where_reads_wait(self) -> Self {
        PoolLimits { threads: self.threads.max(self.max_threads / 4 * 3), ..self }
    }
}

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

#[derive(Default)]
struct State {
    queue: VecDeque<(Instant, Job)>,
    threads: usize,
    idle: usize,
    stopping: bool,
    counts: PoolCounts,
}

impl State {
    fn push(&mut self, job: Job) {
        self.queue.push_back((Instant::now(), job));
        self.counts.submitted += 1;
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
            state: Mutex::default(),
            work: Condvar::new(),
            ended: Condvar::new(),
            last_wait_us: Gauge::new(),
            waits: Histogram::of_times(&WAIT_CUTS),
        };
        WorkerPool { shared: Arc::new(shared) }
    }

    /// Puts a job at the end of the queue.
    pub fn submit(&self, job: Job) -> Result<(), Rejected> {
        let mut state = self.shared.lock();
        if state.stopping || state.queue.len() >= self.shared.limits.max_queue {
            state.counts.rejected += 1;
            return Err(Rejected);
        }
        state.push(job);
        self.wake(&mut state, self.shared.limits.threads);
        Ok(())
    }

    /// Puts a job into the queue even if it is full, because its work has begun and must continue.
    pub(crate) fn submit_further(&self, job: Job) {
        let mut state = self.shared.lock();
        state.push(job);
        self.wake(&mut state, self.shared.limits.threads);
    }

    /// Runs work on the pool and waits for it.
    ///
    /// The future is boxed, so that it does not enlarge the future of every request. Errors: those
    /// of the work, and 503 if the queue is full.
    pub(crate) fn run<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce() -> errors::Result<T> + Send + 'static,
    ) -> Pin<Box<dyn Future<Output = errors::Result<T>> + Send + 'a>> {
        Box::pin(self.wait_for(work))
    }

    async fn wait_for<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> errors::Result<T> + Send + 'static,
    ) -> errors::Result<T> {
        let (sender, mut receiver) = oneshot::channel();
        self.submit(Box::new(move || {
            // The receiver is gone if the client has left.
            let _ = sender.send(work());
        }))?;
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

    /// Adds a spare thread if the oldest job has waited for [`RELIEF_AFTER`] and no thread is idle.
    pub fn relieve(&self) {
        let mut state = self.shared.lock();
        let stuck = state.queue.front().is_some_and(|(since, _)| since.elapsed() >= RELIEF_AFTER);
        if stuck && state.idle == 0 {
            self.wake(&mut state, self.shared.limits.max_threads);
        }
    }

    fn wake(&self, state: &mut State, max_threads: usize) {
        if state.idle >= state.queue.len() || state.threads >= max_threads {
            self.shared.work.notify_one();
        } else {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name("worker".to_owned());
            // If the system has no more threads, the present ones reach the job in time.
            if thread.spawn(move || work(&shared)).is_ok() {
                state.threads += 1;
                state.counts.threads_started += 1;
            }
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

    /// Returns the number of threads, and the number of those that have a job.
    pub fn threads(&self) -> (usize, usize) {
        let state = self.shared.lock();
        (state.threads, state.threads.saturating_sub(state.idle))
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

/// Runs jobs on a thread of the pool until it ends.
fn work(shared: &Shared) {
    let mut state = shared.lock();
    loop {
        if let Some((since, job)) = state.queue.pop_front() {
            state.counts.taken += 1;
            drop(state);
            let waited = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
            shared.last_wait_us.set(waited);
            shared.waits.add(waited);
            // Jobs catch their own panics. This keeps the thread alive in any case.
            let _ = catch_unwind(AssertUnwindSafe(job));
            state = shared.lock();
            state.counts.done += 1;
            continue;
        }
        if state.stopping {
            break;
        }
        state.idle += 1;
        let spare = state.threads > shared.limits.threads;
        let longest = if spare { SPARE_THREAD_IDLE } else { Duration::from_secs(3_600) };
        let waited = shared.work.wait_timeout(state, longest);
        let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        state = guard;
        state.idle -= 1;
        if timeout.timed_out() && state.queue.is_empty() && state.threads > shared.limits.threads {
            break;
        }
    }
    state.threads -= 1;
    state.counts.threads_ended += 1;
    drop(state);
    shared.ended.notify_all();
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn pool(threads: usize, max_threads: usize, max_queue: usize) -> WorkerPool {
        WorkerPool::new(PoolLimits { threads, max_threads, max_queue })
    }

    /// Occupies a thread until the sender is dropped.
    fn block(pool: &WorkerPool) -> mpsc::Sender<()> {
        let (release, wait) = mpsc::channel::<()>();
        let (started, has_started) = mpsc::channel();
        pool.submit(Box::new(move || {
            started.send(()).unwrap();
            let _ = wait.recv();
        }))
        .unwrap();
        has_started.recv_timeout(Duration::from_secs(5)).unwrap();
        release
    }

    #[test]
    fn jobs_are_done_in_order() {
        let pool = pool(1, 1, 100);
        let (sender, receiver) = mpsc::channel();
        for number in 0..50 {
            let sender = sender.clone();
            pool.submit(Box::new(move || sender.send(number).unwrap())).unwrap();
        }
        drop(sender);
        assert_eq!(receiver.iter().collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn a_full_queue_rejects() {
        let pool = pool(1, 1, 1);
        let release = block(&pool);
        pool.submit(Box::new(|| ())).unwrap();
        assert_eq!(pool.submit(Box::new(|| ())), Err(Rejected));
        drop(release);
        assert!(pool.stop(Duration::from_secs(5)));
        let counts =
            PoolCounts { submitted: 2, rejected: 1, taken: 2, done: 2, threads_started: 1, threads_ended: 1 };
        assert_eq!(pool.counts(), counts);
        assert_eq!(pool.waits().count(), 2);
    }

    #[test]
    fn a_spare_thread_is_added_when_all_are_stuck() {
        let pool = pool(1, 2, 10);
        let release = block(&pool);
        let (sender, receiver) = mpsc::channel();
        pool.submit(Box::new(move || sender.send(()).unwrap())).unwrap();
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
        pool.relieve();
        receiver.recv_timeout(Duration::from_secs(5)).unwrap();
        drop(release);
    }

    #[test]
    fn a_panic_does_not_cost_a_thread() {
        let pool = pool(1, 1, 10);
        pool.submit(Box::new(|| panic!("expected in this test"))).unwrap();
        let (sender, receiver) = mpsc::channel();
        pool.submit(Box::new(move || sender.send(()).unwrap())).unwrap();
        receiver.recv_timeout(Duration::from_secs(5)).unwrap();
        assert_eq!(pool.threads().0, 1);
    }

    #[test]
    fn stopping_finishes_what_is_queued_and_takes_no_more() {
        let pool = pool(1, 1, 10);
        let release = block(&pool);
        let (sender, receiver) = mpsc::channel();
        pool.submit(Box::new(move || sender.send(()).unwrap())).unwrap();
        assert!(!pool.stop(Duration::from_millis(20)));
        assert_eq!(pool.submit(Box::new(|| ())), Err(Rejected));
        drop(release);
        assert!(pool.stop(Duration::from_secs(5)));
        receiver.recv().unwrap();
    }
}
