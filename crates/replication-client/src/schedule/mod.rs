//! Threads that process collections.
//!
//! Each thread takes a collection that no other thread has begun. If none is left, it helps with
//! one in progress. The last to leave a collection closes it. One more collection is already open,
//! so that the server is at work when the first thread comes to it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time that a thread waits for another that is about to open a collection to help with.
const OPENING_PAUSE: Duration = Duration::from_millis(1);

/// A task on collections.
pub trait Work: Sync {
    /// The failure of a collection.
    type Failure: Send;
    /// A collection that no thread has begun.
    type Collection: Send;
    /// A collection in progress.
    type Job: Send + Sync;
    /// The private state of a thread.
    type Own;

    /// Returns the name of a collection.
    fn name(collection: &Self::Collection) -> &str;

    /// Returns a failure that says in which collection it happened.
    fn within(failure: Self::Failure, collection: &str) -> Self::Failure;

    /// Returns the state of a thread that begins.
    fn own(&self) -> Self::Own;

    /// Opens a collection.
    fn open(&self, collection: Self::Collection) -> Result<Self::Job, Self::Failure>;

    /// Returns true if several threads can process it concurrently.
    fn is_shared(&self, job: &Self::Job) -> bool;

    /// Works as long as there is something to do and `should_continue` returns true.
    fn work_on(
        &self,
        job: &Self::Job,
        own: &mut Self::Own,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<(), Self::Failure>;

    /// Closes a collection that no thread processes any more.
    ///
    /// `is_whole`: everything was done.
    fn close(&self, job: &Self::Job, is_whole: bool) -> Result<(), Self::Failure>;

    /// Finishes earlier work.
    ///
    /// Each thread calls it when it has no further work; one more call comes at the end.
    fn settle(&self) -> Result<(), Self::Failure> {
        Ok(())
    }
}

/// Processes all collections with this many threads and returns the failures.
///
/// Without `force` the first failure ends everything.
pub fn run<W: Work>(
    work: &W,
    mut collections: Vec<W::Collection>,
    threads: usize,
    force: bool,
) -> Vec<W::Failure> {
    collections.reverse();
    let schedule = Schedule {
        work,
        force,
        waiting: Mutex::new(collections),
        ahead: Mutex::default(),
        running: Mutex::default(),
        opening: AtomicUsize::new(0),
        is_stopped: AtomicBool::new(false),
        failures: Mutex::default(),
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| schedule.run());
        }
    });
    if let Some(task) = lock(&schedule.ahead).take() {
        // A collection is left open only after a failure; its own failure to close is not reported.
        let _ = work.close(&task.job, false);
    }
    // For collections that other threads still processed when these ran out of work.
    schedule.settle();
    schedule.failures.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct Schedule<'w, W: Work> {
    work: &'w W,
    force: bool,
    /// The collections that no thread has begun, the next one last.
    waiting: Mutex<Vec<W::Collection>>,
    /// An open collection that no thread processes yet. Locked while it is being opened.
    ahead: Mutex<Option<Arc<Task<W::Job>>>>,
    /// The collections in progress.
    running: Mutex<Vec<Arc<Task<W::Job>>>>,
    /// The number of collections that are being opened or are open, and not yet in progress.
    opening: AtomicUsize,
    /// True after the first failure.
    is_stopped: AtomicBool,
    failures: Mutex<Vec<W::Failure>>,
}

/// A collection that is open.
struct Task<J> {
    name: String,
    job: J,
    workers: AtomicUsize,
    is_exhausted: AtomicBool,
    has_failed: AtomicBool,
}

