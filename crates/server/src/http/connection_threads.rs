//! The threads that serve connections: as many as the machine has cores, each with a runtime and a
//! part of the connections of its own.
//!
//! The thread that the system wakes for a request also answers it, so that no request waits for
//! another thread to wake up.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::Notify;

use crate::placement::neighbours;

/// The threads, which end on drop. Their connections end with them.
pub(crate) struct ConnectionThreads {
    threads: Vec<ConnectionThread>,
}

struct ConnectionThread {
    runtime: Handle,
    /// The open connections of the thread.
    open: Arc<AtomicUsize>,
    end: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl ConnectionThreads {
    /// Starts as many threads as the machine has cores.
    pub(crate) fn start() -> io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (0..cores).map(ConnectionThread::start).collect::<io::Result<_>>()?;
        Ok(ConnectionThreads { threads })
    }

    /// Serves a connection on the thread that has the fewest.
    ///
    /// `serve` is called on that thread, which then observes the connection's socket.
    pub(crate) fn spawn<F: Future<Output = ()> + Send>(&self, serve: impl FnOnce() -> F + Send + 'static) {
        let fewest = self.threads.iter().min_by_key(|thread| thread.open.load(Ordering::Relaxed));
        let Some(thread) = fewest else { return };
        let open = Open::new(&thread.open);
        thread.runtime.spawn(async move {
            serve().await;
            drop(open);
        });
    }
}

impl ConnectionThread {
    fn start(number: usize) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (handle, end) = (runtime.handle().clone(), Arc::<Notify>::default());
        let (open, ended) = (Arc::<AtomicUsize>::default(), Arc::clone(&end));
        let own = Arc::clone(&open);
        let thread = std::thread::Builder::new().name(format!("connections-{number}")).spawn(move || {
            neighbours::set(own);
            runtime.block_on(ended.notified());
        })?;
        Ok(ConnectionThread { runtime: handle, open, end, thread: Some(thread) })
    }
}

impl Drop for ConnectionThread {
    fn drop(&mut self) {
        self.end.notify_one();
        // A thread that has panicked has ended as well.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Counts a connection as open until it is dropped.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::Relaxed);
        Open(Arc::clone(open))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
