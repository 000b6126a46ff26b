//! The threads on which algorithms compute.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;

use aql_value::Waiting;
use errors::{Error, ErrorCode, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use rustix::process::setpriority_process;
use rustix::thread::gettid;

/// The priority of the threads: lower than that of requests, which are short.
const PRIORITY: i32 = 10;

/// A pool that is started on first use. All algorithms share its threads.
#[derive(Debug)]
pub(crate) struct AnalyticsPool {
    threads: usize,
    pool: OnceLock<Option<ThreadPool>>,
    runs: AtomicU64,
}

impl AnalyticsPool {
    pub(super) fn new(threads: usize) -> Self {
        let processors = available_parallelism().map_or(1, NonZero::get);
        AnalyticsPool {
            threads: if threads == 0 { processors } else { threads },
            pool: OnceLock::new(),
            runs: AtomicU64::new(0),
        }
    }

    /// Returns the number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Counts a run of an algorithm.
    pub(crate) fn note_run(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of runs since the start of the server.
    pub(super) fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Runs work on the threads of the pool, and waits for it.
    ///
    /// Errors: those of the work; 32 if the threads cannot be started.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let _waiting = Waiting::begin();
        let pool = self.pool.get_or_init(|| start(self.threads)).as_ref().ok_or_else(|| {
            Error::new(ErrorCode::ResourceLimit, "the threads for graph analytics cannot be started")
        })?;
        pool.install(work)
    }
}

fn start(threads: usize) -> Option<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("analytics-{i}"));
    let builder = builder.start_handler(|_| {
        // Errors: the system does not allow it, and the thread keeps its priority.
        let _ = setpriority_process(Some(gettid()), PRIORITY);
    });
    builder.build().inspect_err(|error| tracing::error!("threads for graph analytics: {error}")).ok()
}