impl<W: Work> Schedule<'_, W> {
    fn run(&self) {
        let mut own = self.work.own();
        while !self.is_stopped() {
            let Some(task) = self.next() else { break };
            let Some(task) = task else {
                std::thread::sleep(OPENING_PAUSE);
                continue;
            };
            let should_continue = || !task.is_exhausted.load(Ordering::Relaxed) && !self.is_stopped();
            let worked = self.work.work_on(&task.job, &mut own, &should_continue);
            task.is_exhausted.store(true, Ordering::Relaxed);
            if let Err(failure) = worked {
                self.fail_task(&task, failure);
            }
            if let Err(failure) = self.leave(&task) {
                self.fail_task(&task, failure);
            }
        }
        self.settle();
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn settle(&self) {
        if let Err(failure) = self.work.settle() {
            self.fail(failure);
        }
    }

    fn fail(&self, failure: W::Failure) {
        if !self.force {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        lock(&self.failures).push(failure);
    }

    /// Records a failure; only the first one of a collection is reported.
    fn fail_task(&self, task: &Task<W::Job>, failure: W::Failure) {
        if !task.has_failed.swap(true, Ordering::Relaxed) {
            self.fail(W::within(failure, &task.name));
        }
    }

    /// Returns the next collection; `Some(None)` if there may be one in a moment.
    fn next(&self) -> Option<Option<Arc<Task<W::Job>>>> {
        if let Some(task) = self.begin() {
            return Some(Some(task));
        }
        // Loaded first: the search below finds every collection that is open by now.
        let is_opening = self.opening.load(Ordering::SeqCst) > 0;
        let task = self.help();
        (task.is_some() || is_opening).then_some(task)
    }

    /// Begins the next collection, and opens the one after it.
    fn begin(&self) -> Option<Arc<Task<W::Job>>> {
        let ahead = lock(&self.ahead).take();
        let task = ahead.or_else(|| self.open_next())?;
        lock(&self.running).push(Arc::clone(&task));
        self.opening.fetch_sub(1, Ordering::SeqCst);
        if let Ok(mut ahead) = self.ahead.try_lock()
            && ahead.is_none()
        {
            *ahead = self.open_next();
        }
        Some(task)
    }

    /// Opens the next collection that can be opened.
    ///
    /// It counts as being opened until it is in progress.
    fn open_next(&self) -> Option<Arc<Task<W::Job>>> {
        while !self.is_stopped() {
            let collection = {
                let mut waiting = lock(&self.waiting);
                let collection = waiting.pop()?;
                self.opening.fetch_add(1, Ordering::SeqCst);
                collection
            };
            let name = W::name(&collection).to_owned();
            match self.work.open(collection) {
                Ok(job) => {
                    let (workers, is_exhausted) = (AtomicUsize::new(1), AtomicBool::new(false));
                    let has_failed = AtomicBool::new(false);
                    return Some(Arc::new(Task { name, job, workers, is_exhausted, has_failed }));
                }
                Err(failure) => {
                    self.opening.fetch_sub(1, Ordering::SeqCst);
                    self.fail(W::within(failure, &name));
                }
            }
        }
        None
    }

    /// Returns the collection in progress that has the fewest threads, if another can help with it.
    fn help(&self) -> Option<Arc<Task<W::Job>>> {
        let running = lock(&self.running);
        let open = running.iter().filter(|task| {
            self.work.is_shared(&task.job)
                && !task.is_exhausted.load(Ordering::Relaxed)
                && task.workers.load(Ordering::Relaxed) > 0
        });
        let task = open.min_by_key(|task| task.workers.load(Ordering::Relaxed))?;
        task.workers.fetch_add(1, Ordering::Relaxed);
        Some(Arc::clone(task))
    }

    /// Leaves a collection; the last thread closes it.
    fn leave(&self, task: &Arc<Task<W::Job>>) -> Result<(), W::Failure> {
        {
            let mut running = lock(&self.running);
            if task.workers.fetch_sub(1, Ordering::Relaxed) > 1 {
                return Ok(());
            }
            running.retain(|other| !Arc::ptr_eq(other, task));
        }
        let is_whole = !task.has_failed.load(Ordering::Relaxed) && !self.is_stopped();
        self.work.close(&task.job, is_whole)
    }
}

/// Locks a mutex, also one whose holder panicked.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
